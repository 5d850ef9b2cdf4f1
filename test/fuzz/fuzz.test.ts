import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { fuzz, report } from './fuzzer.js';

/** Set by `npm run fuzz`; otherwise a few thousand calls, the same choices every time. */
const { FUZZ_CALLS = '5000', FUZZ_SEED = '20261120', FUZZ_PATH: path, FUZZ_ALL: all } = process.env;
const calls = Number(FUZZ_CALLS);
const seed = Number(FUZZ_SEED);

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance();
}, 120_000);
afterAll(async () => {
  await instance?.stop();
}, 60_000);

it(
  'answers whatever is sent as the description says, and refuses without an effect',
  async () => {
    const say = (line: string) => process.stderr.write(`${line}\n`);
    const result = await fuzz(instance, { calls, seed, path, all: all !== undefined, say });
    say(report(result, seed));
    expect(result.findings.map(({ signature }) => signature)).toEqual([]);
    // A path leads to one chain alone, and few calls need not reach everything.
    if (path === undefined && calls >= 5000) expect(result.tally.neverSucceeded()).toEqual([]);
  },
  120_000 + calls * 100,
);
