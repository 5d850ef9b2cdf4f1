import { statements } from '@countersign/database';
import { INSTALLATION } from '@countersign/protocol';

import type { PersonEntry } from './person.js';
import type { Rows } from './rows.js';

/** Refusals of one kind, for one reason, to one network of callers. */
export interface RefusalCount {
  readonly kind: 'login.refused' | 'credential.refused';
  readonly reason: string;
  /** Digest of the caller's network; null for those that found no room of their own. */
  readonly address: string | null;
  readonly count: number;
}

export const NOTES = statements('gateway', {
  noteRefusal: `INSERT INTO security_event (tenant, kind, actor, actor_kind, subject, detail)
    VALUES ($1, 'login.refused', :principal, 'human', :principal, jsonb_build_object('reason', :reason::text))`,
  noteStepUp: `INSERT INTO security_event (tenant, kind, actor, actor_kind, subject)
    VALUES ($1, 'step_up.required', :principal, 'human', :route)`,
  addRefusals: `INSERT INTO security_event (tenant, kind, detail)
    SELECT $1, c.kind, jsonb_build_object('reason', c.reason, 'address', c.address, 'count', c.count)
    FROM unnest(:kinds::text[], :reasons::text[], :addresses::text[], :counts::integer[]) AS c (kind, reason, address, count)`,
});

/** The events that the gateway records for the security log beside its other statements. */
export function securityEventStore(rows: Rows) {
  return {
    /** The login of a person whom a tenant knows: into the tenant's own chain. */
    async noteRefusal({ tenant, principal }: PersonEntry, reason: string): Promise<void> {
      await rows(NOTES.noteRefusal, { tenant, principal, reason });
    },

    /** A confirmation that was refused for want of a fresh login. */
    async noteStepUp({ tenant, principal }: PersonEntry, route: string): Promise<void> {
      await rows(NOTES.noteStepUp, { tenant, principal, route });
    },

    /** Of callers whom no tenant knows: into the chain of the installation. */
    async addRefusals(counts: readonly RefusalCount[]): Promise<void> {
      await rows(NOTES.addRefusals, {
        tenant: INSTALLATION,
        kinds: counts.map(({ kind }) => kind),
        reasons: counts.map(({ reason }) => reason),
        addresses: counts.map(({ address }) => address),
        counts: counts.map(({ count }) => count),
      });
    },
  };
}
