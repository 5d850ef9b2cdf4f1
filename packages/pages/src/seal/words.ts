import { Problem, Unanswered } from '../api/problem.js';
import type { Tone } from '../parts/Chip.js';
import { problemWords } from '../strings/problems.js';
import { sealTexts, sealWords } from '../strings/seal.js';
import type { SealWords } from '../strings/seal.js';
import { shared } from '../strings/shared.js';
import { NotVerified } from '../verifying/verifier.js';
import type { KeptTrust } from './kept-trust.js';
import type { SealState } from './use-seal.js';

export interface SealLook extends SealWords {
  readonly tone: Tone;
  /** Repeats the word and adds no information. */
  readonly sign: string;
}

/** A seal as it looks: green for `verified` alone. */
export function lookOf(state: SealState, kept: KeptTrust): SealLook {
  if (state.kind === 'unavailable') {
    return { tone: 'warning', sign: '?', ...sealWords.unavailable(reasonOf(state.fault)) };
  }
  if (state.kind !== 'judged') return { tone: 'neutral', sign: '…', ...sealWords[state.kind] };
  const { judgement, gone } = state.checked;
  const isOwn = kept.fingerprint !== '';
  switch (judgement.kind) {
    case 'verified':
      return { tone: 'good', sign: '✓', ...withGone(sealWords.verified(isOwn), gone) };
    case 'failed':
      return { tone: 'bad', sign: '✗', ...sealWords.failed(judgement.says, judgement.path) };
    case 'differs':
      return { tone: 'bad', sign: '✗', ...sealWords.differs(judgement.member, judgement.path) };
    case 'another request':
    case 'no evidence':
      return { tone: 'bad', sign: '✗', ...sealWords[judgement.kind] };
    case 'alone': {
      const words = sealWords.alone(isOwn, kept.policy !== '');
      return { tone: 'neutral', sign: '–', ...withGone(words, gone) };
    }
    case 'open':
      return { tone: 'neutral', sign: '–', ...sealWords.open(judgement.says) };
    case 'unproven':
      return { tone: 'neutral', sign: '–', ...sealWords.unproven(judgement.member) };
    case 'remains':
      return { tone: 'neutral', sign: '–', ...sealWords[judgement.kind] };
    case 'behind':
    case 'unanchored':
      return { tone: 'neutral', sign: '…', ...sealWords[judgement.kind] };
  }
}

/** After private deletion. */
function withGone({ word, says }: SealWords, gone: readonly string[]): SealWords {
  return { word, says: gone.length === 0 ? says : `${says} ${sealTexts.deleted}` };
}

function reasonOf(fault: unknown): string {
  if (fault instanceof Problem) {
    const [title] = problemWords(fault.code, fault.title, fault.detail);
    return `${title} (${fault.code})`;
  }
  if (fault instanceof Unanswered) return shared.unanswered;
  if (fault instanceof NotVerified) return fault.message;
  console.error(fault);
  return sealTexts.internal;
}
