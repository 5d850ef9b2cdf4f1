import { asJsonText, readOutcome, textDigest } from '@countersign/protocol';
import type { Digest, ExecutionOutcome, ReadOutcome } from '@countersign/protocol';

/** The input of `execution-authority.report-outcome` and `execution-authority.reconcile`. */
export interface OutcomeInput extends ReadOutcome {
  /** Of the whole body. */
  readonly digest: Digest;
}

/** Reads a body in canonical form, which the gateway has checked against its record. */
export function readOutcomeInput(body: string): OutcomeInput {
  const outcome = JSON.parse(body) as ExecutionOutcome;
  return { ...readOutcome(outcome, asJsonText(body)), digest: textDigest(body) };
}
