import {
  EVIDENCE_ELEMENT,
  NOTE_ALGORITHM,
  embedded,
  readNote,
  textDigest,
  verifierKeyText,
} from '@countersign/protocol';
import type { Evidence } from '@countersign/protocol';
import { GENERATION, LEDGER_ID } from '../../evidence/ledger.js';
import { WITNESSES, policyOf, testTree, wholeEvidence } from '../../evidence/whole.js';
import { accepted, refused } from '../vector.js';
import type { Options, Vector } from '../vector.js';

type Change = (document: Evidence) => void;

/** Evidence of a request: an export with the tree that it lies in. */
export function evidenceVectors(): Vector[] {
  const whole = wholeEvidence();
  const { document, tree, leaves, size, opening, built } = whole;
  const two: Options = { policy: policyOf(2) };
  const changed = (change: Change): Evidence => {
    const copy = structuredClone(document);
    change(copy);
    return copy;
  };
  const wrong = (
    name: string,
    what: string,
    check: Omit<Vector['check'], 'status'>,
    change: Change,
    options: Options = two,
  ) => refused(`evidence-${name}`, what, changed(change), check, options);
  const page = (json: string, before = '') =>
    `<!doctype html>\n<title>Evidence</title>\n${before}${EVIDENCE_ELEMENT.open}${embedded(json)}${EVIDENCE_ELEMENT.close}\n`;
  const unreadable = (name: string, what: string, text: string | Uint8Array) =>
    refused(`evidence-${name}`, what, text, { code: 'document_readable' }, two);
  const json = JSON.stringify(document);

  const forkedDigests = tree.digests.with(0, textDigest('forged'));
  const forked = testTree(forkedDigests);
  const discarded = wholeEvidence({ scenario: { discarded: true } });
  const remains =
    discarded.document.export?.audit.map((entry) => ({ ...entry, record: null })) ?? [];
  const remaining: Evidence = {
    ...discarded.document,
    export: null,
    remains,
    log: {
      ...discarded.document.log,
      opening: null,
      nodes: discarded.tree.nodes(
        remains.map(({ sequence }) => Number(sequence) - 1),
        discarded.size,
        null,
      ),
    },
  };
  const [log, ada, bob] = (readNote(document.log.checkpoint)?.signatures ?? []).map(
    ({ line }) => line,
  ) as [string, string, string];
  const body = readNote(document.log.checkpoint)?.body ?? '';
  const note = (...lines: string[]) => `${body}\n${lines.map((line) => `${line}\n`).join('')}`;
  const otherLedger = '11111111-4f89-41d3-9a0c-0305e82c3301';
  const originOf = (host: string, ledger: string) => ({
    origin: `${host}/log/${ledger}/${GENERATION}`,
  });

  return [
    accepted(
      'evidence-witnessed',
      'An execution whose tree two witnesses have signed, as the reader asks.',
      document,
      { code: 'log_witnesses', status: 'holds' },
      two,
    ),
    accepted(
      'evidence-store',
      'The same with a copy of the anchor store instead of witnesses.',
      document,
      { code: 'anchor_store', status: 'holds' },
      { store: built.ledger.store },
    ),
    accepted(
      'evidence-alone',
      'The same without either: nothing fails, and it has no voucher outside the service.',
      document,
      { code: 'log_witnesses', status: 'not checked' },
      {},
      'incomplete',
    ),
    accepted(
      'evidence-too-few-witnesses',
      'Two witnesses have signed; the reader wants three.',
      document,
      { code: 'log_witnesses', status: 'cannot be known' },
      { policy: policyOf(3) },
      'incomplete',
    ),
    accepted(
      'evidence-no-witness-wanted',
      'The policy wants no witness, so it vouches for nothing.',
      document,
      { code: 'log_witnesses', status: 'cannot be known' },
      { policy: policyOf('none', ['cleo']) },
      'incomplete',
    ),
    accepted(
      'evidence-same-checkpoint',
      'The grant opened under the very checkpoint.',
      wholeEvidence({ opening: null }).document,
      { code: 'log_entries', status: 'holds' },
      two,
    ),
    accepted(
      'evidence-review',
      'A review.',
      wholeEvidence({ scenario: { purpose: 'review' } as never }).document,
      { code: 'log_growth', status: 'holds' },
      two,
    ),
    accepted(
      'evidence-material-deleted',
      'After private deletion: the digests of what was shown are still signed.',
      discarded.document,
      { code: 'material_kept', status: 'cannot be known' },
      two,
    ),
    accepted(
      'evidence-remains',
      'After audit expiry: the entries keep their places, and that is all that is left.',
      remaining,
      { code: 'log_entries', status: 'holds' },
      two,
    ),
    accepted(
      'evidence-page',
      'The page that carries the document.',
      page(json),
      { code: 'log_witnesses', status: 'holds' },
      two,
    ),
    accepted(
      'evidence-other-manifest',
      'The manifest inside is another one than the reader’s, and is not used.',
      changed((copy) => void (copy.trust.keys[0]!.not_after = '2028-01-01T00:00:00.000Z')),
      { code: 'manifest_inside', status: 'cannot be known' },
      two,
    ),

    wrong(
      'of-another-request',
      'The proof is that of another request.',
      { code: 'log_entries', path: '/log/nodes' },
      (copy) =>
        void (copy.log.nodes = tree.nodes(
          leaves.map((leaf) => leaf + 9),
          size,
          opening,
        )),
    ),
    wrong(
      'truncated-tree',
      'The tree ends before the last entries of the request.',
      {
        code: 'log_entries',
        says: 'The entries of the request do not lie in the tree. The tree has 9 entries and so ends before entry 10.',
      },
      (copy) => {
        copy.log.checkpoint = tree.checkpoint(9, ['ada', 'bob']);
      },
    ),
    wrong(
      'hash-altered',
      'A hash of the proof is another one.',
      { code: 'log_entries' },
      (copy) =>
        void (copy.log.nodes = copy.log.nodes.replace(/^./, (letter) =>
          letter === 'A' ? 'B' : 'A',
        )),
    ),
    wrong(
      'hash-missing',
      'A hash of the proof is missing.',
      { code: 'log_entries' },
      (copy) =>
        void (copy.log.nodes = Buffer.from(copy.log.nodes, 'base64')
          .subarray(32)
          .toString('base64')),
    ),
    wrong(
      'hash-too-many',
      'The proof has a hash too many.',
      { code: 'log_entries' },
      (copy) =>
        void (copy.log.nodes = Buffer.concat([
          Buffer.from(copy.log.nodes, 'base64'),
          Buffer.alloc(32),
        ]).toString('base64')),
    ),
    wrong(
      'hash-cut',
      'The last hash is cut off.',
      { code: 'log_entries' },
      (copy) =>
        void (copy.log.nodes = Buffer.from(copy.log.nodes, 'base64')
          .subarray(1)
          .toString('base64')),
    ),
    wrong(
      'entry-left-out',
      'The export leaves an entry out, with its record.',
      { code: 'log_entries' },
      (copy) => void copy.export!.audit.splice(5, 1),
    ),
    wrong(
      'entry-moved',
      'An entry claims the place of another.',
      { code: 'log_entries' },
      (copy) => void (copy.export!.audit[8]!.sequence = '30'),
    ),
    wrong(
      'two-records-at-one-place',
      'Export and anchor proof have two records at one place.',
      {
        code: 'log_entries',
        says: 'The entries of the request do not lie in the tree. The file has two records at entry 6.',
      },
      (copy) => void (copy.export!.anchor!.proof[1]!.record_digest = textDigest('another')),
    ),
    wrong(
      'forked',
      'The log has two heads of one size.',
      { code: 'log_growth', path: '/log/opening' },
      (copy) => void (copy.log.opening = forked.checkpoint(size)),
    ),
    wrong(
      'forked-by-witness',
      'A witness has signed both heads of one size.',
      { code: 'log_growth', path: '/log/opening' },
      (copy) => void (copy.log.opening = forked.checkpoint(size, ['ada'])),
    ),
    wrong(
      'forked-earlier',
      'The tree of the grant is no beginning of the other one.',
      { code: 'log_growth' },
      (copy) => void (copy.log.opening = forked.checkpoint(opening ?? 1, ['ada'])),
    ),
    wrong(
      'rolled-back',
      'The log was larger when the grant opened.',
      { code: 'log_growth' },
      (copy) => {
        const { checkpoint } = copy.log;
        copy.log.checkpoint = copy.log.opening ?? '';
        copy.log.opening = checkpoint;
      },
    ),
    wrong(
      'checkpoint-twice',
      'The checkpoint of the grant is the other one.',
      { code: 'log_growth' },
      (copy) => void (copy.log.opening = copy.log.checkpoint),
    ),
    wrong(
      'growth-of-another-log',
      'The checkpoint of the grant is of another log.',
      { code: 'log_growth' },
      (copy) =>
        void (copy.log.opening = testTree(
          tree.digests,
          originOf('review.example', otherLedger),
        ).checkpoint(opening ?? 1)),
    ),
    wrong(
      'checkpoint-unsigned',
      'The log has not signed its checkpoint.',
      { code: 'log_checkpoint', path: '/log/checkpoint' },
      (copy) => void (copy.log.checkpoint = note(ada, bob)),
    ),
    wrong(
      'checkpoint-of-a-stranger',
      'An untrusted key has signed it.',
      { code: 'log_checkpoint' },
      (copy) =>
        void (copy.log.checkpoint = testTree(tree.digests, { key: 'k-stranger' }).checkpoint(size, [
          'ada',
          'bob',
        ])),
    ),
    wrong(
      'checkpoint-of-another-service',
      'Its origin is another service.',
      { code: 'log_checkpoint' },
      (copy) =>
        void (copy.log.checkpoint = testTree(
          tree.digests,
          originOf('other.example', LEDGER_ID),
        ).checkpoint(size)),
    ),
    wrong(
      'checkpoint-of-another-ledger',
      'It is of another ledger than the anchor.',
      { code: 'log_checkpoint' },
      (copy) => {
        copy.log.checkpoint = testTree(
          tree.digests,
          originOf('review.example', otherLedger),
        ).checkpoint(size);
        copy.log.opening = null;
      },
    ),
    wrong(
      'checkpoint-malformed',
      'It is no checkpoint.',
      { code: 'log_checkpoint' },
      (copy) => void (copy.log.checkpoint = copy.log.checkpoint.replace('\n', ' ')),
    ),
    wrong(
      'checkpoint-larger',
      'Its size is another one than was signed.',
      { code: 'log_checkpoint' },
      (copy) =>
        void (copy.log.checkpoint = copy.log.checkpoint.replace(`\n${size}\n`, `\n${size + 1}\n`)),
    ),
    wrong(
      'witness-forged',
      'The line of a witness is not its signature.',
      { code: 'log_witnesses' },
      (copy) => {
        const [dash, name, base64] = bob.split(' ') as [string, string, string];
        const bytes = Buffer.from(base64, 'base64');
        bytes.writeUInt8(bytes.readUInt8(40) ^ 1, 40);
        copy.log.checkpoint = note(log, ada, `${dash} ${name} ${bytes.toString('base64')}`);
      },
    ),
    wrong(
      'witness-of-another-head',
      'A witness has signed another head.',
      { code: 'log_witnesses' },
      (copy) => {
        const [, other = ''] = copy.log.opening?.trimEnd().split('\n').slice(-2) ?? [];
        copy.log.checkpoint = note(log, bob, other);
      },
    ),
    wrong(
      'policy-of-another-log',
      'The policy names another log.',
      { code: 'log_checkpoint' },
      () => {},
      {
        policy: `log ${verifierKeyText({ ...WITNESSES.ada.key, name: 'other.example', algorithm: NOTE_ALGORITHM.ed25519 })}\n${policyOf(2)}`,
      },
    ),
    wrong(
      'ledger-unexpected',
      'The reader means another ledger.',
      { code: 'anchor_ledger' },
      () => {},
      { ...two, expected: { ledger: otherLedger } },
    ),
    wrong(
      'record-altered',
      'A record of the export was altered.',
      { code: 'record_signature' },
      (copy) =>
        void ((copy.export!.records[0]!.payload as Record<string, string>)['reviewer'] = 'rev-9'),
    ),
    wrong(
      'document-altered',
      'The document is not what the reviewer was shown.',
      { code: 'material_document' },
      (copy) => void (copy.export!.material!.review_document += ' '),
    ),
    wrong(
      'export-and-remains',
      'It holds an export and what remains of one.',
      { code: 'document_shape' },
      (copy) => void (copy.remains = []),
    ),
    wrong(
      'neither-export-nor-remains',
      'It holds neither.',
      { code: 'document_shape' },
      (copy) => void (copy.export = null),
    ),
    wrong(
      'member-unknown',
      'It has a member that evidence does not have.',
      { code: 'document_shape' },
      (copy) => void ((copy as never as Record<string, number>)['extra'] = 1),
    ),
    wrong(
      'format-unknown',
      'It is of another format.',
      { code: 'document_shape' },
      (copy) =>
        void ((copy as never as Record<string, string>)['evidence'] = 'countersign-evidence-2'),
    ),
    refused(
      'evidence-remains-altered',
      'After audit expiry, an entry has another digest.',
      {
        ...remaining,
        remains: remains.with(0, { ...remains[0]!, record_digest: textDigest('another') }),
      },
      { code: 'ledger_entry' },
      two,
    ),
    refused(
      'evidence-remains-with-text',
      'After audit expiry, a text is there all the same.',
      { ...remaining, remains: remains.map((entry) => ({ ...entry, record: '{}' })) },
      { code: 'ledger_entry' },
      two,
    ),
    refused(
      'evidence-revoked-key',
      'The record’s key was revoked before.',
      wholeEvidence({
        scenario: {
          keys: { DecisionReceipt: 'k-revoked' },
          at: { confirmed: '12:30:00.000' },
        } as never,
      }).document,
      { code: 'record_signature' },
      two,
    ),

    unreadable(
      'page-without',
      'A page without evidence in it.',
      '<!doctype html><title>Evidence</title><p>All is well.</p>',
    ),
    unreadable('page-two', 'A page with two documents in it.', page(json, page(json))),
    unreadable('page-cut', 'A page that was cut off.', page(json).slice(0, -40)),
    unreadable(
      'page-of-an-export',
      'A page around something else.',
      page(JSON.stringify(document.export)),
    ),
    unreadable(
      'page-huge',
      'A page of tags and no end.',
      `<!doctype html>${'<div>'.repeat(20_000)}`,
    ),
    unreadable(
      'page-no-utf-8',
      'A page that is not UTF-8.',
      Buffer.concat([Buffer.from('<p>'), Buffer.of(0xff, 0xfe)]),
    ),
  ];
}
