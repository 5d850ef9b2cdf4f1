import {
  DOCUMENT_LIMITS,
  parseStrictJson,
  readPeople,
  readTrustManifest,
  readWitnessPolicy,
  trustInside,
  verdictText,
  verifyDocument,
} from '@countersign/protocol';
import type {
  AnchorCopies,
  Expected,
  PinnedPeople,
  Trust,
  Verdict,
  WitnessPolicy,
} from '@countersign/protocol';
import { CommanderError, Option } from 'commander';
import type { Command } from 'commander';
import { PlainError } from '../plain-error.js';
import { documentBytes, tooLarge } from '../read-file.js';
import { anchorFiles } from './anchor-files.js';
import { timeOf } from './flags.js';

const EXIT = { holds: 0, fails: 1, unreadable: 2, incomplete: 3 } as const;

const HELP = `
Verifies the evidence of a request (evidence.json, or evidence.html as it is), an audit export, a signed record, an anchor proof, a page or longer stretch of the ledger or of a security log, or a webhook body,
without any network, except to read a store in S3. Get trust.json from the service once, over a channel that you trust;
or have its fingerprint read out to you, as words or hex, and give that: then the manifest in the evidence counts if it has it.
A witness policy names the witnesses of the ledger's tree that have to have signed, in the form of the public tools for transparency logs (docs/verify.md).
ANCHOR_S3_ENDPOINT, ANCHOR_S3_REGION, ANCHOR_S3_PATH_STYLE, ANCHOR_S3_ACCESS_KEY_ID and ANCHOR_S3_SECRET_ACCESS_KEY
configure access to a store in S3; without them the usual AWS configuration applies (docs/anchoring.md).

It prints what happened, what vouches for it and what is open; --details adds every check. What only you can know, such as
the tenant or the nonce, is compared when you give it and counts as open in no case.

Exit codes:
  0  holds: no check fails, and the ledger's growth is vouched for from outside the service: by the anchor store
     (--store) or by enough witnesses (--witness-policy)
  1  fails: something in the file is not what it claims to be
  2  the file, the manifest or the command line cannot be read; there is no verdict
  3  incomplete: no check fails, but the service alone vouches for its ledger, as without these, or a
     decisive check cannot be known. A record alone is incomplete at best: an export has the records that it depends on`;

interface VerifyFlags {
  trust?: string;
  trustFingerprint?: string;
  witnessPolicy?: string;
  people?: string;
  store?: string;
  details: boolean;
  json: boolean;
  audience?: string;
  tenant?: string;
  ledger?: string;
  identity?: string;
  nonce?: string;
  binding?: string;
  at?: string;
  received?: string;
}

export function addVerifyCommand(program: Command): void {
  program
    .command('verify')
    .description('verify a file of evidence offline')
    .argument('<file>', 'the file; - reads from standard input')
    .addOption(
      new Option('--trust <file>', 'trust manifest, obtained out of band').conflicts(
        'trustFingerprint',
      ),
    )
    .option(
      '--trust-fingerprint <text>',
      'instead: words or hex of `countersign trust fingerprint`, for the manifest inside the evidence',
    )
    .option(
      '--witness-policy <file>',
      'the witnesses that have to have signed the tree (c2sp.org/tlog-policy)',
    )
    .option(
      '--store <dir>',
      'the anchor store, to compare the checkpoint with: a directory, or s3://bucket/prefix',
    )
    .option(
      '--people <file>',
      'the keys of people that you know, where people sign with keys of their own (people.json)',
    )
    .option('--details', 'print every check too', false)
    .option('--json', 'print the verdict as JSON', false)
    .option('--audience <id>', 'expected audience, such as the id of your producer')
    .option('--tenant <name>', 'expected tenant')
    .option('--ledger <id>', 'expected ledger of the checkpoint')
    .option('--identity <id>', 'your execution identity (protocol §15)')
    .option('--nonce <nonce>', 'the nonce of your request for admission (protocol §15)')
    .option(
      '--binding <digest>',
      'digest of the execution that you are about to start (protocol §15)',
    )
    .option('--at <time>', 'verify as of this time instead of now, such as 2026-05-01T09:00:00Z')
    .option('--received <time>', 'when the webhook body arrived')
    .addHelpText('after', HELP)
    .exitOverride((error) => {
      // 1 is a verdict here.
      throw error.exitCode === 0
        ? error
        : new CommanderError(EXIT.unreadable, error.code, error.message);
    })
    .action(async (file: string, flags: VerifyFlags) => {
      try {
        const verdict = await verify(file, flags);
        const { details } = flags;
        console.log(
          flags.json ? JSON.stringify(verdict, null, 2) : verdictText(verdict, { details }),
        );
        process.exitCode = verdict.kind === null ? EXIT.unreadable : EXIT[verdict.verdict];
      } catch (error) {
        const why = error instanceof PlainError ? error.message : 'the verifier itself failed';
        console.error(`countersign: ${why}`);
        process.exitCode = EXIT.unreadable;
      }
    });
}

