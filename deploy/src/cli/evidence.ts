import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { evidencePage, loadTrust, verdictText, verifyDocument } from '@countersign/protocol';
import type { TrustManifest } from '@countersign/protocol';
import { Option } from 'commander';
import type { Command } from 'commander';
import { bearerTokenIn } from '../bearer-token.js';
import { reach } from '../client/api.js';
import { PlainError } from '../plain-error.js';
import { textOf } from '../read-file.js';
import { readTrustFile, trustOfConnection } from '../trust-file.js';
import type { ConnectionFile } from './connection.js';
import { writeWhole } from './whole-file.js';

interface EvidenceFlags {
  readonly connection?: string;
  readonly origin?: string;
  readonly tokenFile?: string;
  readonly trust?: string;
  readonly html: boolean;
  readonly out?: string;
}

interface Access {
  readonly origin: string;
  readonly token: string;
  /** Pinned by a connection file, or given with --trust. */
  readonly trust: TrustManifest | null;
}

const PATIENCE_MS = 60_000;

const HELP = `
Waits up to a minute for the ledger's tree to reach the last entry of the request. With a connection file, or with --trust, the
evidence is verified by that manifest before it is written, and a file that fails is not written. It holds the private material of
the request, so that only its owner may read it.`;

/** `countersign evidence <id>`: fetches the evidence of a request as its producer or an operator. */
export function addEvidenceCommand(program: Command): void {
  program
    .command('evidence')
    .description('write the evidence of a request to a file that anyone can verify')
    .argument('<id>', 'the request')
    .addOption(
      new Option('--connection <file>', 'the connection file of a producer').conflicts([
        'origin',
        'tokenFile',
        'trust',
      ]),
    )
    .option('--origin <origin>', 'or the origin of the service')
    .option('--token-file <file>', 'and a file with the bearer token of a producer or operator')
    .option('--trust <file>', 'and the trust manifest, to verify before writing')
    .option('--html', 'write a page that opens from a disk and verifies itself', false)
    .option(
      '--out <file>',
      'the file to write, a page if it ends in .html; default: evidence-<id>.json',
    )
    .addHelpText('after', HELP)
    .action(async (id: string, flags: EvidenceFlags) => {
      const access = accessOf(flags);
      const json = await fetchEvidence(access, id);
      if (access.trust !== null) requireNoFault(json, access.trust);
      const out = flags.out ?? `evidence-${id}.${flags.html ? 'html' : 'json'}`;
      const isPage = flags.html || out.endsWith('.html');
      writeWhole(out, isPage ? evidencePage(template(), json) : json, 0o600);
      console.log(`${out}: verify it with \`countersign verify ${out} --trust trust.json\`.`);
    });
}

function accessOf({ connection, origin, tokenFile, trust }: EvidenceFlags): Access {
  if (connection !== undefined) return accessBy(connection);
  if (origin === undefined || tokenFile === undefined) {
    throw new PlainError('Name a --connection file, or --origin and --token-file.');
  }
  return {
    origin: originIn(origin, '--origin'),
    token: bearerTokenIn(textOf(tokenFile), tokenFile),
    trust: trust === undefined ? null : readTrustFile(trust),
  };
}

function accessBy(connection: string): Access {
  const trust = trustOfConnection(connection);
  const { origin, token_env, token_file } = JSON.parse(textOf(connection)) as ConnectionFile;
  // As the client reads it: beside the connection file.
  const file = token_file === undefined ? undefined : resolve(dirname(connection), token_file);
  const token = file === undefined ? process.env[`${token_env}`] : textOf(file);
  const place = file ?? `the environment variable ${token_env}`;
  return { origin: originIn(origin, connection), token: bearerTokenIn(token ?? '', place), trust };
}

function originIn(text: string, place: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOrigin = url !== null && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href;
  if (isOrigin) return url.origin;
  throw new PlainError(`${place}: an origin is wanted, such as https://review.example.`);
}

async function fetchEvidence({ origin, token }: Access, id: string): Promise<string> {
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const response = await reach(`${origin}/v2/requests/${encodeURIComponent(id)}/evidence`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: 'error',
    });
    const text = await response.text();
    if (response.ok) return text;
    const { error = 'unknown', detail = '' } = problemIn(text);
    const seconds = Number(response.headers.get('retry-after') ?? '1');
    const waits = error === 'evidence_incomplete' && performance.now() + seconds * 1000 < until;
    if (!waits) throw new PlainError(`${response.status} ${error}: ${detail}`);
    await pause(seconds * 1000);
  }
}

function problemIn(text: string): { error?: string; detail?: string } {
  try {
    return JSON.parse(text) as { error?: string; detail?: string };
  } catch {
    return {};
  }
}

function requireNoFault(json: string, manifest: TrustManifest): void {
  const verdict = verifyDocument(json, loadTrust(manifest), { expected: { now: Date.now() } });
  if (verdict.kind === 'evidence' && verdict.verdict !== 'fails') return;
  throw new PlainError(
    `The evidence does not verify, and was not written.\n${verdictText(verdict)}`,
  );
}

/** The page around evidence, built with this command: the service that is judged has no part in it. */
function template(): string {
  const built = createRequire(import.meta.url).resolve('@countersign/verifier-page/evidence.html');
  return readFileSync(built, 'utf8');
}
