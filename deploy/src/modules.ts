import { SCHEMA_SUBJECT, SchemaChecks, firstSchemaAnswer } from '@countersign/platform';
import type { Module, Registry } from '@countersign/platform';
import { busModule, createBusContext, subscriptionsModule } from './bus-context.js';
import type { ProcessInputs } from './bus-context.js';
import { schemaGate } from './schema-gate.js';
import { createProcessContext } from './process-context.js';
import { TARGETS, rightsOf, rowOf, takerOf } from './targets.js';
import type { Target, TargetRow } from './targets.js';

export interface Assembled {
  readonly modules: Module[];
  /** Where the metrics of the process are. */
  readonly metrics: Registry;
}

/** Assembles the modules of a process, the same ones whether it runs one target or all. */
export async function assemble(
  inputs: ProcessInputs,
  targets: readonly Target[],
): Promise<Assembled> {
  const [name = ''] = targets.length === 1 ? targets : ['countersign'];
  const may = rightsOf(targets);
  // All of them use the gateway's login for the common tables (docs/operations.md, "Database").
  const role = may.roles.find((of) => of === 'gateway') ?? may.roles[0];
  const rows = TARGETS.filter((target) => targets.includes(target)).map(rowOf);
  if (role === undefined) {
    const context = await createBusContext(inputs, name, may, null);
    const modules = [busModule(context)];
    for (const row of rows) {
      if (row.role === null) modules.push(...(await (await row.load()).build(context)));
    }
    modules.push(subscriptionsModule(context));
    return { modules, metrics: context.metrics };
  }
  const listens = rows.some((row) => row.listens);
  const context = await createProcessContext(inputs, { name, role, may, listens, takerOf });
  try {
    const { log, stopping } = inputs;
    const modules: Module[] = [
      context.connections,
      context.signingKeys,
      context.queues,
      schemaGate(context.pool(role), log, stopping),
      context.clockReader,
    ];
    if (rows.some(({ calls }) => calls.includes(SCHEMA_SUBJECT)) && !targets.includes('schema'))
      modules.push(firstSchemaAnswer(new SchemaChecks(context.bus), { log, stopping }));
    const build = async (row: TargetRow) => (await row.load()).build(context);
    for (const row of rows.filter((each) => !each.listens)) modules.push(...(await build(row)));
    modules.push(subscriptionsModule(context));
    for (const row of rows.filter((each) => each.listens)) modules.push(...(await build(row)));
    return { modules, metrics: context.metrics };
  } catch (error) {
    await context.connections.stop();
    throw error;
  }
}
