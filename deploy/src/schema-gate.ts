import { setTimeout as delay } from 'node:timers/promises';
import { migrationStatus } from '@countersign/database';
import type { MigrationStatus } from '@countersign/database';
import type { Logger, Module } from '@countersign/platform';
import type { Pool } from '@countersign/database';

const AGAIN_MS = 2000;

/**
 * Lets nothing start before the database has this release's schema. A later release's is as good: migrations only add
 * until no process needs the old shape (docs/decisions). The reason to wait is logged once, not at every check.
 */
export function schemaGate(pool: Pool, log: Logger, stopping?: AbortSignal): Module {
  return {
    name: 'schema',
    async start() {
      let told: string | null = null;
      while (stopping?.aborted !== true) {
        const lacking = await lackingOf(pool);
        if (lacking === null) return;
        if (lacking.what !== told) log.warn({ ...lacking.details }, lacking.what);
        told = lacking.what;
        await delay(AGAIN_MS, undefined, stopping && { signal: stopping }).catch(() => {});
      }
    },
    stop: async () => {},
  };
}

interface Lacking {
  readonly what: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Null when the database can be worked with. */
async function lackingOf(pool: Pool): Promise<Lacking | null> {
  let status: MigrationStatus;
  try {
    status = await migrationStatus(pool);
  } catch (error) {
    return {
      what: 'waiting for the database: it cannot be reached, or does not let this service in',
      details: { err: error },
    };
  }
  const { state, pending, problem } = status;
  if (state === 'older') {
    return {
      what: 'waiting for the database’s schema: run `countersign migrate` of this release',
      details: { pending },
    };
  }
  if (state === 'refused') {
    return { what: 'waiting: the history of the database’s schema is wrong', details: { problem } };
  }
  return null;
}
