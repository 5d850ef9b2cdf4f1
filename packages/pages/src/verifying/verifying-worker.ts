import '@countersign/verifier-page/browser/global-buffer';
import {
  DOCUMENT_BOUNDS,
  isPage,
  newVerifierMemory,
  readPage,
  readSecurityStatement,
  readWitnessPolicy,
  summaryOf,
  verifyDocument,
} from '@countersign/protocol/verifier';
import type { Check, WitnessPolicy } from '@countersign/protocol/verifier';
import {
  CHAIN_START,
  LEDGER_REASONS,
  fingerprintWords,
  isFingerprint,
  readFingerprint,
  readTrustManifest,
  verifyLedgerRange,
} from '@countersign/protocol/signing';
import type {
  ChainPoint,
  Evidence,
  Expected,
  JsonValue,
  LedgerEntry,
  SecurityPages,
  SignedRecord,
  SignedSecurityCheckpoint,
  Trust,
  Verdict,
} from '@countersign/protocol';
import { canonicalText, parseStrictJson } from '@countersign/protocol/json';
import { verifyAhead } from '@countersign/verifier-page/browser/node-crypto';
import type { PublicKey, Signed } from '@countersign/verifier-page/browser/node-crypto';

import { judge } from '../seal/judgement.js';
import type { Judgement } from '../seal/judgement.js';
import type {
  Answered,
  Answers,
  Asked,
  ChainAnswer,
  EvidenceAnswer,
  LogAnswer,
  Part,
  Question,
  TrustAnswer,
} from './messages.js';

// The verifier of packages/protocol, beside the page: nothing that it reads can hold the page up or reach it. (decisions/0010)

const NO_LOG = { end: CHAIN_START, ledgerId: null };

let trust: Trust | null = null;
let memory = newVerifierMemory();
let document: JsonValue = null;
let chain: { end: ChainPoint; tenant: string | null } = { end: CHAIN_START, tenant: null };
let log: { end: ChainPoint; ledgerId: string | null } = NO_LOG;

function trusted(): Trust {
  if (trust === null) throw new Error('no trust manifest was read');
  return trust;
}

/** `typed`: the fingerprint that the manifest has to have; empty for any. */
function readTrust(manifest: string, typed = ''): TrustAnswer {
  let value: JsonValue;
  try {
    value = parseStrictJson(new TextEncoder().encode(manifest));
  } catch {
    throw new Error('The trust manifest is not strict JSON.');
  }
  const reading = readTrustManifest(value);
  if (reading.trust === null)
    throw new Error(reading.faults.map(({ message }) => message).join(' '));
  if (typed !== '') requireFingerprint(reading.trust, typed);
  trust = reading.trust;
  // Results under another manifest say nothing under this one.
  memory = newVerifierMemory();
  const { issuer, keys, fingerprint } = trust;
  return { issuer, keys: keys.size, fingerprint, words: fingerprintWords(fingerprint) };
}

function requireFingerprint({ fingerprint }: Trust, typed: string): void {
  const wanted = readFingerprint(typed);
  if ('fault' in wanted) throw new Error(`The fingerprint: ${wanted.fault}`);
  if (isFingerprint(fingerprint, wanted)) return;
  throw new Error(
    `The trust manifest that this service publishes has another fingerprint than yours, so nothing was verified with it: ${fingerprint}.`,
  );
}

function verify(bytes: Uint8Array, expected: Expected, policy: string): Answers['document'] {
  const witnesses = witnessesOf(policy);
  const verdict = verifyDocument(bytes, trusted(), { expected, witnesses, memory });
  document = contentOf(bytes);
  return verdict;
}

/** The document, also out of a page; null when it is none. */
function contentOf(bytes: Uint8Array): JsonValue {
  try {
    if (!isPage(bytes)) return parseStrictJson(bytes, DOCUMENT_BOUNDS);
    const page = readPage(bytes);
    if ('fault' in page) return null;
    return parseStrictJson(new TextEncoder().encode(page.json), DOCUMENT_BOUNDS);
  } catch {
    return null;
  }
}

/** Null for an empty text. */
function witnessesOf(policy: string): WitnessPolicy | null {
  if (policy === '') return null;
  const reading = readWitnessPolicy(policy);
  if (reading.policy === null) throw new Error(`The witness policy: ${reading.fault}.`);
  return reading.policy;
}

const BESIDE_THE_PAGE: readonly Judgement['kind'][] = ['another request', 'no evidence', 'differs'];

function seal(question: Extract<Question, { ask: 'evidence' }>): EvidenceAnswer {
  const { bytes, shown, policy, now } = question;
  const witnesses = witnessesOf(policy);
  const trust = readTrust(question.manifest, question.fingerprint);
  const verdict = verifyDocument(bytes, trusted(), {
    expected: { now },
    witnesses,
    memory,
  });
  const judgement = judge(verdict, shown, evidenceIn(bytes, verdict));
  const isOfThisPage = !BESIDE_THE_PAGE.includes(judgement.kind);
  const { sections } = summaryOf(verdict, 'field');
  return {
    judgement,
    trust,
    // The hints name fields of another page, and good evidence that the page contradicts would only reassure.
    sections: sections.filter(
      ({ title }) => title !== 'More' && (isOfThisPage || title !== 'What vouches for it'),
    ),
    gone: verdict.gone.map(({ says }) => says),
    checks: verdict.checks.length,
  };
}

