import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import type { Instance } from '../../support/instance.js';
import { untilChained } from '../../support/truths.js';

const checkpointsOf = ({ dataDirectory }: Instance) => join(dataDirectory, 'anchor', 'checkpoints');

/** Puts the anchor store of an instance out of reach, as an outage would: decisions wait, everything else goes on. */
export function takeAnchorsAway(instance: Instance): void {
  const store = checkpointsOf(instance);
  renameSync(store, `${store}.away`);
  // A file where its folder was: nothing can be written or read below it, not even by an administrator.
  writeFileSync(store, '');
}

export function bringAnchorsBack(instance: Instance): void {
  const store = checkpointsOf(instance);
  rmSync(store);
  renameSync(`${store}.away`, store);
}

/**
 * Has the anchor store say something else about a tenant's next checkpoint, as a store would that knows another history
 * (protocol §4.2): the next decision meets it. Returns a function that removes the contradiction.
 */
export async function contradictAnchors(
  instance: Instance,
  database: pg.Client,
  tenant: string,
): Promise<() => void> {
  await untilChained(database);
  const { rows } = await database.query<{ folder: string; sequence: string }>(
    `SELECT t.ledger_id || '/' || t.generation AS folder, h.sequence
     FROM tenant t JOIN ledger_head h ON h.tenant = t.tenant WHERE t.tenant = $1`,
    [tenant],
  );
  const { folder = '', sequence = '' } = rows[0] ?? {};
  const root = join(checkpointsOf(instance), folder);
  mkdirSync(root, { recursive: true });
  // A receipt, its event, and any expiries: one of these is the next checkpoint.
  const files = Array.from({ length: 64 }, (_, place) =>
    join(root, `${String(Number(sequence) + 1 + place).padStart(16, '0')}.json`),
  );
  for (const file of files) writeFileSync(file, '{"another":"history"}');
  return () => {
    for (const file of files) rmSync(file);
  };
}
