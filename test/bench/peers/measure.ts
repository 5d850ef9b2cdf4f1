import { setTimeout as delay } from 'node:timers/promises';
import { cpuBelow } from '../processes.js';
import { figuresOf } from '../load/latencies.js';
import type { Caller, Decision, System } from './system.js';

/** Approvals in a closed loop. */
export interface Approvals {
  readonly clients: number;
  readonly perSecond: number;
  /** From the decision until the producer has read it, milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** Processor time of an approval, milliseconds: the system and its stores. */
  readonly cpuMs: number;
}

/** Two people who decide the opposite at the same moment. */
export interface Conflicts {
  readonly pairs: number;
  /** Both were told that their decision was accepted. */
  readonly bothTold: number;
  readonly ranTwice: number;
  /** The action followed another decision than the result, or an approved action did not run. */
  readonly ranWrongly: number;
}

/** Clients are under way by then. */
const RAMP_MS = 1200;
/** Actions that follow the result are over by then. */
const SETTLE_MS = 20;

export async function measureApprovals(
  system: System,
  clients: number,
  seconds: number,
): Promise<Approvals> {
  const callers = await Promise.all(Array.from({ length: clients }, () => system.open()));
  const waits: number[] = [];
  let [counts, ended, approvals] = [false, false, 0];
  const loops = callers.map(async (caller) => {
    while (!ended) {
      const id = await caller.file(false);
      await caller.prepare(id, 'approve');
      const began = performance.now();
      await caller.decide(id, 'approve');
      const result = await caller.result(id);
      if (result !== 'approve') throw new Error(`approved, and the result is ${result}`);
      if (!counts) continue;
      waits.push(performance.now() - began);
      approvals += 1;
    }
  });
  const failure = Promise.all(loops);
  await Promise.race([delay(RAMP_MS), failure]);
  counts = true;
  const [began, before] = [performance.now(), cpuOf(system)];
  await Promise.race([delay(seconds * 1000), failure]);
  counts = false;
  const [took, cpuMs] = [(performance.now() - began) / 1000, cpuOf(system) - before];
  const times = figuresOf(waits, 0);
  ended = true;
  await failure;
  for (const caller of callers) caller.close();
  if (times === null) throw new Error(`no approval within ${seconds} s`);
  const { p50, p99 } = times;
  return { clients, perSecond: approvals / took, p50, p99, cpuMs: cpuMs / approvals };
}

export async function measureConflicts(system: System, pairs: number): Promise<Conflicts> {
  const people = (await Promise.all([system.open(), system.open()])) as [Caller, Caller];
  const [asks] = people;
  let [bothTold, ranTwice, ranWrongly] = [0, 0, 0];
  for (let pair = 0; pair < pairs; pair += 1) {
    const id = await asks.file(true);
    const decisions: [Decision, Decision] = ['approve', 'reject'];
    for (const [at, person] of people.entries()) await person.prepare(id, decisions[at]!);
    const told = await Promise.all(people.map((person, at) => person.decide(id, decisions[at]!)));
    const result = await asks.result(id);
    await delay(SETTLE_MS);
    const runs = await asks.runs(id);
    if (told.every(Boolean)) bothTold += 1;
    if (runs.length > 1) ranTwice += 1;
    const isMissing = result === 'approve' && runs.length === 0;
    if (isMissing || runs.some((decision) => decision !== result)) ranWrongly += 1;
  }
  for (const person of people) person.close();
  return { pairs, bothTold, ranTwice, ranWrongly };
}

function cpuOf({ roots }: System): number {
  const { service, database, stores } = cpuBelow(roots);
  return service + database + stores;
}
