import { setTimeout as pause } from 'node:timers/promises';
import { logKeys, readLogKey } from '@countersign/protocol';
import type { NoteKey, Trust } from '@countersign/protocol';
import { CommanderError, InvalidArgumentError } from 'commander';
import type { Command } from 'commander';
import { bearerTokenIn } from '../bearer-token.js';
import { closeServer, listenAddress, listenAt } from '../listen-address.js';
import { metricsServer } from '../metrics-server.js';
import { PlainError, explain } from '../plain-error.js';
import { textOf } from '../read-file.js';
import { loadTrustFile } from '../trust-file.js';
import { untilSignal } from '../until-signal.js';
import type { WatchedLog } from '../watch/follow.js';
import { httpSource } from '../watch/log-source.js';
import { watchMetrics } from '../watch/metrics.js';
import type { Outcome } from '../watch/metrics.js';
import { readState, writeState } from '../watch/state.js';
import { wantedOf } from '../watch/wanted.js';
import { watcher } from '../watch/watcher.js';
import type { Watcher } from '../watch/watcher.js';
import { sendAlarm } from '../watch/webhook.js';

const EXIT = { held: 0, violated: 1, unreadable: 2, unchecked: 3 } as const;

const HELP = `
Follows the checkpoints of a transparency log (c2sp.org/tlog-tiles): each is signed by the log, continues the one before, and
its root is made of the tiles that the log serves. Of each new entry the hash is read and verified, of up to a million at a time.
With --state it goes on where it ended; without, it begins with the whole tree. --include names records that have to be in the log.

A violation is one sentence: a rollback, a fork, a tile that is missing, truncated or changed, a record that is not there, or a
checkpoint that is not the log's. It is printed, sent to the webhook once as long as it lasts, and counted in the metrics. Without
--once the command goes on and stays at the checkpoint verified last, until SIGTERM or SIGINT.

Exit codes:
  0  the log held, whenever it was looked at
  1  a violation was found
  2  the command line, the trust, a file or the state cannot be read; the log was not looked at
  3  no violation was found, and the last look could not be finished: the log gave no answer, or does not reach a record yet`;

interface WatchFlags {
  readonly trust: readonly string[];
  readonly origin?: string;
  readonly prefix?: string;
  readonly state?: string;
  readonly interval: number;
  readonly once: boolean;
  readonly include: readonly string[];
  readonly webhook?: string;
  readonly metricsListen?: string;
  readonly tokenFile?: string;
}

/** `countersign watch`: a monitor for anybody's log. */
export function addWatchCommand(program: Command): void {
  const each = (text: string, others: readonly string[]) => [...others, text];
  program
    .command('watch')
    .description(
      'verify that a transparency log only grows and holds what it has to (docs/merkle.md)',
    )
    .requiredOption(
      '--trust <trust>',
      'a trust manifest, or the verifier key of the log; repeatable for two keys of one log',
      each,
      [],
    )
    .option('--origin <origin>', 'origin of the log; default: the name of its verifier key')
    .option('--prefix <url>', 'where the log is served; default: its origin, as a URL')
    .option('--state <file>', 'the checkpoint verified last, kept from run to run')
    .option('--interval <seconds>', 'pause between two looks', seconds, 10)
    .option('--once', 'look once and end', false)
    .option(
      '--include <record>',
      'a record that has to be in the log, as <sequence>=sha256:<hex>, or a file of evidence or of an export; repeatable',
      each,
      [],
    )
    .option('--webhook <url>', 'gets each violation as JSON')
    .option('--metrics-listen <address>', 'where Prometheus reaches /metrics; default: nowhere')
    .option('--token-file <file>', 'the bearer token of an operator, for a log that is not public')
    .addHelpText('after', HELP)
    .exitOverride((error) => {
      // 1 is a result here.
      throw error.exitCode === 0
        ? error
        : new CommanderError(EXIT.unreadable, error.code, error.message);
    })
    .action(async (flags: WatchFlags) => {
      try {
        process.exitCode = EXIT[await watch(flags)];
      } catch (error) {
        console.error(`countersign: ${explain(error)}`);
        process.exitCode = EXIT.unreadable;
      }
    });
}