/** Null unless the verifier found evidence in its form. */
function evidenceIn(bytes: Uint8Array, { kind, checks }: Verdict): Evidence | null {
  const shape = checks.filter(({ code }) => code === 'document_shape');
  const isInForm = shape.length > 0 && shape.every(({ status }) => status === 'holds');
  if (kind !== 'evidence' || !isInForm) return null;
  return parseStrictJson(bytes, DOCUMENT_BOUNDS) as unknown as Evidence;
}

function partOf(path: string, most: number): Part {
  let value: JsonValue | undefined = document;
  for (const step of path.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    const inside: unknown = value;
    if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, name)) {
      return { text: null, cut: false };
    }
    value = (inside as Record<string, JsonValue>)[name];
  }
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return { text: text.slice(0, most), cut: text.length > most };
}

async function continueChain(text: string): Promise<ChainAnswer> {
  const page = JSON.parse(text) as LedgerEntry[];
  const [first] = page;
  if (first === undefined) return { end: chain.end, entries: 0, signatures: 0, fault: null };
  const tenant = chain.tenant ?? first.tenant;
  await verifyAhead(page.flatMap(signedOf));
  const verified = verifyLedgerRange(page, trusted(), { tenant, from: chain.end });
  if (!verified.ok) {
    const { sequence, reason } = verified;
    const entries = sequence - chain.end.sequence - 1;
    const fault = { sequence, says: LEDGER_REASONS[reason] };
    return { end: chain.end, entries, signatures: 0, fault };
  }
  chain = { end: verified.end, tenant };
  return {
    end: verified.end,
    entries: page.length,
    signatures: verified.verifiedRecords,
    fault: null,
  };
}

/** Each page is a document of its own, whose first entry has to continue the page before. */
function continueLog(text: string, tenant: string): LogAnswer {
  const { end: before, ledgerId } = log;
  const pages = JSON.parse(text) as SecurityPages;
  const expected = ledgerId === null ? { tenant } : { tenant, ledgerId };
  const { checks } = verifyDocument(text, trusted(), { expected, memory });
  const failed = checks.find(({ status }) => status === 'fails');
  const nothing = { end: before, entries: 0, signatures: 0, heads: [], covered: 0 };
  if (failed) return { ...nothing, fault: { sequence: entryOf(failed, pages), says: failed.says } };
  const [first] = pages.entries;
  if (first === undefined) return { ...nothing, fault: null };
  if (first.sequence !== before.sequence + 1 || first.previous_head !== before.head) {
    const says = LEDGER_REASONS.previous_head_mismatch;
    return { ...nothing, fault: { sequence: before.sequence + 1, says } };
  }
  const { sequence, head } = pages.entries.at(-1) ?? first;
  log = { end: { sequence, head }, ledgerId: pages.security_log.ledger_id };
  return {
    end: log.end,
    entries: pages.entries.length,
    signatures: pages.checkpoints.length,
    fault: null,
    heads: pages.entries.map((entry) => entry.head),
    covered: Math.max(0, ...pages.checkpoints.map((each) => pointOf(each))),
  };
}

/** The number of the entry that a check is about: the next one where it is about the whole page. */
function entryOf({ path }: Check, pages: Partial<SecurityPages>): number {
  const [, list, place = '0'] = path.split('/');
  const first = log.end.sequence + 1;
  if (list === 'entries') return first + Number(place);
  const point = list === 'checkpoints' ? pages.checkpoints?.[Number(place)] : undefined;
  return (point && pointOf(point)) || first;
}

/** Which entry a checkpoint is about; 0 when it cannot be read. */
function pointOf({ statement }: SignedSecurityCheckpoint): number {
  return readSecurityStatement(String(statement))?.sequence ?? 0;
}

/** The records that the browser can verify ahead; odd entries are left to the verifier. */
function signedOf({ record: text }: LedgerEntry): Signed[] {
  if (typeof text !== 'string') return [];
  try {
    const record = JSON.parse(text) as SignedRecord;
    const key = trusted().keys.get(record.protected.key_id)?.publicKey as unknown as
      | PublicKey
      | undefined;
    if (key === undefined) return [];
    const { payload, protected: header } = record;
    const preimage = Buffer.from(canonicalText({ payload, protected: header }));
    return [{ key, preimage, signature: Buffer.from(record.signature, 'base64url') }];
  } catch {
    return [];
  }
}

function answer(question: Question): Answers[keyof Answers] | Promise<Answers[keyof Answers]> {
  switch (question.ask) {
    case 'trust':
      return readTrust(question.manifest);
    case 'document':
      return verify(question.bytes, question.expected, question.policy);
    case 'evidence':
      return seal(question);
    case 'part':
      return partOf(question.path, question.most);
    case 'chain':
      chain = { end: CHAIN_START, tenant: null };
      log = NO_LOG;
      return null;
    case 'entries':
      return continueChain(question.page);
    case 'log':
      return continueLog(question.page, question.tenant);
  }
}

self.onmessage = async ({ data }: MessageEvent<Asked>) => {
  const { number } = data;
  let answered: Answered;
  try {
    answered = { number, value: await answer(data) };
  } catch (fault) {
    answered = { number, fault: fault instanceof Error ? fault.message : 'the verifier failed' };
  }
  self.postMessage(answered);
};
