import '@countersign/verifier-page/browser/bytes';
import { DOCUMENT_BOUNDS, newVerifierMemory, verifyDocument } from '@countersign/protocol/verifier';
import {
  CHAIN_START,
  LEDGER_REASONS,
  readTrustManifest,
  verifyLedgerRange,
} from '@countersign/protocol/signing';
import type {
  ChainPoint,
  Expected,
  JsonValue,
  LedgerEntry,
  SignedRecord,
  Trust,
} from '@countersign/protocol';
import { canonicalText, parseStrictJson } from '@countersign/protocol/json';
import { verifyAhead } from '@countersign/verifier-page/browser/node-crypto';
import type { PublicKey, Signed } from '@countersign/verifier-page/browser/node-crypto';

import type {
  Answered,
  Answers,
  Asked,
  ChainAnswer,
  Part,
  Question,
  TrustAnswer,
} from './messages.js';

// The verifier of packages/protocol, beside the page: nothing that it reads can hold the page up or reach it. (decisions/0010)

let trust: Trust | null = null;
let memory = newVerifierMemory();
let document: JsonValue = null;
let chain: { end: ChainPoint; tenant: string | null } = { end: CHAIN_START, tenant: null };

function trusted(): Trust {
  if (trust === null) throw new Error('no trust manifest was read');
  return trust;
}

function readTrust(manifest: string): TrustAnswer {
  let value: JsonValue;
  try {
    value = parseStrictJson(new TextEncoder().encode(manifest));
  } catch {
    throw new Error('The trust manifest is not strict JSON.');
  }
  const reading = readTrustManifest(value);
  if (reading.trust === null)
    throw new Error(reading.faults.map(({ message }) => message).join(' '));
  trust = reading.trust;
  // What was verified under another manifest says nothing under this one.
  memory = newVerifierMemory();
  return { issuer: trust.issuer, keys: trust.keys.size };
}

function verify(bytes: Uint8Array, expected: Expected): Answers['document'] {
  const verdict = verifyDocument(bytes, trusted(), { expected, memory });
  try {
    document = parseStrictJson(bytes, DOCUMENT_BOUNDS);
  } catch {
    document = null;
  }
  return verdict;
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
  if (first === undefined) return { end: chain.end, entries: 0, records: 0, fault: null };
  const tenant = chain.tenant ?? first.tenant;
  await verifyAhead(page.flatMap(signedOf));
  const verified = verifyLedgerRange(page, trusted(), { tenant, from: chain.end });
  if (!verified.ok) {
    const { sequence, reason } = verified;
    const entries = sequence - chain.end.sequence - 1;
    return {
      end: chain.end,
      entries,
      records: 0,
      fault: { sequence, reason, says: LEDGER_REASONS[reason] },
    };
  }
  chain = { end: verified.end, tenant };
  return {
    end: verified.end,
    entries: page.length,
    records: verified.verifiedRecords,
    fault: null,
  };
}

/** What the browser can verify ahead; whatever is odd about an entry is left to the verifier. */
function signedOf({ record: text }: LedgerEntry): Signed[] {
  if (typeof text !== 'string') return [];
  try {
    const record = JSON.parse(text) as SignedRecord;
    const key = trusted().keys.get(record.protected.key_id)?.publicKey as unknown as
      PublicKey | undefined;
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
      return verify(question.bytes, question.expected);
    case 'part':
      return partOf(question.path, question.most);
    case 'chain':
      chain = { end: CHAIN_START, tenant: null };
      return null;
    case 'entries':
      return continueChain(question.page);
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
