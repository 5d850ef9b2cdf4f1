import { generateKeyPairSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { createLogger } from '@countersign/platform';
import {
  byOrigin,
  cosignerText,
  readCosigner,
  readLogKey,
  readLogList,
  verifierKeyText,
} from '@countersign/protocol';
import type { Cosigner, ListedLog, LogKeys } from '@countersign/protocol';
import type { Command } from 'commander';
import { closeServer, listenAddress, listenAt } from '../listen-address.js';
import { metricsServer } from '../metrics-server.js';
import { PlainError } from '../plain-error.js';
import { textOf } from '../read-file.js';
import { untilSignal } from '../until-signal.js';
import { witnessAnswers } from '../witness/answers.js';
import { witnessMetrics } from '../witness/metrics.js';
import { witnessServer } from '../witness/server.js';
import { createState, openState } from '../witness/state.js';
import { writeWhole } from './whole-file.js';

interface WitnessFlags {
  readonly key: string;
  readonly newKey?: string;
  readonly state?: string;
  readonly listen: string;
  readonly log: readonly string[];
  readonly logs?: string;
  readonly metricsListen?: string;
}

const HELP = `
A witness signs that a log only grows: a checkpoint gets its signature if the log has signed it and if a proof shows that its
tree continues the one that the witness signed last (c2sp.org/tlog-witness). It never signs a smaller tree, or two trees
of one size; a fork is reported on standard error and in the metrics, and its checkpoint is kept as proof.

  countersign witness --key w1.key --new-key witness.example/w1        # once: prints the verifier key
  countersign witness --key w1.key --log <verifier key of the log> --listen 127.0.0.1:8460

The folder of the state (--state) belongs to the key. Do not restore an older copy of it, and do not run two witnesses with one key:
a witness that forgets what it signed can be led to sign a second history. Put a proxy that speaks TLS in front of it.`;

/** `countersign witness`: signs that logs only grow, for anybody's logs. */
export function addWitnessCommand(program: Command): void {
  program
    .command('witness')
    .description('sign checkpoints of transparency logs that only grow (docs/merkle.md)')
    .requiredOption('--key <file>', 'the private key of this witness')
    .option(
      '--new-key <name>',
      'create that file and the folder of the state for a witness with this name, such as witness.example/w1; print its verifier key and end',
    )
    .option('--state <dir>', 'what this witness has signed; default: the key’s file with .state')
    .option('--listen <address>', 'where logs reach it', '127.0.0.1:8460')
    .option(
      '--log <key>',
      'verifier key of a log, as `countersign tree` prints it; repeatable, also for two keys of one log',
      (key: string, others: readonly string[]) => [...others, key],
      [],
    )
    .option('--logs <file>', 'a list of logs in the form of the public witness network (logs/v0)')
    .option('--metrics-listen <address>', 'where Prometheus reaches /metrics; default: nowhere')
    .addHelpText('after', HELP)
    .action(async (flags: WitnessFlags) => {
      if (flags.newKey === undefined) await runWitness(flags);
      else await createWitness(flags.key, flags.newKey, stateOf(flags));
    });
}

function stateOf({ state, key }: WitnessFlags): string {
  return state ?? `${key}.state`;
}

async function createWitness(file: string, name: string, folder: string): Promise<void> {
  if (!/^[^\s+]+$/.test(name)) throw new PlainError(`--new-key ${name}: a name has no + or space.`);
  for (const path of [file, folder]) {
    if (existsSync(path)) throw new PlainError(`${path}: it is there already.`);
  }
  const { d = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  const text = cosignerText(name, Buffer.from(d, 'base64url'));
  writeWhole(file, `${text}\n`, 0o600);
  const { key } = cosignerIn(file);
  await createState(folder, key);
  console.log(verifierKeyText(key));
}

async function runWitness(flags: WitnessFlags): Promise<void> {
  const cosigner = cosignerIn(flags.key);
  const logs = logsOf(flags);
  const folder = stateOf(flags);
  const address = listenAddress('--listen', flags.listen);
  const scraped =
    flags.metricsListen === undefined
      ? null
      : listenAddress('--metrics-listen', flags.metricsListen);
  const state = await openState(folder, cosigner.key, logs);
  const log = createLogger({ name: 'witness', destination: process.stderr });
  const metrics = witnessMetrics(() =>
    [...logs.keys()].map((origin) => [origin, state.latest(origin)?.head.size ?? 0]),
  );
  const answer = witnessAnswers({ cosigner, logs, state, metrics, log });
  const server = witnessServer({ answer, state, log });
  const scraping = scraped === null ? null : metricsServer(metrics.registry);
  try {
    const url = await listenAt(server, address);
    if (scraping !== null && scraped !== null) {
      log.info({ url: await listenAt(scraping, scraped) }, 'metrics');
    }
    // As the setting WITNESSES of a log takes it.
    console.log(`${verifierKeyText(cosigner.key)} ${url}`);
    await untilSignal();
  } finally {
    // Else one that listens would keep a process that could not start.
    const servers = [server, ...(scraping === null ? [] : [scraping])];
    await Promise.all(servers.map(closeServer));
    await state.release();
  }
}

/** No message quotes the text: it is a secret. */
function cosignerIn(file: string): Cosigner {
  const cosigner = readCosigner(textOf(file).trim());
  if (cosigner !== null) return cosigner;
  throw new PlainError(`${file}: it holds no private key of a witness; --new-key makes one.`);
}

function logsOf({ log, logs: file }: WitnessFlags): LogKeys {
  const given = log.map((text) => {
    const key = readLogKey(text);
    if (key === null) throw new PlainError('--log: one of them is no verifier key of a log.');
    return { key, origin: key.name };
  });
  const logs = byOrigin([...given, ...(file === undefined ? [] : listedIn(file))]);
  if (logs.size === 0) throw new PlainError('Name a log with --log, or a list with --logs.');
  return logs;
}

function listedIn(file: string): readonly ListedLog[] {
  const { logs, fault } = readLogList(textOf(file));
  if (logs === null) throw new PlainError(`${file}: ${fault}`);
  return logs;
}
