#!/usr/bin/env node
// `npm run torture:guard`: the torture of the system tests with any number of kills and any seed.
import { runCampaign } from '../../support/campaign.mjs';

const HELP = `npm run torture:guard -- [options]

Starts an instance of its own and executors that are killed by SIGKILL at random awaits, with each journal, on one host and
on two, and counts by a server of its own how often the guarded function started. Ends with a table, and with exit code 1
when an occurrence started twice or came to an end that its history does not allow.

  --kills N    how many kills at least (default 10000)
  --minutes N  how long instead, however many kills that are
  --seed S     whole number that all choices follow from (default: by the clock)
  --report F   file for the table (default guard-torture.md)
  --help       this text`;

const OPTIONS = {
  kills: { type: 'string', default: '10000' },
  minutes: { type: 'string', default: '0' },
  seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
  report: { type: 'string', default: 'guard-torture.md' },
};

await runCampaign({
  help: HELP,
  options: OPTIONS,
  whole: ['kills', 'minutes', 'seed'],
  least: 0,
  envOf: (values) => ({
    GUARD_KILLS: values.kills,
    GUARD_MINUTES: values.minutes,
    GUARD_SEED: values.seed,
    GUARD_REPORT: values.report,
  }),
  project: 'system',
  file: 'test/guard/torture/torture.test.ts',
});
