import type { Child } from './child.js';
import type { LoadFigures, LoadOrder, LoadReply } from './load/generator.js';
import { cpuBelow } from './processes.js';
import type { Cpu } from './processes.js';
import type { Mode, Side } from './side.js';

/** One side under one number of clients, once. */
export interface Measurement {
  readonly mode: Mode;
  readonly clients: number;
  readonly round: number;
  readonly lifecyclesPerSecond: number;
  readonly steps: LoadFigures['steps'];
  /** Status reads for one lifecycle. */
  readonly reads: number;
  /** Answers of 503, each followed by another try. */
  readonly busy: number;
  /** CPU milliseconds for one lifecycle; the figure that neighbours on the machine disturb least. */
  readonly cpu: Cpu & { readonly client: number };
}

/**
 * Lets the generator drive a side for a while; returns the result, with the CPU time that the side took. `began` is told
 * when the time that counts begins.
 */
export async function drive(
  generator: Child,
  side: Side,
  order: Omit<LoadOrder, 'target'>,
  began: () => void = () => {},
): Promise<LoadFigures & { readonly cpu: Cpu }> {
  generator.send({ ...order, target: side.target } satisfies LoadOrder);
  checked(await generator.next<LoadReply>(), side);
  began();
  const before = cpuBelow(side.roots);
  const reply = checked(await generator.next<LoadReply>(), side);
  const after = cpuBelow(side.roots);
  if (!('figures' in reply))
    throw new Error(`${side.name}: the load generator answered out of turn`);
  return {
    ...reply.figures,
    cpu: {
      service: after.service - before.service,
      database: after.database - before.database,
      stores: after.stores - before.stores,
    },
  };
}

export async function measure(
  generator: Child,
  side: Side,
  round: number,
  order: Omit<LoadOrder, 'target'>,
): Promise<Measurement> {
  const { lifecycles, seconds, steps, reads, busy, cpuMs, cpu } = await drive(
    generator,
    side,
    order,
  );
  if (lifecycles === 0) throw new Error(`${side.name}: no lifecycle was finished in ${seconds} s`);
  return {
    mode: side.name,
    clients: order.clients,
    round,
    lifecyclesPerSecond: lifecycles / seconds,
    steps,
    reads,
    busy,
    cpu: {
      service: cpu.service / lifecycles,
      database: cpu.database / lifecycles,
      stores: cpu.stores / lifecycles,
      client: cpuMs / lifecycles,
    },
  };
}

function checked(reply: LoadReply, side: Side): Exclude<LoadReply, { error: string }> {
  if ('error' in reply) throw new Error(`${side.name}: ${reply.error}`);
  return reply;
}
