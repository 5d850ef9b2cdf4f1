import type pg from 'pg';
import {
  acrossTenants,
  acrossTenantsWithin,
  asked,
  bodyDigest,
  openIncident,
  savedAnswer,
  statements,
} from '@countersign/database';
import type { NewAnswer, Statement, Values } from '@countersign/database';
import type {
  Assertion,
  Credential,
  EnrolmentStatement,
  RegisteredKey,
} from '@countersign/protocol';

/** A key of a person as it is kept (protocol §19.4). */
export interface KeptKey extends Credential, RegisteredKey {
  /** The service's name of it. */
  readonly id: string;
  readonly principal: string;
  readonly label: string;
  readonly enrolment: Enrolment;
  /** The signed text of the CredentialBound in force; null while it waits. */
  readonly bound: string | null;
  /** The signed texts of the keys that vouched for it, for the one that did so, and so on, as they were then. */
  readonly vouchedBy: readonly string[];
}

export type Enrolment = Assertion & { readonly statement: EnrolmentStatement };

/** An enrolment that was begun. */
export interface BegunEnrolment {
  readonly credential: string;
  readonly person: string;
  readonly challenge: string;
  readonly nonce: string;
  /** Epoch milliseconds. */
  readonly issuedAt: number;
}

const MS = (column: string) => `floor(extract(epoch FROM ${column}) * 1000)::float8`;

const COLUMNS = `id, credential_id, principal, person, public_key, algorithm, aaguid, device_bound, label, state,
  counter::float8 AS counter, attempts, enrolment, ${MS('enrolled_at')} AS "enrolledAt", bound, vouched_by AS "vouchedBy"`;

export const KEYS = statements('request', {
  key: `SELECT ${COLUMNS} FROM credential_bound WHERE tenant = $1 AND id = :id::uuid`,
  keysOfPerson: `SELECT ${COLUMNS} FROM credential_bound WHERE tenant = $1 AND person = :person AND person <> ''
  ORDER BY enrolled_at DESC, id LIMIT :most`,
  hasCounted: `SELECT tenant FROM credential_bound WHERE tenant = $1 AND state <> 'waiting' LIMIT 1`,
  keyOfAuthenticator: acrossTenants(
    `SELECT ${COLUMNS} FROM credential_bound WHERE credential_id = :credential_id`,
  ),
  forgetKeyOfAuthenticator: acrossTenants(
    `DELETE FROM credential_bound WHERE credential_id = :credential_id AND state = 'waiting'`,
  ),
  saveKey: `INSERT INTO credential_bound (tenant, id, credential_id, principal, person, public_key, algorithm, aaguid, device_bound,
    label, state, counter, enrolment, enrolled_at)
  VALUES ($1, :id::uuid, :credential_id, :principal, :person, :public_key, :algorithm, :aaguid, :device_bound,
    :label, 'waiting', :counter::bigint, :enrolment, :enrolled_at::timestamptz)
  ON CONFLICT (credential_id) DO NOTHING RETURNING id`,
  moveKey: `UPDATE credential_bound SET state = :state, counter = :counter::bigint, attempts = :attempts,
    bound = coalesce(:bound, bound), vouched_by = coalesce(:vouched_by::text[], vouched_by), ended = :ended
  WHERE tenant = $1 AND id = :id::uuid`,
  endingAsEvidence: `INSERT INTO request_evidence (tenant, request_id, digest, type, record)
  SELECT DISTINCT $1, a.request_id, :digest, 'CredentialEnded', :ended FROM (
    SELECT x.request_id FROM approval x WHERE x.tenant = $1 AND x.credential = :id AND x.credential IS NOT NULL
      AND x.approved_at > '-infinity' ORDER BY x.approved_at OFFSET 0
  ) a
  ON CONFLICT (tenant, request_id, digest) DO NOTHING`,
  forgetKey: `DELETE FROM credential_bound WHERE tenant = $1 AND id = :id::uuid AND state = 'waiting'`,
  forgetWaiting: `DELETE FROM credential_bound WHERE tenant = $1 AND principal = :principal AND principal <> ''
  AND state = 'waiting'`,
  handle: 'SELECT handle FROM user_handle WHERE tenant = $1 AND person = :person',
  saveHandle: `INSERT INTO user_handle (tenant, person, handle) VALUES ($1, :person, :handle)
  ON CONFLICT (tenant, person) DO NOTHING`,
  beginEnrolment: `INSERT INTO enrolment_offer (tenant, principal, credential, person, challenge, nonce, issued_at)
  VALUES ($1, :principal, :credential::uuid, :person, :challenge, :nonce, :issued_at::timestamptz)
  ON CONFLICT (tenant, principal) DO UPDATE SET credential = EXCLUDED.credential, person = EXCLUDED.person,
    challenge = EXCLUDED.challenge, nonce = EXCLUDED.nonce, issued_at = EXCLUDED.issued_at`,
  takeEnrolment: `DELETE FROM enrolment_offer WHERE tenant = $1 AND principal = :principal AND credential = :credential::uuid
  RETURNING credential, person, challenge, nonce, ${MS('issued_at')} AS "issuedAt"`,
  keyCloned: openIncident({ code: "'credential_cloned'", from: '(SELECT 1) x' }),
  storedAnswer: `SELECT digest AS replay_digest, status AS replay_status, result AS replay_result FROM idempotency
  WHERE tenant = $1 AND principal = :caller AND operation = :operation AND key = :key`,
  saveAnswer: savedAnswer(),
});

