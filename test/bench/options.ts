import { parseArgs } from 'node:util';
import { MODES } from './side.js';
import type { Mode } from './side.js';

export interface BenchOptions {
  readonly modes: readonly Mode[];
  readonly clients: readonly number[];
  readonly rounds: number;
  readonly seconds: number;
  readonly pauseMs: number;
  /** How long the one process is left alone before its memory is read, seconds. */
  readonly idleSeconds: number;
  /** The longest load of a side before its first measurement. */
  readonly warmSeconds: number;
  readonly profile: boolean;
  readonly json: string | null;
}

/** A command line without a meaning. */
export class WrongOption extends Error {}

/** Null for --help. Throws WrongOption. */
export function readOptions(args: readonly string[]): BenchOptions | null {
  const values = parsed(args);
  if (values.help) return null;
  const { quick } = values;
  const profile = values.profile !== undefined;
  if (profile && values.profile !== 'all') throw new WrongOption('--profile knows only "all".');
  return {
    modes: modesOf(values.modes),
    clients: values.clients.split(',').map((text) => numberOf('clients', text, 1, 512)),
    rounds: numberOf('rounds', values.rounds ?? (quick ? '1' : '3'), 1, 100),
    seconds: numberOf(
      'seconds',
      values.seconds ?? (quick ? '1.2' : profile ? '15' : '6'),
      0.1,
      600,
    ),
    pauseMs: numberOf('pause', values.pause, 1, 1000),
    idleSeconds: quick ? 2 : 8,
    warmSeconds: quick ? 3 : 15,
    profile,
    json: values.json ?? null,
  };
}

function parsed(args: readonly string[]) {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        modes: { type: 'string', default: MODES.join(',') },
        clients: { type: 'string', default: '1,8,32' },
        rounds: { type: 'string' },
        seconds: { type: 'string' },
        pause: { type: 'string', default: '5' },
        profile: { type: 'string' },
        json: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    return values;
  } catch (error) {
    throw new WrongOption((error as Error).message);
  }
}

function modesOf(text: string): Mode[] {
  return text.split(',').map((name) => {
    const mode = MODES.find((known) => known === name);
    if (mode === undefined)
      throw new WrongOption(`--modes knows ${MODES.join(', ')}, not "${name}".`);
    return mode;
  });
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (text.trim() !== '' && value >= least && value <= most) return value;
  throw new WrongOption(`--${name} must be from ${least} to ${most}, not "${text}".`);
}