function seconds(text: string): number {
  const value = Number(text);
  if (value >= 1 && value <= 86_400) return value;
  throw new InvalidArgumentError('Give a number of seconds from 1 to 86400.');
}

async function watch(flags: WatchFlags): Promise<Outcome> {
  const ending = new AbortController();
  const log = logOf(flags, ending.signal);
  const wanted = flags.include.flatMap((text) => wantedOf(text, log.origin));
  const { state: file, webhook } = flags;
  if (webhook !== undefined) urlOf('--webhook', webhook);
  const address =
    flags.metricsListen === undefined
      ? null
      : listenAddress('--metrics-listen', flags.metricsListen);
  const metrics = watchMetrics();
  const watching = watcher({
    log,
    wanted,
    seen: file === undefined ? NOTHING : readState(file, log.origin),
    save: async (state) => {
      if (file !== undefined) await writeState(file, state);
    },
    alarm: async (alarm) => (webhook === undefined ? null : sendAlarm(webhook, alarm)),
    metrics,
    say: (line) => console.log(line),
    complain: (line) => console.error(line),
  });
  if (flags.once) return endOf(watching, await watching.look(), false);
  const scraping = address === null ? null : metricsServer(metrics.registry);
  try {
    if (scraping !== null && address !== null) {
      console.log(`metrics at ${await listenAt(scraping, address)}/metrics`);
    }
    return await lookOn(watching, flags.interval * 1000, ending);
  } finally {
    if (scraping !== null) await closeServer(scraping);
  }
}

const NOTHING = { state: { checkpoint: null, told: [] }, head: null };

/** Looks again and again until a signal asks for the end. */
async function lookOn(
  watching: Watcher,
  pauseMs: number,
  ending: AbortController,
): Promise<Outcome> {
  void untilSignal().then(() => ending.abort());
  let hasViolated = false;
  for (;;) {
    const outcome = await watching.look();
    hasViolated ||= outcome === 'violated';
    if (!ending.signal.aborted) {
      await pause(pauseMs, null, { signal: ending.signal }).catch(() => {});
    }
    if (ending.signal.aborted) return endOf(watching, outcome, hasViolated);
  }
}

function endOf(watching: Watcher, last: Outcome, hasViolated: boolean): Outcome {
  if (hasViolated) return 'violated';
  const [open] = watching.pending();
  if (last !== 'held' || open === undefined) return last;
  console.error(`NOT CHECKED: the log has no entry ${open.sequence} yet.`);
  return 'unchecked';
}

function logOf(
  { trust, origin: named, prefix, tokenFile }: WatchFlags,
  ending: AbortSignal,
): WatchedLog {
  const given = trust.map((text) => readLogKey(text) ?? loadTrustFile(text));
  const origin = named ?? given.map((of) => ('name' in of ? of.name : '')).find(Boolean);
  if (origin === undefined) {
    throw new PlainError('Name the log with --origin, as `countersign tree` prints it.');
  }
  const keys = given.map((of) => ('name' in of ? { keys: [of], revoked: [] } : keysOf(origin, of)));
  const issuer = given.flatMap((of) => ('issuer' in of ? [new URL(of.issuer).protocol] : []))[0];
  const url = urlOf('--prefix', prefix ?? `${issuer ?? 'https:'}//${origin}`);
  return {
    origin,
    keys: keys.flatMap((of) => of.keys),
    revoked: keys.flatMap((of) => of.revoked),
    source: httpSource(
      url,
      tokenFile === undefined ? null : bearerTokenIn(textOf(tokenFile), tokenFile),
      ending,
    ),
  };
}

/** Those of the manifest that may sign for the log. */
function keysOf(origin: string, trust: Trust): { keys: NoteKey[]; revoked: NoteKey[] } {
  const part = (isRevoked: boolean) =>
    logKeys(origin, {
      ...trust,
      keys: new Map([...trust.keys].filter(([, key]) => (key.revokedAt !== null) === isRevoked)),
    });
  return { keys: part(false), revoked: part(true) };
}

/** No message quotes it: a webhook's URL may hold a secret. */
function urlOf(flag: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url !== null && /^https?:$/.test(url.protocol)) return url;
  throw new PlainError(`${flag}: a URL of https or http is wanted.`);
}
