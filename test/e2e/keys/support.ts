import { challengeOf, countersignStatement, enrolmentStatement } from '@countersign/protocol';
import type { EnrolmentStatement } from '@countersign/protocol';
import { registrationOf, softAuthenticator } from '@countersign/protocol/testing/authenticator';
import type {
  Answer as Signing,
  Making,
  SoftAuthenticator,
} from '@countersign/protocol/testing/authenticator';
import { randomBytes, randomUUID } from 'node:crypto';
import type { Answer, CallOptions, Client } from '../../support/client.js';
import { EXTENDED } from '../../support/voting.js';

/** A key in software, with the id that its authenticator gave it. */
export interface Device extends SoftAuthenticator {
  readonly id: Buffer;
}

export const newDevice = (algorithm: 'ES256' | 'EdDSA' = 'ES256'): Device => ({
  ...softAuthenticator(randomUUID(), algorithm),
  id: randomBytes(16),
});

type Wrongly = Partial<Signing>;

/** How the answers of a device differ from good ones. */
export interface Wrong {
  readonly making?: Partial<Making>;
  readonly signing?: Partial<Signing>;
  readonly statement?: Partial<EnrolmentStatement>;
  /** Further members of the body. */
  readonly body?: object;
}

/** A person at a browser of this origin, with devices. */
export class Holder {
  constructor(
    readonly id: string,
    readonly client: Client,
    readonly origin: string,
    readonly tenant: string,
  ) {}

  offer(): Promise<Answer> {
    return this.client.post('/v2/me/credentials/offer', {}, EXTENDED);
  }

  /** The body of an enrolment of that device for an offer. */
  enrolment(offer: any, device: Device, { making, signing, statement, body }: Wrong = {}) {
    const at = this.#at();
    const { credential, person, issued_at, nonce, options } = offer;
    const signed = this.statementOf({ credential, person, issued_at, nonce }, device);
    const challenge = challengeOf({ ...signed, ...statement });
    const made = registrationOf(device, {
      ...{ challenge: options.challenge, credentialId: device.id, ...at, ...making },
    });
    return {
      registration: {
        id: device.id.toString('base64url'),
        type: 'public-key',
        response: {
          clientDataJSON: made.client_data_json,
          attestationObject: made.attestation_object,
        },
      },
      assertion: { credential, ...device.answer({ challenge, ...at, ...signing }) },
      label: 'Laptop',
      ...body,
    };
  }

  statementOf(
    offer: { credential: string; person: string; issued_at: string; nonce: string },
    { key }: Device,
  ): EnrolmentStatement {
    const of = { issuer: this.origin, tenant: this.tenant, principal: this.id, ...offer };
    return enrolmentStatement(of as never, key);
  }

  /** A device's answer over the CountersignStatement about an enrolment. */
  vouches(
    device: Device,
    credential: string,
    person: string,
    { enrolment, attempt = 1 }: { enrolment: EnrolmentStatement; attempt?: number },
    signing: Partial<Signing> = {},
  ) {
    const of = { issuer: this.origin, tenant: this.tenant, operator: this.id, person, attempt };
    const challenge = challengeOf(countersignStatement(of as never, enrolment));
    return { credential, ...device.answer({ challenge, ...this.#at(), ...signing }) };
  }

  post(path: string, body: object, options: CallOptions = {}): Promise<Answer> {
    return this.client.post(path, body, { ...EXTENDED, ...options });
  }

  send(body: object, options: CallOptions = {}): Promise<Answer> {
    return this.post('/v2/me/credentials', body, options);
  }

  /** Enrols a device, which waits then. */
  async enrol(device: Device, wrong: Wrong = {}) {
    const { body: offer } = await this.offer();
    const answer = await this.send(this.enrolment(offer, device, wrong));
    const enrolment = this.statementOf(offer, device);
    return { answer, id: offer.credential as string, person: offer.person as string, enrolment };
  }

  countersign(id: string, body: object = {}, options: CallOptions = {}): Promise<Answer> {
    return this.post(`/v2/admin/credentials/${id}/countersign`, body, options);
  }

  end(id: string, body: object = { reason: 'replaced' }): Promise<Answer> {
    return this.post(`/v2/credentials/${id}/end`, body);
  }

  /** What one of the person's keys is to sign with a vote. */
  offerOf(request: string, candidate: object, options: CallOptions = {}): Promise<Answer> {
    return this.post(`/v2/requests/${request}/approvals/offer`, candidate, options);
  }

  /** The body of a vote that a device signs for an offer. */
  signed(
    candidate: object,
    { offer, statement, options }: any,
    device: Device,
    wrong: Wrongly = {},
  ) {
    const { challenge } = options;
    return {
      ...candidate,
      offer,
      assertion: {
        credential: statement.credential,
        ...device.answer({ challenge, ...this.#at(), ...wrong }),
      },
    };
  }

  vote(request: string, body: object, options: CallOptions = {}): Promise<Answer> {
    return this.post(`/v2/requests/${request}/approvals`, body, options);
  }

  /** Votes as a person at a browser does: with an offer and its signature. */
  async signs(request: string, candidate: object, device: Device, wrong: Wrongly = {}) {
    const offer = await this.offerOf(request, candidate);
    if (offer.status !== 200) return offer;
    return this.vote(request, this.signed(candidate, offer.body, device, wrong));
  }

  async keys(): Promise<any[]> {
    const { status, body, text } = await this.client.get('/v2/me/credentials', EXTENDED);
    if (status !== 200) throw new Error(`keys were not read: ${text}`);
    return body;
  }

  async stateOf(id: string): Promise<string | null> {
    return (await this.keys()).find(({ credential }) => credential === id)?.state ?? null;
  }

  #at() {
    return { origin: this.origin, rpId: new URL(this.origin).hostname };
  }
}
