import type { ApprovalResult } from '@countersign/protocol';
import { useEffect, useRef, useState } from 'preact/hooks';

import type { Problem } from '../api/problem.js';
import { createVoteSlot } from './vote-slot.js';
import type { SignsVote, VoteSlot, VoteState } from './vote-slot.js';

/** The page's one way to a vote. */
export function useVote(props: {
  readonly requestId: string;
  readonly requestDigest: string;
  /** Null where the policy of the request asks for no keys. */
  readonly signs: { readonly current: SignsVote } | null;
  readonly onVoted: (result: ApprovalResult) => void;
  readonly onRefused: (problem: Problem) => void;
}): { readonly slot: VoteSlot | null; readonly state: VoteState } {
  const { requestId, requestDigest, signs } = props;
  const [slot, setSlot] = useState<VoteSlot | null>(null);
  const [state, setState] = useState<VoteState>({ step: 'free' });
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const made = createVoteSlot({
      requestId,
      requestDigest,
      signs: signs && ((frozen, signal) => signs.current(frozen, signal)),
      onState: setState,
      onVoted: (result) => latest.current.onVoted(result),
      onRefused: (problem) => latest.current.onRefused(problem),
    });
    setSlot(made);
    return () => made.end();
  }, [requestId, requestDigest, signs]);
  return { slot, state };
}
