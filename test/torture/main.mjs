#!/usr/bin/env node
// `npm run torture`: the torture of the tests for any time, with any seed and any choice of faults.
import { runCampaign } from '../support/campaign.mjs';

const HELP = `npm run torture -- [options]

Starts two processes of each target on a Postgres with a synchronous standby, three servers of NATS, a Redis with a replica and
a Sentinel, and an S3 store with Object Lock, and has all of them fail in an order by seed while clients work, a receiver takes
webhooks, and executors behind the guard are killed. Every ten minutes all faults end, and everything that can be known from
outside is checked. Ends with a table, and with exit code 1 when a promise of docs/reliability.md was broken.

  --minutes N  how long faults happen (default 60)
  --seed S     whole number that the order of faults follows from (default: by the clock)
  --only K,…   only faults whose names have one of these texts, such as SIGKILL or Postgres
  --clients N  how many clients work (default 12)
  --guarded N  how many guarded executors work beside them (default 2)
  --every MS   milliseconds between two faults, on average (default 1500)
  --disks      as root on Linux: each Postgres has a disk of its own, in memory, and disks fill up too
  --upgrade    half of the processes begin as the release before, and processes are upgraded and rolled back
  --report F   file for the table (default torture.md)
  --help       this text`;

const OPTIONS = {
  minutes: { type: 'string', default: '60' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  only: { type: 'string', default: '' },
  clients: { type: 'string', default: '12' },
  guarded: { type: 'string', default: '2' },
  every: { type: 'string', default: '1500' },
  disks: { type: 'boolean', default: false },
  upgrade: { type: 'boolean', default: false },
  report: { type: 'string', default: 'torture.md' },
};

await runCampaign({
  help: HELP,
  options: OPTIONS,
  whole: ['minutes', 'seed', 'clients', 'guarded', 'every'],
  least: 1,
  envOf: (values) => ({
    TORTURE_MINUTES: values.minutes,
    TORTURE_SEED: values.seed,
    TORTURE_ONLY: values.only,
    TORTURE_CLIENTS: values.clients,
    TORTURE_GUARDED: values.guarded,
    TORTURE_EVERY_MS: values.every,
    TORTURE_DISKS: String(values.disks),
    TORTURE_UPGRADE: String(values.upgrade),
    TORTURE_REPORT: values.report,
  }),
  project: 'alone',
  file: 'test/torture/torture.test.ts',
});
