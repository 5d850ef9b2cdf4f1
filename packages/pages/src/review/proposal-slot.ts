import type {
  DecisionCandidate,
  DecisionProposal,
  InboxPerson,
  SignedRecord,
} from '@countersign/protocol';

import { newKey, send } from '../api/client.js';
import { Problem, Unanswered } from '../api/problem.js';
import { canonicalText, textDigest, valueDigest } from '../material/digest.js';

export type Proposal = DecisionProposal;

/** The source of a proposal, which is shown to the person who confirms. */
export type ProposalSource =
  | { readonly kind: 'form' }
  | {
      readonly kind: 'app';
      readonly publisher: string;
      readonly bundle: string;
      readonly digest: string;
    }
  /** Frozen before this page was opened. */
  | { readonly kind: 'earlier' }
  /** Another person's, where several people decide. */
  | { readonly kind: 'colleague'; readonly author: InboxPerson };

export interface Accepted {
  readonly accepted: true;
  readonly candidateId: string;
}

export interface Refused {
  readonly accepted: false;
  /** `busy`: never sent, because another one is being reviewed; `mismatch`: the returned candidate is another one. */
  readonly reason: 'busy' | 'refused' | 'unanswered' | 'mismatch';
  /** The service's code, when it refused. */
  readonly code: string | null;
}

/** A frozen candidate that was checked in full, with the digest that confirming names. */
export interface Frozen {
  readonly candidate: DecisionCandidate;
  readonly digest: string;
  readonly source: ProposalSource;
}

export type SlotState =
  | { readonly step: 'free'; readonly fault: unknown; readonly refused: Refused | null }
  | { readonly step: 'preparing'; readonly source: ProposalSource }
  | {
      readonly step: 'reviewing';
      readonly frozen: Frozen;
      readonly fault: unknown;
      /** The service wants a fresh login before it takes the confirmation. */
      readonly freshLogin: boolean;
    }
  | {
      readonly step: 'confirming';
      readonly frozen: Frozen;
      /** The answer was lost: asked so many times more with the same key. 0 while the first is under way. */
      readonly repeats: number;
    }
  | {
      readonly step: 'confirmed';
      readonly frozen: Frozen;
      readonly receipt: SignedRecord;
      readonly repeats: number;
    };

export interface SlotOptions {
  readonly requestId: string;
  readonly requestDigest: string;
  /** The reader's principal id. */
  readonly reviewer: string;
  /** The service says that the candidate is another one by now, or the request is over: look at both again. */
  readonly onOvertaken: (problem: Problem) => void;
}

/** A person's own act, as a browser reports it. */
export interface Act {
  readonly isTrusted: boolean;
}

export interface ProposalSlot {
  state(): SlotState;
  subscribe(listener: (state: SlotState) => void): () => void;
  /** Freezes a proposal; refused without being sent while the slot is taken (protocol §12.6). */
  propose(proposal: Proposal, source: ProposalSource): Promise<Accepted | Refused>;
  /** Shows a candidate that was frozen before; false when it is not whole. */
  restore(candidate: DecisionCandidate, source: ProposalSource): Promise<boolean>;
  /** Back to the answer; nothing is signed. False without a person's own act. */
  dismiss(act: Act): boolean;
  /** Removes the proposal of a source, as when its app ended. Never while it is being confirmed. */
  withdraw(source: ProposalSource['kind']): void;
  /** Confirms exactly the frozen candidate. False without a person's own act. */
  confirm(act: Act): boolean;
  /** Repeats a confirmation with the same key, to learn its result. */
  askAgain(): void;
  close(): void;
}

const FREE: SlotState = { step: 'free', fault: null, refused: null };
const PROPOSAL_TRIES = 3;
const REPEAT_MS = [1_000, 2_000, 4_000, 8_000, 15_000] as const;

