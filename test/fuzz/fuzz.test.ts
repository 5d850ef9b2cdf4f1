import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { fuzz, report } from './fuzzer.js';

/** Set by `npm run fuzz`; otherwise a few thousand calls, the same choices every time. */
const { FUZZ_CALLS = '5000', FUZZ_SEED = '20261120', FUZZ_CROWD = '1' } = process.env;
const { FUZZ_PATH: path, FUZZ_ALL: all } = process.env;
const calls = Number(FUZZ_CALLS);
const seed = Number(FUZZ_SEED);
const crowd = Number(FUZZ_CROWD);
const isCrowd = crowd > 1;

let instance: Instance;
beforeAll(async () => {
  instance = await startInstance(isCrowd ? { split: true, replicas: 2 } : {});
});
afterAll(async () => {
  await instance?.stop();
});

it(
  'answers whatever is sent as the description says, and refuses without an effect',
  async () => {
    const say = (line: string) => process.stderr.write(`${line}\n`);
    const results = await Promise.all(
      Array.from({ length: crowd }, (_, place) =>
        fuzz(instance, {
          calls: Math.ceil(calls / crowd),
          seed: seed + place,
          path,
          all: isCrowd || all !== undefined,
          crowded: isCrowd,
          say,
        }),
      ),
    );
    results.forEach((result, place) => say(report(result, seed + place)));
    const findings = results.flatMap((result) => result.findings);
    expect(findings.map(({ signature }) => signature)).toEqual([]);
    // A path leads to one chain alone, and few calls need not reach everything.
    const [alone] = results;
    if (path === undefined && !isCrowd && calls >= 5000)
      expect(alone?.tally.neverSucceeded()).toEqual([]);
  },
  120_000 + calls * 100,
);
