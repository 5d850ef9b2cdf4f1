import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  CHAIN_START,
  canonicalText,
  chainHead,
  loadTrust,
  logKeys,
  noteText,
  signRecord,
  signatureLine,
  signerFromPem,
  textDigest,
  treeHeadText,
  treeOrigin,
  verifyAnchorProof,
  verifyCheckpoint,
  verifyLedgerRange,
  verifyRecord,
} from '@countersign/protocol';
import type {
  AnchorProof,
  AuditCheckpoint,
  DecisionReceipt,
  KeySigner,
  LedgerEntry,
  RecordHeader,
  Signed,
  SignedRecord,
  Trust,
} from '@countersign/protocol';
import { personOf, producerOf } from '../support/client.js';
import { newFolder } from '../support/folder.js';
import { runCommand, startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { authorisedRequest } from '../support/requests.js';

/** The notifier talks to foreign hosts: its key is the first to be stolen, and all that the thief has. */
describe('a thief of the notifier’s key', () => {
  const folder = newFolder('stolen-keys');
  let instance: Instance;
  let trust: Trust;
  let thief: KeySigner;
  let honest: { receipt: SignedRecord; anchor: AnchorProof; exported: string };
  let forged: { receipt: Signed; proof: AnchorProof; entry: LedgerEntry };

  beforeAll(async () => {
    instance = await startInstance();
    const { demo, dataDirectory } = instance;
    const producer = producerOf(demo);
    const reviewer = await personOf(demo, dataDirectory, demo.people[1]!.id);
    const { body } = await authorisedRequest(demo, producer, reviewer);
    const { text } = await producer.get(`/v2/requests/${body.request.id}/export`);
    honest = { receipt: body.receipt, anchor: JSON.parse(text).anchor, exported: text };

    trust = loadTrust(JSON.parse(readFileSync(demo.trust, 'utf8')));
    const keyId = [...trust.keys.keys()].find((id) => id.startsWith('notifier-'));
    thief = signerFromPem(keyId!, readFileSync(join(dataDirectory, 'keys/notifier.pem'), 'utf8'));
    forged = forge();
  });
  afterAll(async () => {
    await instance?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** A decision that no person made, in a chain of one entry under a checkpoint: all of it is signed, and well signed. */
  function forge(): typeof forged {
    const { protected: header, payload } = honest.receipt;
    const { issuer, audience, tenant, profiles } = header;
    const issuedAt = Date.parse(header.issued_at);
    const common = { issuer, audience, tenant, profiles, issuedAt };
    const decision = { ...(payload as unknown as DecisionReceipt), reviewer: 'ceo' };
    const purpose = 'authorise_execution';
    const receipt = signRecord(thief, { ...common, type: 'DecisionReceipt', purpose }, decision);
    const head = chainHead('', receipt.digest, 1);
    const said = honest.anchor.checkpoint.payload as unknown as AuditCheckpoint;
    const checkpoint = signRecord(
      thief,
      {
        ...(common as RecordHeader),
        type: 'AuditCheckpoint',
        purpose: 'service',
        profiles: {},
        audience: 'proto.audit',
        tenant: said.ledger_id,
      },
      { ...said, sequence: 1, head },
    );
    const node = { sequence: 1, previous_head: '', record_digest: receipt.digest, head };
    const acceptance = {
      ...honest.anchor.acceptance,
      key: `checkpoints/${said.ledger_id}/${said.generation}/${'1'.padStart(16, '0')}.json`,
      digest: textDigest(canonicalText(checkpoint.record)),
    };
    return {
      receipt,
      proof: { checkpoint: checkpoint.record, acceptance, proof: [node] },
      entry: {
        ...node,
        sequence: '1',
        tenant,
        request_id: decision.request_id,
        record: receipt.text,
        created_at: header.issued_at,
      },
    };
  }

  function file(name: string, content: unknown): string {
    const path = join(folder, name);
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
    return path;
  }

  async function verify(name: string, content: unknown) {
    const { demo, dataDirectory } = instance;
    const known = ['--tenant', demo.tenant, '--audience', demo.producer.id];
    const { code, stdout } = await runCommand([
      ...['verify', file(name, content), '--trust', demo.trust, ...known],
      ...['--store', join(dataDirectory, 'anchor')],
    ]);
    return { code, stdout };
  }

  it('decides nothing: the receipt does not verify', async () => {
    const { record } = forged.receipt;
    const expected = { type: 'DecisionReceipt', audience: instance.demo.producer.id } as const;
    expect(verifyRecord(record, trust, expected)).toEqual({
      ok: false,
      reason: 'key_not_for_type',
    });
    const { code, stdout } = await verify('receipt.json', record);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^FAILS[^]*\[key_not_for_type\]/)]);
  });

  it('anchors nothing: the checkpoint and its proof do not verify', async () => {
    const recordDigest = forged.receipt.digest;
    const refused = { ok: false, reason: 'key_not_for_type' };
    expect(verifyAnchorProof(forged.proof, trust, { recordDigest })).toEqual(refused);
    for (const document of [forged.proof, forged.proof.checkpoint]) {
      const { code, stdout } = await verify('proof.json', document);
      expect([code, stdout]).toEqual([1, expect.stringContaining('[key_not_for_type]')]);
    }
  });

  it('writes no ledger and no export', async () => {
    const { tenant } = instance.demo;
    expect(verifyLedgerRange([forged.entry], trust, { tenant, from: CHAIN_START })).toMatchObject({
      ok: false,
      reason: 'key_not_for_type',
    });
    const page = await verify('page.json', [forged.entry]);
    expect([page.code, page.stdout]).toEqual([1, expect.stringContaining('[key_not_for_type]')]);
    const { tenant: _1, request_id: _2, created_at: _3, ...audit } = forged.entry;
    const document = {
      ...JSON.parse(honest.exported),
      records: [forged.receipt.record],
      audit: [audit],
      anchor: forged.proof,
    };
    const exported = await verify('export.json', document);
    expect([exported.code, exported.stdout.match(/\[key_not_for_type\]/g)?.length]).toEqual([1, 2]);
  });

  it('makes no head of the ledger’s tree', () => {
    const { ledger_id, generation } = forged.proof.checkpoint.payload as unknown as AuditCheckpoint;
    const origin = treeOrigin(trust.issuer, ledger_id, generation);
    const body = treeHeadText({ origin, size: 1, root: Buffer.alloc(32) });
    const heads = (by: Trust) =>
      logKeys(origin, by).map((key) => {
        const note = noteText(body, [signatureLine(key, thief.sign(Buffer.from(body)))]);
        return verifyCheckpoint(note, key) !== null;
      });
    expect(heads(trust)).toEqual([false]);
    // Under a name that is no service's the same key is an ordinary one.
    const renamed = { ...trust, keys: new Map([['k-1', trust.keys.get(thief.keyId)!]]) };
    expect(heads(renamed)).toEqual([true]);
  });

  it('finds no verifier that takes an honest receipt by itself for more than incomplete', async () => {
    const alone = await verify('honest.json', honest.receipt);
    expect([alone.code, alone.stdout]).toEqual([3, expect.stringMatching(/^INCOMPLETE/)]);
    const { code, stdout } = await verify('honest-export.json', honest.exported);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^HOLDS/)]);
  });
});