/** A stored answer, if there is one. */
export interface ReplayRow {
  readonly replay_digest: string | null;
  readonly replay_status: number | null;
  readonly replay_result: string | null;
}

/** Keys of people, as one transaction of the directory sees and moves them. */
export class Keys {
  constructor(
    private readonly client: pg.PoolClient,
    private readonly tenant: string,
  ) {}

  #ask<Row extends object>(statement: Statement, values: Values) {
    return this.client.query<Row>(asked(statement, { tenant: this.tenant, ...values }));
  }

  async get(id: string): Promise<KeptKey | null> {
    const { rows } = await this.#ask<KeptKey>(KEYS.key, { id });
    return rows[0] ?? null;
  }

  /** The newest first. */
  async ofPerson(person: string, most: number): Promise<KeptKey[]> {
    return (await this.#ask<KeptKey>(KEYS.keysOfPerson, { person, most })).rows;
  }

  /** Whether a key of the tenant has ever been vouched for. */
  async haveCounted(): Promise<boolean> {
    return (await this.#ask(KEYS.hasCounted, {})).rows.length > 0;
  }

  /** The key that an authenticator names so, of any tenant: a key is one person's. */
  async named(credentialId: string): Promise<KeptKey | null> {
    const { rows } = await acrossTenantsWithin(this.client, this.tenant, () =>
      this.client.query<KeptKey>(asked(KEYS.keyOfAuthenticator, { credential_id: credentialId })),
    );
    return rows[0] ?? null;
  }

  /** A key of any tenant that nobody vouched for in time. */
  async forgetNamed(credentialId: string): Promise<void> {
    await acrossTenantsWithin(this.client, this.tenant, () =>
      this.client.query(asked(KEYS.forgetKeyOfAuthenticator, { credential_id: credentialId })),
    );
  }

  /** A key that waits. False where another enrolment, of any tenant, has the same key. */
  async save(key: Omit<KeptKey, 'bound' | 'vouchedBy' | 'state' | 'attempts'>): Promise<boolean> {
    const { enrolledAt, public_key, enrolment, ...columns } = key;
    const { rows } = await this.#ask(KEYS.saveKey, {
      ...columns,
      public_key: JSON.stringify(public_key),
      enrolment: JSON.stringify(enrolment),
      enrolled_at: new Date(enrolledAt),
    });
    return rows.length > 0;
  }

  /** `bound` and `ended`: the texts of new records; `vouchedBy` comes with the former. */
  async move(
    id: string,
    { state, counter, attempts }: Credential,
    {
      bound = null,
      vouchedBy = null,
      ended = null,
    }: {
      bound?: string | null;
      vouchedBy?: readonly string[] | null;
      ended?: string | null;
    } = {},
  ): Promise<void> {
    const records = { bound, vouched_by: vouchedBy, ended };
    await this.#ask(KEYS.moveKey, { id, state, counter, attempts, ...records });
  }

  /** Keeps the end of a key with every request that it signed votes of: their exports have it (protocol §19.5). */
  async keepEnding(id: string, { digest, text }: { digest: string; text: string }): Promise<void> {
    await this.#ask(KEYS.endingAsEvidence, { id, digest, ended: text });
  }

  async forget(id: string): Promise<void> {
    await this.#ask(KEYS.forgetKey, { id });
  }

  /** Of a principal that was disabled. */
  async forgetWaiting(principal: string): Promise<void> {
    await this.#ask(KEYS.forgetWaiting, { principal });
  }

  /** The handle of a person, which is `drawn` where there is none yet. */
  async handle(person: string, drawn: string): Promise<string> {
    await this.#ask(KEYS.saveHandle, { person, handle: drawn });
    const { rows } = await this.#ask<{ handle: string }>(KEYS.handle, { person });
    return rows[0]?.handle ?? drawn;
  }

  /** In the place of an earlier one of the principal. */
  async begin(principal: string, { issuedAt, ...begun }: BegunEnrolment): Promise<void> {
    await this.#ask(KEYS.beginEnrolment, { principal, ...begun, issued_at: new Date(issuedAt) });
  }

  /** The enrolment that the principal began for that key, which nobody takes again. */
  async take(principal: string, credential: string): Promise<BegunEnrolment | null> {
    const { rows } = await this.#ask<BegunEnrolment>(KEYS.takeEnrolment, { principal, credential });
    return rows[0] ?? null;
  }

  async openClonedIncident(): Promise<void> {
    await this.#ask(KEYS.keyCloned, {});
  }

  async answered(call: NewAnswer['call']): Promise<ReplayRow> {
    const { rows } = await this.#ask<ReplayRow>(KEYS.storedAnswer, {
      ...{ caller: call.caller.id, operation: call.scope, key: call.key },
    });
    return rows[0] ?? { replay_digest: null, replay_status: null, replay_result: null };
  }

  async saveAnswer({ call, status, result }: NewAnswer): Promise<void> {
    await this.#ask(KEYS.saveAnswer, {
      ...{ principal: call.caller.id, operation: call.scope, key: call.key, status, result },
      ...{ body_digest: bodyDigest(call.body), record_id: null },
    });
  }
}
