import { STEPS } from './load/lifecycle.js';
import type { Step } from './load/lifecycle.js';
import type { Measurement } from './measure.js';
import type { Mode } from './side.js';

/** Milliseconds. */
export interface Times {
  readonly p50: number;
  readonly p99: number;
}

/** One mode under one number of clients: medians over the rounds. */
export interface Figures {
  readonly mode: Mode;
  readonly clients: number;
  readonly lifecyclesPerSecond: number;
  readonly steps: Partial<Record<Step, Times>>;
  /** Mean bytes of an answer. */
  readonly bytes: Partial<Record<Step, number>>;
  readonly cpu: Measurement['cpu'];
  readonly reads: number;
  readonly busy: number;
  /** To the yardstick's measurement just before; null without one. */
  readonly ratios: Ratios | null;
}

export interface Ratios {
  readonly throughput: number;
  readonly p50: Partial<Record<Step, number>>;
  readonly p99: Partial<Record<Step, number>>;
  /** CPU time of service, database and stores together. */
  readonly cpu: number;
}

/** In the order in which modes and numbers of clients were measured first. */
export function figuresOf(measurements: readonly Measurement[]): Figures[] {
  const groups = new Map<string, Measurement[]>();
  for (const measured of measurements) {
    const name = `${measured.mode} ${measured.clients}`;
    groups.set(name, [...(groups.get(name) ?? []), measured]);
  }
  return [...groups.values()].map((group) => summary(group, measurements));
}

function summary(group: readonly Measurement[], all: readonly Measurement[]): Figures {
  const { mode, clients } = group[0] as Measurement;
  const middle = (value: (of: Measurement) => number): number => median(group.map(value));
  const pairs = group.flatMap((measured) => {
    const before = all[all.indexOf(measured) - 1];
    return mode !== 'yardstick' && before?.mode === 'yardstick'
      ? [[measured, before] as const]
      : [];
  });
  return {
    mode,
    clients,
    lifecyclesPerSecond: middle((of) => of.lifecyclesPerSecond),
    steps: everyStep((step) => {
      const of = group.flatMap(({ steps }) => steps[step] ?? []);
      if (of.length === 0) return undefined;
      return { p50: median(of.map(({ p50 }) => p50)), p99: median(of.map(({ p99 }) => p99)) };
    }),
    bytes: everyStep((step) => {
      const of = group.flatMap(({ steps }) => steps[step]?.bytes ?? []);
      return of.length === 0 ? undefined : median(of);
    }),
    cpu: {
      service: middle(({ cpu }) => cpu.service),
      database: middle(({ cpu }) => cpu.database),
      stores: middle(({ cpu }) => cpu.stores),
      client: middle(({ cpu }) => cpu.client),
    },
    reads: middle(({ reads }) => reads),
    busy: group.reduce((sum, { busy }) => sum + busy, 0),
    ratios: pairs.length === 0 ? null : ratiosOf(pairs),
  };
}

type Pair = readonly [product: Measurement, yardstick: Measurement];

function ratiosOf(pairs: readonly Pair[]): Ratios {
  const middle = (value: (of: Measurement) => number): number =>
    median(pairs.map(([product, yardstick]) => value(product) / value(yardstick)));
  const ofTimes = (which: 'p50' | 'p99') =>
    everyStep((step) => {
      const known = pairs.every(([a, b]) => a.steps[step] && b.steps[step]);
      return known ? middle(({ steps }) => steps[step]?.[which] ?? NaN) : undefined;
    });
  return {
    throughput: middle(({ lifecyclesPerSecond }) => lifecyclesPerSecond),
    p50: ofTimes('p50'),
    p99: ofTimes('p99'),
    cpu: middle(({ cpu }) => cpu.service + cpu.database + cpu.stores),
  };
}

function everyStep<T>(value: (step: Step) => T | undefined): Partial<Record<Step, T>> {
  const entries = STEPS.map((step) => [step, value(step)] as const);
  return Object.fromEntries(entries.filter(([, of]) => of !== undefined));
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1
    ? (sorted[Math.floor(middle)] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}
