import { parseArgs } from 'node:util';
import { WrongOption } from '../options.js';

export const HELP = `npm run bench -- growth [--requests 1000000] [--repetitions 300] [--json FILE] [--plans FILE]
  Whether calls slow down as a tenant grows: the product twice, each all in one process on a database of its own, one with
  a tenant of 1000 requests and one with so many. Every call is measured on both in turn.

  --requests N     of the large tenant (default 1000000; 5000 is a quick look, a minute or so)
  --repetitions N  measurements of each call and side (default 300)
  --json FILE      write every figure there
  --plans FILE     write the plans of the main queries on the large tenant there, as Markdown`;

/** Requests of the small tenant, and of the large one when its statements were first prepared. */
export const SMALL = 1000;

export interface GrowthOptions {
  readonly requests: number;
  readonly repetitions: number;
  readonly json: string | null;
  readonly plans: string | null;
}

/** Null for --help. Throws WrongOption. */
export function readGrowthOptions(args: readonly string[]): GrowthOptions | null {
  const values = parsed(args);
  if (values.help) return null;
  return {
    requests: numberOf('requests', values.requests, 2 * SMALL, 10_000_000),
    repetitions: numberOf('repetitions', values.repetitions, 10, 400),
    json: values.json ?? null,
    plans: values.plans ?? null,
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        requests: { type: 'string', default: '1000000' },
        repetitions: { type: 'string', default: '300' },
        json: { type: 'string' },
        plans: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    throw new WrongOption((error as Error).message);
  }
}

function numberOf(name: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new WrongOption(
    `--${name} must be a whole number from ${least} to ${most}, not "${text}".`,
  );
}
