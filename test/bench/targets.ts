import type { Figures } from './figures.js';
import type { Mode } from './side.js';

/** The start of the one process, and its resources without calls. */
export interface StartFigures {
  /** Until `ready`, milliseconds: on an empty database, and once more on its data. */
  readonly firstMs: number;
  readonly warmMs: number;
  readonly idleMb: number;
  readonly launcherMb: number;
}

/** A target; `value` is null where it was not measured. */
export interface Target {
  readonly name: string;
  readonly aim: string;
  readonly value: number | null;
  readonly reached: boolean | null;
}

const BUSY_CLIENTS = 32;
const CALM_CLIENTS = 8;
const LEAST_THROUGHPUT = { all: 0.6, split: 0.42 } as const;
const MOST_ADMISSION_P99 = 2.5;
const MOST_GRANT_MS = 50;
const MOST_START_S = 10;
const MOST_IDLE_MB = 350;

export function judge(figures: readonly Figures[], start: StartFigures | null): Target[] {
  const find = (mode: Mode, clients: number): Figures | undefined =>
    figures.find((of) => of.mode === mode && of.clients === clients);
  const products = (['all', 'split'] as const).flatMap((mode) => {
    const busy = find(mode, BUSY_CLIENTS)?.ratios;
    const grant = find(mode, CALM_CLIENTS)?.steps.available?.p50;
    return [
      atLeast(
        `${mode}: throughput at ${BUSY_CLIENTS} clients, of the yardstick's`,
        LEAST_THROUGHPUT[mode],
        busy?.throughput,
      ),
      atMost(
        `${mode}: p99 of admission at ${BUSY_CLIENTS} clients, of the yardstick's`,
        MOST_ADMISSION_P99,
        busy?.p99.admit,
      ),
      atMost(
        `${mode}: confirmation to available grant at ${CALM_CLIENTS} clients, p50 in ms`,
        MOST_GRANT_MS,
        grant,
      ),
    ];
  });
  return [
    ...products,
    atMost('warm npm start until ready, in s', MOST_START_S, start && start.warmMs / 1000),
    atMost('idle memory of the one process, in MB', MOST_IDLE_MB, start?.idleMb),
  ];
}

function atLeast(name: string, least: number, value: number | null | undefined): Target {
  const known = value ?? null;
  return {
    name,
    aim: `>= ${least}`,
    value: known,
    reached: known === null ? null : known >= least,
  };
}

function atMost(name: string, most: number, value: number | null | undefined): Target {
  const known = value ?? null;
  return { name, aim: `<= ${most}`, value: known, reached: known === null ? null : known <= most };
}
