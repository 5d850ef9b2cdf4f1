import type { Module, Registry } from '@countersign/platform';
import { busModule, link } from './linked.js';
import type { Surroundings } from './linked.js';
import { schemaGate } from './schema-gate.js';
import { share } from './shared.js';
import { TARGETS, rightsOf, rowOf, takerOf } from './targets.js';
import type { Target } from './targets.js';

export interface Assembled {
  readonly modules: Module[];
  /** Where the metrics of the process are. */
  readonly metrics: Registry;
}

/** Every module of a process, the same ones whether it runs one target or all. */
export async function assemble(
  surroundings: Surroundings,
  targets: readonly Target[],
): Promise<Assembled> {
  const [name = ''] = targets.length === 1 ? targets : ['countersign'];
  const may = rightsOf(targets);
  // All of them use the gateway's login for what they have in common (docs/operations.md, "Database").
  const role = may.roles.find((of) => of === 'gateway') ?? may.roles[0];
  const rows = TARGETS.filter((target) => targets.includes(target)).map(rowOf);
  if (role === undefined) {
    const linked = await link(surroundings, name, may, null);
    const modules = [busModule(linked)];
    for (const row of rows) {
      if (row.role === null) modules.push(...(await (await row.load()).build(linked)));
    }
    return { modules, metrics: linked.metrics };
  }
  const shared = await share(surroundings, { name, role, may, takerOf });
  try {
    const { log, stopping } = surroundings;
    const modules: Module[] = [
      shared.connections,
      shared.signingKeys,
      shared.queues,
      schemaGate(shared.pool(role), log, stopping),
      shared.clockReader,
    ];
    for (const row of rows) modules.push(...(await (await row.load()).build(shared)));
    return { modules, metrics: shared.metrics };
  } catch (error) {
    await shared.connections.stop();
    throw error;
  }
}