/** The one path of an answer from proposal to signature, from any source. */
export function createProposalSlot(options: SlotOptions): ProposalSlot {
  const { requestId, requestDigest, reviewer } = options;
  const path = `/v2/requests/${requestId}`;
  const listeners = new Set<(state: SlotState) => void>();
  let state: SlotState = FREE;
  let key = '';
  /** A source that withdrew the proposal that is being frozen. */
  let takenBack: ProposalSource['kind'] | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;

  function become(next: SlotState): void {
    clearTimeout(timer);
    state = next;
    for (const listener of listeners) listener(next);
  }

  /** The candidate with its digest when it is whole and matches the proposal; null otherwise. */
  async function checked(candidate: DecisionCandidate, proposal: Proposal | null) {
    const canonical = canonicalText(candidate.response);
    const same =
      candidate.request_id === requestId &&
      candidate.request_digest === requestDigest &&
      candidate.reviewer === reviewer &&
      candidate.response_canonical === canonical &&
      (await textDigest(canonical)) === candidate.response_digest &&
      (proposal === null ||
        (candidate.decision === proposal.decision &&
          canonical === canonicalText(proposal.response)));
    return same ? valueDigest(candidate) : null;
  }

  async function freeze(proposal: Proposal): Promise<DecisionCandidate> {
    const once = newKey();
    for (let left = PROPOSAL_TRIES; ; left -= 1) {
      try {
        return await send<DecisionCandidate>('POST', `${path}/candidates`, proposal, { key: once });
      } catch (fault) {
        if (!(fault instanceof Unanswered) || left <= 1 || !navigator.onLine) throw fault;
      }
    }
  }

  async function ask(frozen: Frozen, repeats: number): Promise<void> {
    become({ step: 'confirming', frozen, repeats });
    try {
      const receipt = await send<SignedRecord>(
        'POST',
        `${path}/confirm`,
        { candidate_id: frozen.candidate.id, candidate_digest: frozen.digest },
        { key },
      );
      become({ step: 'confirmed', frozen, receipt, repeats });
    } catch (fault) {
      if (fault instanceof Problem && fault.code !== 'service_unavailable') {
        const freshLogin = fault.code === 'fresh_login_required';
        become({ step: 'reviewing', frozen, fault: freshLogin ? null : fault, freshLogin });
        if (['candidate_changed', 'request_not_pending'].includes(fault.code)) {
          options.onOvertaken(fault);
        }
        return;
      }
      // The result is unknown. The same key repeats the same call, and a decision is made once.
      become({ step: 'confirming', frozen, repeats: repeats + 1 });
      const wait = REPEAT_MS[Math.min(repeats, REPEAT_MS.length - 1)];
      timer = setTimeout(() => void ask(frozen, repeats + 1), wait);
    }
  }

  function askAgain(): void {
    if (state.step === 'confirming' && state.repeats > 0) void ask(state.frozen, state.repeats);
  }
  window.addEventListener('online', askAgain);

  return {
    state: () => state,

    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async propose(proposal, source) {
      if (state.step !== 'free') return { accepted: false, reason: 'busy', code: null };
      takenBack = null;
      become({ step: 'preparing', source });
      const refuse = (refused: Refused, fault: unknown): Refused => {
        become({ step: 'free', fault, refused });
        return refused;
      };
      try {
        const candidate = await freeze(proposal);
        const digest = await checked(candidate, proposal);
        if (digest === null) {
          return refuse({ accepted: false, reason: 'mismatch', code: null }, null);
        }
        if (takenBack === source.kind) {
          return refuse({ accepted: false, reason: 'refused', code: null }, null);
        }
        const frozen = { candidate, digest, source };
        rememberSource(frozen);
        become({ step: 'reviewing', frozen, fault: null, freshLogin: false });
        return { accepted: true, candidateId: candidate.id };
      } catch (fault) {
        if (fault instanceof Unanswered) {
          return refuse({ accepted: false, reason: 'unanswered', code: null }, fault);
        }
        const code = fault instanceof Problem ? fault.code : null;
        return refuse({ accepted: false, reason: 'refused', code }, fault);
      }
    },

    async restore(candidate, source) {
      const digest = await checked(candidate, null);
      if (digest === null || state.step === 'confirming' || state.step === 'confirmed')
        return false;
      const known = sourceOf(candidate.id) ?? source;
      const frozen = { candidate, digest, source: known };
      become({ step: 'reviewing', frozen, fault: null, freshLogin: false });
      return true;
    },

    dismiss(act) {
      if (state.step !== 'reviewing' || !isOwnAct(act)) return false;
      become(FREE);
      return true;
    },

    withdraw(kind) {
      takenBack = kind;
      if (state.step === 'reviewing' && state.frozen.source.kind === kind) become(FREE);
    },

    confirm(act) {
      if (state.step !== 'reviewing' || !isOwnAct(act)) return false;
      key = newKey();
      void ask(state.frozen, 0);
      return true;
    },

    askAgain,

    close() {
      clearTimeout(timer);
      window.removeEventListener('online', askAgain);
      listeners.clear();
    },
  };
}

/** No script, of this page or another, confirms: the browser itself must know of a press of a key or button. */
function isOwnAct(act: Act): boolean {
  return act.isTrusted && navigator.userActivation.isActive;
}

const SOURCE = 'countersign.source';

/** A page that is loaded again, as after a fresh login, still knows where its candidate came from. */
function rememberSource({ candidate, source }: Frozen): void {
  sessionStorage.setItem(SOURCE, JSON.stringify({ id: candidate.id, source }));
}

function sourceOf(id: string): ProposalSource | null {
  try {
    const known = JSON.parse(sessionStorage.getItem(SOURCE) ?? 'null') as {
      id: string;
      source: ProposalSource;
    } | null;
    return known?.id === id ? known.source : null;
  } catch {
    return null;
  }
}
