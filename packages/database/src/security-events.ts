import { Refusal } from '@countersign/protocol';
import type { JsonObject, SecurityKind } from '@countersign/protocol';
import { asked } from './pool.js';
import type { Asking, Pool } from './pool.js';
import { statement } from './statement.js';

/** An event for the security log (protocol R41). The database adds its time and which role inserted it. */
export interface NewSecurityEvent {
  /** The tenant; `INSTALLATION` for events of no tenant. */
  readonly tenant: string;
  readonly kind: SecurityKind;
  /** Null when the actor is not known. */
  readonly actor: { readonly id: string; readonly kind: string } | null;
  /** Id of the principal, route or key that it is about. */
  readonly subject?: string | null;
  readonly requestId?: string | null;
  /** Names, counts and digests only: never private material, a token or a value of a configuration. */
  readonly detail?: JsonObject;
}

const COLUMNS = 'tenant, kind, actor, actor_kind, subject, request_id, detail';

export const SAVE_SECURITY_EVENTS = statement(
  'security.save-events',
  `INSERT INTO security_event (${COLUMNS})
  SELECT e.tenant, e.kind, e.actor, e.actor_kind, e.subject, e.request_id, e.detail::jsonb
  FROM unnest(:tenants::text[], :kinds::text[], :actors::text[], :actor_kinds::text[], :subjects::text[],
    :request_ids::uuid[], :details::text[]) WITH ORDINALITY AS e (${COLUMNS}, place) ORDER BY e.place`,
  { about: 'all' },
);

/**
 * Inserts events by a connection that acts as a service's role, in its transaction when it has one. The role may insert
 * only the kinds that it is the source of.
 */
export async function saveSecurityEvents(
  client: Asking,
  events: readonly NewSecurityEvent[],
): Promise<void> {
  const values = {
    tenants: events.map(({ tenant }) => tenant),
    kinds: events.map(({ kind }) => kind),
    actors: events.map(({ actor }) => actor?.id ?? null),
    actor_kinds: events.map(({ actor }) => actor?.kind ?? null),
    subjects: events.map(({ subject }) => subject ?? null),
    request_ids: events.map(({ requestId }) => requestId ?? null),
    details: events.map(({ detail }) => JSON.stringify(detail ?? {})),
  };
  await client.query(asked(SAVE_SECURITY_EVENTS, values));
}

/** Records a command that was run with the database's own credentials: the actor is its login. */
export async function saveCommandEvent(
  client: Asking,
  event: Omit<NewSecurityEvent, 'actor'>,
): Promise<void> {
  const { rows } = await client.query<{ login: string }>({
    text: 'SELECT session_user::text AS login',
  });
  const actor = { id: rows[0]?.login ?? 'unknown', kind: 'command' };
  await saveSecurityEvents(client, [{ ...event, actor }]);
}

/** As many as one INSERT takes. */
const AT_ONCE = 200;
/** More callers than this cannot wait for one database: the others are refused at once. */
const MOST_WAITING = 5000;

interface Waiting {
  readonly event: NewSecurityEvent;
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Notes events of reads, which have no transaction of their own. Events that come while others are on their way travel
 * together in the next statement, so that a read costs one more round trip and a busy service few commits.
 */
export class SecurityJournal {
  #waiting: Waiting[] = [];
  #writing = false;

  constructor(private readonly pool: Pool) {}

  /**
   * Resolves once the event is committed. Rejects when it is not: the data that the event is about must not be returned
   * then.
   */
  note(event: NewSecurityEvent): Promise<void> {
    if (this.#waiting.length >= MOST_WAITING) {
      return Promise.reject(new Refusal('service_unavailable'));
    }
    return new Promise((done, failed) => {
      this.#waiting.push({ event, done, failed });
      if (!this.#writing) void this.#write();
    });
  }

  async #write(): Promise<void> {
    this.#writing = true;
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, AT_ONCE);
      try {
        await saveSecurityEvents(
          this.pool.acrossTenants,
          batch.map(({ event }) => event),
        );
        for (const { done } of batch) done();
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    this.#writing = false;
  }
}
