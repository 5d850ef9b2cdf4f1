import type { Pool } from '@countersign/database';
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

/** The events that the gateway records for the security log beside its other statements. */
export function securityEventStore(pool: Pool, rows: Rows) {
  return {
    /** The login of a person whom a tenant knows: into the tenant's own chain. */
    async noteRefusal({ tenant, principal }: PersonEntry, reason: string): Promise<void> {
      await rows(
        pool.of(tenant),
        'note-refusal',
        `INSERT INTO security_event (tenant, kind, actor, actor_kind, subject, detail)
         VALUES ($1, 'login.refused', $2, 'human', $2, jsonb_build_object('reason', $3::text))`,
        [tenant, principal, reason],
      );
    },

    /** A confirmation that was refused for want of a fresh login. */
    async noteStepUp({ tenant, principal }: PersonEntry, route: string): Promise<void> {
      await rows(
        pool.of(tenant),
        'note-step-up',
        `INSERT INTO security_event (tenant, kind, actor, actor_kind, subject)
         VALUES ($1, 'step_up.required', $2, 'human', $3)`,
        [tenant, principal, route],
      );
    },

    /** Of callers whom no tenant knows: into the chain of the installation. */
    async addRefusals(counts: readonly RefusalCount[]): Promise<void> {
      await rows(
        pool.of(INSTALLATION),
        'add-refusals',
        `INSERT INTO security_event (tenant, kind, detail)
         SELECT '${INSTALLATION}', c.kind, jsonb_build_object('reason', c.reason, 'address', c.address, 'count', c.count)
         FROM unnest($1::text[], $2::text[], $3::text[], $4::integer[]) AS c (kind, reason, address, count)`,
        [
          counts.map(({ kind }) => kind),
          counts.map(({ reason }) => reason),
          counts.map(({ address }) => address),
          counts.map(({ count }) => count),
        ],
      );
    },
  };
}