async function verify(file: string, flags: VerifyFlags): Promise<Verdict> {
  const content = await contentOf(file);
  const trust = trustFor(flags, content);
  const witnesses = flags.witnessPolicy === undefined ? null : policyOf(flags.witnessPolicy);
  const people = flags.people === undefined ? null : peopleIn(flags.people);
  const expected: Expected = {
    now: timeOf('--at', flags.at) ?? Date.now(),
    ...given('receivedAt', timeOf('--received', flags.received)),
    ...given('audience', flags.audience),
    ...given('tenant', flags.tenant),
    ...given('ledgerId', flags.ledger),
    ...given('executionIdentity', flags.identity),
    ...given('nonce', flags.nonce),
    ...given('bindingDigest', flags.binding),
  };
  const { store } = flags;
  const verified = (copies: AnchorCopies | null) =>
    verifyDocument(content, trust, { expected, copies, witnesses, people });
  if (store === undefined) return verified(null);
  if (!store.startsWith('s3://')) return verified(anchorFiles(store));
  // Loaded only now: all that an access to S3 needs takes as long to load as a document to verify.
  const { lookingInto } = await import('./anchor-copies.js');
  return lookingInto(store, verified);
}

function trustFor({ trust, trustFingerprint }: VerifyFlags, content: Uint8Array): Trust {
  if (trust !== undefined) return trustOf(trust);
  if (trustFingerprint !== undefined) {
    const found = trustInside(content, trustFingerprint);
    if ('fault' in found) throw new PlainError(found.fault);
    return found.trust;
  }
  throw new PlainError('Name the trust manifest with --trust, or its --trust-fingerprint.');
}

function policyOf(file: string): WitnessPolicy {
  const { policy, fault } = readWitnessPolicy(Buffer.from(documentBytes(file)).toString());
  if (policy !== null) return policy;
  throw new PlainError(`${file}: ${fault}`);
}

function peopleIn(file: string): PinnedPeople {
  const read = readPeople(strictJson(file, 'the list of people'));
  if (read.people !== null) return read.people;
  throw new PlainError(`${file}: ${read.fault}`);
}

function given<Name extends string, Value>(
  name: Name,
  value: Value | undefined,
): { [Member in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [Member in Name]?: Value });
}

function trustOf(file: string): Trust {
  const { trust, faults } = readTrustManifest(strictJson(file, 'the trust manifest'));
  if (trust !== null) return trust;
  throw new PlainError(`${file}: ${faults.map(({ message }) => message).join(' ')}`);
}

function strictJson(file: string, what: string): unknown {
  try {
    return parseStrictJson(documentBytes(file));
  } catch (error) {
    if (error instanceof PlainError) throw error;
    throw new PlainError(`${file}: ${what} is not strict JSON.`);
  }
}

async function contentOf(file: string): Promise<Uint8Array> {
  if (file !== '-') return documentBytes(file);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    size += (chunk as Buffer).length;
    if (size > DOCUMENT_LIMITS.bytes) throw tooLarge('standard input');
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
}
