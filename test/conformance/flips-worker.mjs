// Flips one bit after the other of a document and verifies each time, with the built verifier: in a thread of its own, and
// without a test runner's wrappers around every global. Skips nothing and remembers nothing of a flip.
import { parentPort, workerData } from 'node:worker_threads';
import {
  canonicalText,
  loadTrust,
  newVerifierMemory,
  readWitnessPolicy,
  verifyDocument,
} from '@countersign/protocol';
import { storedCopies } from './stored-copies.mjs';

const { text, manifest, store, policy, flips } = workerData;
const bytes = Buffer.from(text);
const original = canonicalText(JSON.parse(text));
const trust = loadTrust(manifest);
const copies = store === null ? null : storedCopies(store);
const witnesses = policy === null ? null : readWitnessPolicy(policy).policy;

const memory = newVerifierMemory();
verifyDocument(bytes, trust, { copies, witnesses, memory });
// Signatures are cached by their exact bytes, and only the valid ones of the original: the bytes of a flip never come
// again, and a refusal is computed each time.
const [verified, canonical] = [new Map(memory.verified), new Set(memory.canonical)];

const unnoticed = [];
for (const [count, { at, mask }] of flips.entries()) {
  bytes[at] ^= mask;
  const { verdict, uncovered } = verifyDocument(bytes, trust, { copies, witnesses, memory });
  if (verdict !== 'fails') {
    const same = canonicalText(JSON.parse(bytes.toString())) === original;
    const named = uncovered.map(({ path }) => path);
    unnoticed.push({ at, mask, named, respelled: same && named.includes('') });
  }
  bytes[at] ^= mask;
  if (memory.verified.size > verified.size) memory.verified.clear();
  for (const [key, value] of verified) memory.verified.set(key, value);
  if (memory.canonical.size > canonical.size) memory.canonical.clear();
  for (const digest of canonical) memory.canonical.add(digest);
  if (count % 1000 === 999) parentPort.postMessage({ done: count + 1 });
}
parentPort.postMessage({ done: flips.length, unnoticed });
