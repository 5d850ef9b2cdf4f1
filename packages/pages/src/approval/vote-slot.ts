import type { ApprovalResult, DecisionCandidate } from '@countersign/protocol';

import { newKey, send } from '../api/client.js';
import { Problem } from '../api/problem.js';
import { canonicalText, textDigest, valueDigest } from '../material/digest.js';
import type { VoteSignature } from '../keys/sign-vote.js';
import type { Act, Frozen, ProposalSource } from '../review/proposal-slot.js';

export type VoteState =
  | { readonly step: 'free' }
  | {
      readonly step: 'reviewing';
      readonly frozen: Frozen;
      readonly fault: unknown;
      readonly freshLogin: boolean;
    }
  | {
      readonly step: 'confirming';
      readonly frozen: Frozen;
      readonly repeats: number;
      /** The person's key is asked; nothing was sent, and the person can leave it. */
      readonly signing: boolean;
    };

/** Has the person's own key sign a vote for a frozen candidate (protocol §19.7). */
export type SignsVote = (frozen: Frozen, signal: AbortSignal) => Promise<VoteSignature>;

export interface VoteSlotOptions {
  readonly requestId: string;
  readonly requestDigest: string;
  /** Null where the policy of the request asks for no keys. */
  readonly signs: SignsVote | null;
  readonly onState: (state: VoteState) => void;
  readonly onVoted: (result: ApprovalResult) => void;
  /** The service refused the vote for good: nothing was signed, and the panel is closed. */
  readonly onRefused: (problem: Problem) => void;
}

/** One person's way from a frozen candidate, of any author, to a vote on it. */
export interface VoteSlot {
  /** Shows a candidate; false when it is not the promised one. */
  open(candidate: DecisionCandidate, promised: string, source: ProposalSource): Promise<boolean>;
  close(): void;
  /** Leaves the candidate, or the wait for the person's key. False without a person's own act. */
  dismiss(act: Act): boolean;
  /** Votes for exactly the frozen candidate. False without a person's own act. */
  confirm(act: Act): boolean;
  /** Repeats a vote with the same key, to learn its result. */
  askAgain(): void;
  end(): void;
}

const REPEAT_MS = [1_000, 2_000, 4_000, 8_000, 15_000] as const;
/** Refusals after which the same vote can be given again. */
const STAYS: readonly string[] = [
  'fresh_login_required',
  'rate_limited',
  'identity_uncertain',
  'human_key_required',
  'offer_expired',
  'invalid_assertion',
];

export function createVoteSlot(options: VoteSlotOptions): VoteSlot {
  const { requestId, requestDigest, signs, onState, onVoted, onRefused } = options;
  let state: VoteState = { step: 'free' };
  let key = '';
  let ended = false;
  /** Ends the wait for the person's key. */
  let leaving: AbortController | null = null;
  let repeat: (repeats: number) => Promise<void> = () => Promise.resolve();
  let timer: ReturnType<typeof setTimeout> | undefined;

  function become(next: VoteState): void {
    clearTimeout(timer);
    state = next;
    if (!ended) onState(next);
  }

  async function isWhole(candidate: DecisionCandidate, promised: string): Promise<boolean> {
    const canonical = canonicalText(candidate.response);
    return (
      candidate.request_id === requestId &&
      candidate.request_digest === requestDigest &&
      candidate.response_canonical === canonical &&
      (await textDigest(canonical)) === candidate.response_digest &&
      (await valueDigest(candidate)) === promised
    );
  }

  async function begin(frozen: Frozen): Promise<void> {
    if (signs === null) return ask(frozen, 0, {});
    const own = new AbortController();
    leaving = own;
    become({ step: 'confirming', frozen, repeats: 0, signing: true });
    let signature: VoteSignature;
    try {
      signature = await signs(frozen, own.signal);
    } catch (fault) {
      if (own.signal.aborted || ended) return;
      if (fault instanceof Problem) refuse(frozen, fault);
      else become({ step: 'reviewing', frozen, fault, freshLogin: false });
      return;
    }
    if (!own.signal.aborted && !ended) await ask(frozen, 0, signature);
  }

  /** Nothing was signed: the vote can be given again, or not at all. */
  function refuse(frozen: Frozen, fault: Problem): void {
    if (STAYS.includes(fault.code) || fault.code === 'service_unavailable') {
      const freshLogin = fault.code === 'fresh_login_required';
      become({ step: 'reviewing', frozen, fault: freshLogin ? null : fault, freshLogin });
      return;
    }
    become({ step: 'free' });
    if (!ended) onRefused(fault);
  }

  async function ask(
    frozen: Frozen,
    repeats: number,
    signature: Partial<VoteSignature>,
  ): Promise<void> {
    repeat = (next) => ask(frozen, next, signature);
    become({ step: 'confirming', frozen, repeats, signing: false });
    try {
      const body = {
        candidate_id: frozen.candidate.id,
        candidate_digest: frozen.digest,
        ...signature,
      };
      const result = await send<ApprovalResult>(
        'POST',
        `/v2/requests/${requestId}/approvals`,
        body,
        { key },
      );
      become({ step: 'free' });
      if (!ended) onVoted(result);
    } catch (fault) {
      if (fault instanceof Problem && fault.code !== 'service_unavailable') {
        refuse(frozen, fault);
        return;
      }
      if (ended) return;
      // The result is unknown. The same key repeats the same call, and a vote is given once.
      become({ step: 'confirming', frozen, repeats: repeats + 1, signing: false });
      const wait = REPEAT_MS[Math.min(repeats, REPEAT_MS.length - 1)];
      timer = setTimeout(() => void ask(frozen, repeats + 1, signature), wait);
    }
  }

  function askAgain(): void {
    if (state.step === 'confirming' && state.repeats > 0) void repeat(state.repeats);
  }
  window.addEventListener('online', askAgain);

  return {
    async open(candidate, promised, source) {
      if (!(await isWhole(candidate, promised))) return false;
      if (state.step === 'confirming') return true;
      const frozen = { candidate, digest: promised, source };
      become({ step: 'reviewing', frozen, fault: null, freshLogin: false });
      return true;
    },
    close() {
      if (state.step === 'reviewing') become({ step: 'free' });
    },
    dismiss(act) {
      if (!isOwnAct(act)) return false;
      if (state.step === 'confirming' && state.signing) {
        leaving?.abort();
        become({ step: 'reviewing', frozen: state.frozen, fault: null, freshLogin: false });
        return true;
      }
      if (state.step !== 'reviewing') return false;
      become({ step: 'free' });
      return true;
    },
    confirm(act) {
      if (state.step !== 'reviewing' || !isOwnAct(act)) return false;
      key = newKey();
      void begin(state.frozen);
      return true;
    },
    askAgain,
    end() {
      ended = true;
      leaving?.abort();
      clearTimeout(timer);
      window.removeEventListener('online', askAgain);
    },
  };
}

/** As for a confirmation: the browser itself must know of a press of a key or button. */
function isOwnAct(act: Act): boolean {
  return act.isTrusted && navigator.userActivation.isActive;
}
