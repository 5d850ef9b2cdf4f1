import { canonicalObject, canonicalText, signPayloadTextLater } from '@countersign/protocol';
import type {
  DecisionRequest,
  Digest,
  Draft,
  JsonText,
  LifecycleEvent,
  PayloadOf,
  Profiles,
  Purpose,
  RecordType,
  RemoteSigner,
  SignedRecord,
} from '@countersign/protocol';
import { newId } from './ids.js';

/** Whom a record is about and for. */
export interface RecordSubject {
  readonly tenant: string;
  readonly audience: string;
  readonly purpose: Purpose | 'service';
  readonly profiles: Profiles;
}

/** The request that a step's records are about; its owner is whom they are for. */
export interface RecordedRequest {
  readonly id: string;
  readonly owner: string;
  readonly request: Pick<DecisionRequest, 'purpose' | 'profiles'>;
}

/** A signed record with the id under which it is stored. */
export interface IssuedRecord {
  readonly id: string;
  readonly type: RecordType;
  readonly audience: string;
  /** Timestamp text, as signed. */
  readonly issuedAt: string;
  /** Canonical text, signature included. */
  readonly text: JsonText<SignedRecord>;
  readonly digest: Digest;
}

/** Called with each record before it is committed; must not reject. */
export type NoteIssued = (type: RecordType, tenant: string, id: string) => Promise<void> | null;

/** Signs a service's record types, under the service's origin. */
export class Notary {
  constructor(
    private readonly signer: RemoteSigner,
    readonly origin: string,
    private readonly note: NoteIssued | null = null,
  ) {}

  /** `at` = service time of the operation, epoch milliseconds. Records that belong together are issued side by side. */
  issue<Type extends RecordType>(
    type: Type,
    subject: RecordSubject,
    at: number,
    payload: PayloadOf<Type>,
    id = newId(),
  ): Promise<IssuedRecord> {
    return this.issueCanonical(type, subject, at, canonicalText(payload), id);
  }

  /** As {@link issue}, with a payload that is in canonical form already. */
  async issueCanonical(
    type: RecordType,
    subject: RecordSubject,
    at: number,
    payloadText: string,
    id = newId(),
  ): Promise<IssuedRecord> {
    const { tenant, audience, purpose, profiles } = subject;
    const header = { type, purpose, profiles, issuer: this.origin, audience, tenant, issuedAt: at };
    const noted = this.note?.(type, tenant, id) ?? null;
    const { text, digest } = await signPayloadTextLater(this.signer, header, payloadText);
    if (noted !== null) await noted;
    return { id, type, audience, issuedAt: new Date(at).toISOString(), text, digest };
  }

  /**
   * Signs a text that is no record, such as the head of a tree (c2sp.org/tlog-checkpoint), and returns the key's id. The
   * signer refuses every text but those that the service may sign.
   */
  async signText(text: string): Promise<{ keyId: string; signature: Uint8Array }> {
    return { keyId: this.signer.keyId, signature: await this.signer.signLater(Buffer.from(text)) };
  }

  /** Signs the records of a step on a request, in their order. `at` as for {@link issue}. */
  sign(
    tenant: string,
    about: RecordedRequest,
    drafts: readonly Draft[],
    at: number,
  ): Promise<IssuedRecord[]> {
    const { purpose, profiles } = about.request;
    const subject = { tenant, audience: about.owner, purpose, profiles };
    return Promise.all(drafts.map((draft) => this.#signDraft(about.id, subject, draft, at)));
  }

  #signDraft(
    requestId: string,
    subject: RecordSubject,
    draft: Draft,
    at: number,
  ): Promise<IssuedRecord> {
    if (draft.type === 'RequestChangedEvent') {
      return this.#signEvent(requestId, subject, draft.payload, at);
    }
    const text =
      'canonical' in draft
        ? canonicalObject(draft.payload, draft.canonical)
        : canonicalText(draft.payload);
    return this.issueCanonical(draft.type, subject, at, text);
  }

  #signEvent(
    requestId: string,
    subject: RecordSubject,
    event: LifecycleEvent,
    at: number,
  ): Promise<IssuedRecord> {
    const id = newId();
    return this.issue(
      'RequestChangedEvent',
      subject,
      at,
      // In canonical order, which is written fastest.
      {
        deadline: new Date(event.deadline).toISOString(),
        event_id: id,
        reason: event.reason,
        request_id: requestId,
        revision: event.revision,
        state: event.state,
        status_ref: `${this.origin}/v2/requests/${requestId}`,
        type: 'proto.request.changed',
      },
      id,
    );
  }
}
