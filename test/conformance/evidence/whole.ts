import { createPrivateKey, sign as signBytes } from 'node:crypto';
import {
  EVIDENCE_FORMAT,
  NOTE_ALGORITHM,
  appendEntries,
  cosignedText,
  logKey,
  noteText,
  rangeHash,
  sharedPath,
  signatureLine,
  textDigest,
  treeEntry,
  treeHeadText,
  treeOrigin,
  treeRoot,
  verifierKeyText,
} from '@countersign/protocol';
import type { Evidence, NoteKey, TileId, TileReader, TrustManifest } from '@countersign/protocol';
import { createPublicKey } from 'node:crypto';
import { buildEvidence } from './build-evidence.js';
import { ISSUER, signer, trustManifest } from './keys.js';
import type { KeyName } from './keys.js';
import { GENERATION, LEDGER_ID } from './ledger.js';
import type { Scenario } from './scenario.js';

/** A witness of the tests: its seed is public. */
export interface TestWitness {
  readonly key: NoteKey;
  /** A line of its signature under a checkpoint's body; `time` in seconds, else of the vectors. */
  sign(body: string, time?: number): string;
}

export function testWitness(name: string, seed: number): TestWitness {
  const der = Buffer.from(
    `302e020100300506032b657004220420${seed.toString(16).padStart(2, '0').repeat(32)}`,
    'hex',
  );
  const secret = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
  const { x = '' } = createPublicKey(secret).export({ format: 'jwk' });
  const key: NoteKey = {
    name,
    algorithm: NOTE_ALGORITHM.cosignature,
    publicKey: Buffer.from(x, 'base64url'),
  };
  return {
    key,
    sign(body, time = Date.parse('2026-05-01T12:00:00Z') / 1000) {
      const stamp = Buffer.alloc(8);
      stamp.writeBigUInt64BE(BigInt(time));
      const signature = signBytes(null, Buffer.from(cosignedText(body, time)), secret);
      return signatureLine(key, Buffer.concat([stamp, signature]));
    },
  };
}

export const WITNESSES = {
  ada: testWitness('ada.example/w1', 0xa1),
  bob: testWitness('bob.example', 0xb2),
  cleo: testWitness('cleo.example/witness', 0xc3),
} as const;
export type WitnessName = keyof typeof WITNESSES;

/** A policy that lists all of them and wants so many. */
export function policyOf(
  least: number | 'none',
  names: readonly WitnessName[] = ['ada', 'bob', 'cleo'],
): string {
  const lines = names.map((name) => `witness ${name} ${verifierKeyText(WITNESSES[name].key)}`);
  const quorum = least === 'none' ? 'none' : 'enough';
  return [
    ...lines,
    ...(least === 'none' ? [] : [`group enough ${least} ${names.join(' ')}`]),
    `quorum ${quorum}`,
    '',
  ].join('\n');
}

export interface WholeOptions {
  readonly scenario?: Scenario;
  /** Entries of others behind the request's. */
  readonly later?: number;
  readonly witnesses?: readonly WitnessName[];
  readonly trust?: TrustManifest;
  readonly key?: KeyName;
  readonly origin?: string;
  /** Leaves of the smaller tree; null where the grant's is the same. */
  readonly opening?: number | null;
}

/** A tree of the tests: its digests, and its checkpoints. */
export interface TestTree {
  readonly digests: readonly string[];
  readonly read: TileReader;
  checkpoint(size: number, witnesses?: readonly WitnessName[], read?: TileReader): string;
  nodes(leaves: readonly number[], size: number, earlier: number | null): string;
}

export function testTree(
  digests: readonly string[],
  {
    key = 'k-2026-01',
    origin = treeOrigin(ISSUER, LEDGER_ID, GENERATION),
  }: Pick<WholeOptions, 'key' | 'origin'> = {},
): TestTree {
  const tiles = new Map<string, Uint8Array>();
  for (const tile of appendEntries(0, () => undefined, digests.map(treeEntry))) {
    tiles.set(`${tile.level}/${tile.index}`, tile.hashes);
  }
  const own: TileReader = ({ level, index }: TileId) => tiles.get(`${level}/${index}`);
  return {
    digests,
    read: own,
    checkpoint(size, witnesses = [], read = own) {
      const body = treeHeadText({ origin, size, root: treeRoot(read, size) });
      const secret = signer(key);
      return noteText(body, [
        signatureLine(
          logKey(origin, createPublicKey(secret.publicPem)),
          secret.sign(Buffer.from(body)),
        ),
        ...witnesses.map((name) => WITNESSES[name].sign(body)),
      ]);
    },
    nodes: (leaves, size, earlier) =>
      Buffer.concat(
        sharedPath(leaves, { size, earlier }).map((range) => rangeHash(own, range)),
      ).toString('base64'),
  };
}

/** Evidence of a scenario, with the tree beside its ledger. */
export function wholeEvidence(options: WholeOptions = {}) {
  const {
    scenario = {},
    later = 20,
    witnesses = ['ada', 'bob'],
    trust = trustManifest(),
  } = options;
  const built = buildEvidence(scenario);
  const { document: exported, ledger } = built;
  const fillers = Array.from({ length: later }, (_, at) => textDigest(`another ${at}`));
  const tree = testTree(
    [...ledger.entries.map(({ record_digest }) => record_digest), ...fillers],
    options,
  );
  const size = tree.digests.length;
  const through = exported.anchor?.proof.at(-1)?.sequence;
  const opening = options.opening === undefined ? (through ?? null) : options.opening;
  const leaves = [...exported.audit, ...(exported.anchor?.proof ?? [])].map(
    ({ sequence }) => Number(sequence) - 1,
  );
  const document: Evidence = {
    evidence: EVIDENCE_FORMAT,
    export: exported,
    log: {
      checkpoint: tree.checkpoint(size, witnesses),
      opening: opening === null ? null : tree.checkpoint(opening, witnesses.slice(0, 1)),
      nodes: tree.nodes(leaves, size, opening),
    },
    trust,
  };
  return { document, tree, leaves, size, opening, built };
}
