import { signPayloadText, canonicalText } from '@countersign/protocol';
import type {
  LifecycleEvent,
  PayloadOf,
  Profiles,
  Purpose,
  RecordType,
  Signer,
} from '@countersign/protocol';
import { newId } from './ids.js';

/** Whom a record is about and for. */
export interface RecordSubject {
  readonly tenant: string;
  readonly audience: string;
  readonly purpose: Purpose | 'service';
  readonly profiles: Profiles;
}

/** A signed record with the id under which it is stored. */
export interface IssuedRecord {
  readonly id: string;
  readonly type: RecordType;
  readonly audience: string;
  /** Timestamp text, as signed. */
  readonly issuedAt: string;
  /** Canonical text, signature included. */
  readonly text: string;
  readonly digest: string;
}

/** Signs what a service may sign, as the service's origin. */
export class Notary {
  constructor(
    private readonly signer: Signer,
    readonly origin: string,
  ) {}

  /** `at` = service time of the operation, epoch milliseconds. */
  issue<Type extends RecordType>(
    type: Type,
    subject: RecordSubject,
    at: number,
    payload: PayloadOf<Type>,
    id = newId(),
  ): IssuedRecord {
    return this.issueCanonical(type, subject, at, canonicalText(payload), id);
  }

  /** As {@link issue}, with a payload that is in canonical form already. */
  issueCanonical(
    type: RecordType,
    subject: RecordSubject,
    at: number,
    payloadText: string,
    id = newId(),
  ): IssuedRecord {
    const { tenant, audience, purpose, profiles } = subject;
    const header = { type, purpose, profiles, issuer: this.origin, audience, tenant, issuedAt: at };
    const { text, digest } = signPayloadText(this.signer, header, payloadText);
    return { id, type, audience, issuedAt: new Date(at).toISOString(), text, digest };
  }

  /** The RequestChangedEvents of a step (contract §3.5), in their order. */
  events(
    requestId: string,
    subject: RecordSubject,
    events: readonly LifecycleEvent[],
    at: number,
  ): IssuedRecord[] {
    return events.map((event) => {
      const id = newId();
      return this.issue(
        'RequestChangedEvent',
        subject,
        at,
        {
          event_id: id,
          type: 'proto.request.changed',
          request_id: requestId,
          revision: event.revision,
          reason: event.reason,
          state: event.state,
          deadline: new Date(event.deadline).toISOString(),
          status_ref: `${this.origin}/v2/requests/${requestId}`,
        },
        id,
      );
    });
  }
}
