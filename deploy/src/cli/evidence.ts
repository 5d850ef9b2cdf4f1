import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { loadTrust, verdictText, verifyDocument } from '@countersign/protocol';
import type { TrustManifest } from '@countersign/protocol';
import { Option } from 'commander';
import type { Command } from 'commander';
import { reach } from '../client/api.js';
import { PlainError } from '../plain-error.js';

interface EvidenceFlags {
  readonly connection?: string;
  readonly origin?: string;
  readonly tokenFile?: string;
  readonly out?: string;
}

interface Access {
  readonly origin: string;
  readonly token: string;
  /** Pinned by a connection file. */
  readonly trust: TrustManifest | null;
}

const PATIENCE_MS = 60_000;

const HELP = `
Waits up to a minute for the ledger's tree to reach the last entry of the request. With a connection file the evidence is verified
by the pinned manifest before it is written, and a file that fails is not written.`;

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
      ]),
    )
    .option('--origin <origin>', 'or the origin of the service')
    .option('--token-file <file>', 'and a file with the bearer token of a producer or operator')
    .option('--out <file>', 'the file to write; default: evidence-<id>.json')
    .addHelpText('after', HELP)
    .action(async (id: string, flags: EvidenceFlags) => {
      const access = accessOf(flags);
      const json = await fetchEvidence(access, id);
      if (access.trust !== null) requireNoFault(json, access.trust);
      const out = flags.out ?? `evidence-${id}.json`;
      writeFileSync(out, json);
      console.log(`${out}: verify it with \`countersign verify ${out} --trust trust.json\`.`);
    });
}

function accessOf({ connection, origin, tokenFile }: EvidenceFlags): Access {
  if (connection === undefined) {
    if (origin === undefined || tokenFile === undefined) {
      throw new PlainError('Name a --connection file, or --origin and --token-file.');
    }
    return { origin, token: textOf(tokenFile).trim(), trust: null };
  }
  let file: Record<string, unknown>;
  try {
    file = JSON.parse(textOf(connection)) as Record<string, unknown>;
  } catch (error) {
    if (error instanceof PlainError) throw error;
    throw new PlainError(`${connection}: it is not JSON.`);
  }
  const { origin: of, trust, token_env: name, token_file: path } = file;
  const token = typeof path === 'string' ? textOf(path) : process.env[String(name)];
  if (typeof of !== 'string' || token === undefined) {
    throw new PlainError(`${connection}: it names no origin, or its token is not there.`);
  }
  return { origin: of, token: token.trim(), trust: trust as TrustManifest };
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
  throw new PlainError(`The evidence does not verify:\n${verdictText(verdict)}`);
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PlainError(`${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
