import type { RequestStatus } from '@countersign/protocol';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';

import { isRefusal, readAsText, readAsTextWithin } from '../api/client.js';
import { Problem, Unanswered } from '../api/problem.js';
import { now } from '../time/clock.js';
import type { EvidenceAnswer } from '../verifying/messages.js';
import { startVerifier } from '../verifying/verifier.js';
import type { Verifier } from '../verifying/verifier.js';
import type { Judgement } from './judgement.js';
import type { KeptTrust } from './kept-trust.js';
import { rested, settled, visible } from './resting.js';

export type SealState =
  | { readonly kind: 'unchecked' | 'checking' | 'incomplete' | 'large' }
  | { readonly kind: 'judged'; readonly checked: EvidenceAnswer }
  | { readonly kind: 'unavailable'; readonly fault: unknown };

/** Each look reads all private material again: more than this only when the reader asks for it. */
const MOST_UNASKED_BYTES = 2_000_000;

const UNCHECKED: SealState = { kind: 'unchecked' };

/** Anchoring takes some seconds; before that there is nothing to read. */
const ANCHORING_MS = 5_000;
const FIRST_REST_MS = 2_000;
const LONGEST_REST_MS = 60_000;
/** Some minutes; then only the reader asks again. */
const WITNESS_TURNS = 8;

/**
 * Verifies the evidence of a request in a worker, once the page has settled, and again whenever its state changes. Large
 * evidence is verified only when `again` is called.
 */
export function useSeal(
  status: RequestStatus,
  kept: KeptTrust,
): { readonly state: SealState; readonly again: () => void } {
  const [turn, setTurn] = useState(0);
  const { request, revision, audit_state, decision_state, grant_state, execution_state } = status;
  const states = [audit_state, decision_state, grant_state, execution_state];
  const of = JSON.stringify([request.id, revision, states, kept, turn]);
  const [known, setKnown] = useState({ of, state: UNCHECKED });
  const verifier = useRef<Verifier | null>(null);
  /** The reader's questions so far; the next look is asked for when there is a new one. */
  const asked = useRef(0);
  const close = () => {
    verifier.current?.close();
    verifier.current = null;
  };

  useEffect(() => {
    const control = new AbortController();
    const { signal } = control;
    const show = (state: SealState) => {
      if (!signal.aborted) setKnown({ of, state });
    };
    const most = turn > asked.current ? Infinity : MOST_UNASKED_BYTES;
    asked.current = turn;
    const look = async (): Promise<EvidenceAnswer | null> => {
      const path = `/v2/requests/${encodeURIComponent(request.id)}/evidence`;
      const text = await readAsTextWithin(path, most, { signal });
      if (text === null) return null;
      // Behind it: the manifest has every key that the evidence was signed with.
      const manifest = await readAsText('/.well-known/proto-trust', { signal });
      const worker = (verifier.current ??= startVerifier());
      const bytes = new TextEncoder().encode(text);
      return worker.ask({ ask: 'evidence', bytes, shown: status, manifest, ...kept, now: now() }, [
        bytes.buffer,
      ]);
    };
    const mayChange = ({ kind }: Judgement, turn: number) =>
      kind === 'behind' ||
      kind === 'unanchored' ||
      // Witnesses sign some seconds later, or never.
      (kind === 'alone' && kept.policy !== '' && turn < WITNESS_TURNS);
    const pending = audit_state === 'pending';
    run({ look, mayChange, show, pending, signal }).catch((fault: unknown) => {
      if (signal.aborted) return;
      close();
      show({ kind: 'unavailable', fault });
    });
    return () => control.abort();
  }, [of]);
  useEffect(() => close, []);

  // A result for another state is none for this one, not for a frame.
  const state = known.of === of ? known.state : UNCHECKED;
  return { state, again: useCallback(() => setTurn((before) => before + 1), []) };
}

/** Looks until the result cannot change by itself any more. */
async function run(of: {
  /** Null when the evidence is too large to be read unasked. */
  readonly look: () => Promise<EvidenceAnswer | null>;
  readonly mayChange: (judgement: Judgement, turn: number) => boolean;
  readonly show: (state: SealState) => void;
  /** The decision is not anchored yet. */
  readonly pending: boolean;
  readonly signal: AbortSignal;
}): Promise<void> {
  const { look, mayChange, show, pending, signal } = of;
  await settled(signal);
  if (pending) {
    show({ kind: 'incomplete' });
    await rested(ANCHORING_MS, signal);
  }
  for (let turn = 0; ; turn++) {
    await visible(signal);
    if (turn === 0 && !pending) show({ kind: 'checking' });
    let rest = Math.min(LONGEST_REST_MS, FIRST_REST_MS * 1.5 ** turn);
    try {
      const checked = await look();
      if (checked === null) return show({ kind: 'large' });
      show({ kind: 'judged', checked });
      if (!mayChange(checked.judgement, turn)) return;
    } catch (fault) {
      const wait = restAfter(fault);
      if (signal.aborted || wait === null) throw fault;
      const isIncomplete = isRefusal(fault, 'evidence_incomplete');
      show(isIncomplete ? { kind: 'incomplete' } : { kind: 'unavailable', fault });
      rest = Math.max(rest, wait);
    }
    await rested(rest, signal);
  }
}

/** Milliseconds until a failed call may be repeated; null when that would change nothing. */
function restAfter(fault: unknown): number | null {
  if (fault instanceof Unanswered) return 0;
  if (fault instanceof Problem && fault.retryAfter !== null) return fault.retryAfter * 1_000;
  return null;
}
