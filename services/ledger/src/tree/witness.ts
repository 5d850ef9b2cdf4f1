import {
  consistencyPath,
  cosignaturesOf,
  readNote,
  readSignatures,
  readVerifierKey,
} from '@countersign/protocol';
import type { Cosignature, NoteKey } from '@countersign/protocol';
import { NOTE_ALGORITHM, noteKeyId } from '@countersign/protocol';
import { startLoop } from '@countersign/platform';
import type { Logger, Loop } from '@countersign/platform';
import type { TreeStore, UnwitnessedHead } from '../store/tree.js';
import { pathHashes } from './tiles.js';

const EVERY_MS = 2000;
const AT_ONCE = 100;
const ANSWER_WITHIN_MS = 10_000;
const LONGEST_ANSWER = 65_536;
const MOST_WAIT_MS = 300_000;

/** A witness signs that a tree only grows: its key, and the prefix of its add-checkpoint. */
export interface Witness {
  readonly key: NoteKey;
  readonly url: URL;
}

/**
 * Reads `<verifier key> <submission prefix>`, as in `witness.example/w1+1a2b3c4d+BAUG… https://witness.example/w1`; null
 * when it is none. Plain HTTP is for development.
 */
export function readWitness(text: string, plainHttp: boolean): Witness | null {
  const [vkey = '', prefix = '', ...more] = text.trim().split(/\s+/);
  const key = readVerifierKey(vkey);
  if (key?.algorithm !== NOTE_ALGORITHM.cosignature || more.length > 0) return null;
  if (!URL.canParse(prefix)) return null;
  const url = new URL(`${prefix.replace(/\/$/, '')}/add-checkpoint`);
  const isSecure = url.protocol === 'https:' || (plainHttp && url.protocol === 'http:');
  return isSecure && url.username === '' && url.password === '' ? { key, url } : null;
}

export interface WitnessDeps {
  readonly store: TreeStore;
  readonly witnesses: readonly Witness[];
  readonly log: Logger;
}

/**
 * Has newest checkpoints signed by the configured witnesses (c2sp.org/tlog-witness, as a log): sends each the newest
 * checkpoint that it has not signed, with the proof that it continues the one that it signed last, and keeps the valid
 * signatures. Checkpoints are published without waiting for witnesses.
 */
export function witnessRounds(deps: WitnessDeps): { start(): void; stop(): Promise<void> } {
  const rests = new Map<string, { until: number; failures: number }>();
  let loop: Loop | undefined;

  async function round(): Promise<void> {
    await Promise.all(deps.witnesses.map((witness) => visit(witness)));
  }

  async function visit(witness: Witness): Promise<void> {
    const { name } = witness.key;
    try {
      const heads = await deps.store.unwitnessed(name, noteKeyId(witness.key), AT_ONCE);
      for (const head of heads) await attempt(witness, head);
    } catch (error) {
      deps.log.warn({ err: error, witness: name }, 'checkpoints for a witness cannot be read');
    }
  }

  async function attempt(witness: Witness, head: UnwitnessedHead): Promise<void> {
    const name = `${noteKeyId(witness.key)} ${head.tenant}`;
    const rest = rests.get(name);
    if (rest !== undefined && rest.until > performance.now()) return;
    try {
      await deps.store.saveCosignature(head, await ask(deps.store, witness, head));
      rests.delete(name);
    } catch (error) {
      const failures = (rest?.failures ?? 0) + 1;
      const until = performance.now() + Math.min(MOST_WAIT_MS, 1000 * 2 ** failures);
      rests.set(name, { until, failures });
      deps.log.warn(
        { err: error, witness: witness.key.name, tenant: head.tenant, size: head.size },
        'a witness did not sign a checkpoint',
      );
    }
  }

  return {
    start() {
      if (deps.witnesses.length > 0) loop = startLoop(EVERY_MS, round);
    },
    stop: async () => {
      await loop?.stop();
    },
  };
}

/** One checkpoint, one witness. Throws when it is not signed, saying why. */
async function ask(
  store: Pick<TreeStore, 'tiles'>,
  witness: Witness,
  head: UnwitnessedHead,
): Promise<Cosignature> {
  let old = head.witnessed;
  let answer = await send(store, witness, head, old);
  if (answer.status === 409 && answer.type === 'text/x.tlog.size') {
    // It knows us from before: from a signature that never reached us, or before this database was set up.
    old = /^(?:0|[1-9]\d{0,15})\n$/.test(answer.text) ? Number(answer.text) : NaN;
    if (!(old <= head.size)) {
      throw new Error(`the witness has signed a tree of ${answer.text.trim()} entries`);
    }
    answer = await send(store, witness, head, old);
  }
  if (answer.status !== 200) throw new Error(`the witness answers ${answer.status}`);
  const body = readNote(head.note)?.body ?? '';
  const [cosignature] = cosignaturesOf(body, readSignatures(answer.text) ?? [], [witness.key]);
  if (cosignature === undefined) throw new Error('the witness answers without its signature');
  return cosignature;
}

async function send(
  store: Pick<TreeStore, 'tiles'>,
  witness: Witness,
  head: UnwitnessedHead,
  old: number,
): Promise<{ status: number; type: string; text: string }> {
  const path = await pathHashes(store, head.tenant, consistencyPath(old, head.size));
  const proof = path.map((hash) => `${hash.toString('base64')}\n`).join('');
  const response = await fetch(witness.url, {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
    body: `old ${old}\n${proof}\n${head.note}`,
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  });
  const type = (response.headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '';
  return { status: response.status, type, text: await textOf(response) };
}

async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LONGEST_ANSWER) throw new Error('the witness answers at too great a length');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
