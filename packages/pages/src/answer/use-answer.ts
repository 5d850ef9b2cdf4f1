import type { DecisionCandidate, SignedRecord } from '@countersign/protocol';
import { useEffect, useState } from 'preact/hooks';

import { signs } from './signed.js';

/** The signed answer once its digests were recomputed here; `other` when the candidate is not the signed one. */
export type FoundAnswer =
  | { readonly kind: 'signed'; readonly response: unknown }
  | { readonly kind: 'checking' | 'other' };

export function useSignedAnswer(
  receipt: SignedRecord,
  candidate: DecisionCandidate | null,
): FoundAnswer {
  const [found, setFound] = useState<FoundAnswer>({ kind: 'checking' });
  useEffect(() => {
    let gone = false;
    const tell = (next: FoundAnswer) => {
      if (!gone) setFound(next);
    };
    if (candidate === null) {
      tell({ kind: 'other' });
    } else {
      signs(receipt, candidate).then(
        (same) => tell(same ? { kind: 'signed', response: candidate.response } : { kind: 'other' }),
        () => tell({ kind: 'other' }),
      );
    }
    return () => {
      gone = true;
    };
  }, [receipt.signature, candidate?.id, candidate?.response_digest]);
  return found;
}
