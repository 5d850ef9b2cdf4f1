import {
  AnswerInvalid,
  ConfigurationInvalid,
  ServiceRefusal,
  Unreachable,
  VerificationFailed,
  WaitEnded,
} from '@countersign/client/node';
import type { Goal, RequestStatus } from '@countersign/client/node';
import {
  AlreadyDone,
  AlreadyUsed,
  ArgumentsChanged,
  Conflict,
  JournalInvalid,
  Lapsed,
  OutcomeUnknown,
  Refused,
} from '@countersign/guard/node';

import { decisionOf } from './report.js';

/** Exit codes (docs/cli.md). A command that ran has its own up to 99. */
export const EXITS = {
  done: 0,
  failed: 1,
  usage: 2,
  most: 99,
  refused: 100,
  lapsed: 101,
  unknown: 102,
  used: 103,
  unverified: 104,
  unreachable: 105,
  open: 106,
  fenced: 107,
  changed: 108,
} as const;

/** Bad input: the option or the member that is wrong, and the remedy. Nothing was asked. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Of a request that was waited for. */
export function exitOfStatus(status: RequestStatus, goal: Goal): number {
  const { decision_state, grant_state, execution_state } = status;
  if (decision_state === 'pending') return EXITS.open;
  if (decision_state !== 'confirmed') return EXITS.lapsed;
  if (['reject', 'refuse'].includes(decisionOf(status) ?? '')) return EXITS.refused;
  if (goal === 'decided') return EXITS.done;
  if (grant_state === 'pending_anchor') return EXITS.open;
  if (grant_state === 'expired' || grant_state === 'revoked') return EXITS.lapsed;
  if (goal === 'available') return EXITS.done;
  if (execution_state === 'uncertain' || execution_state === 'abandoned') return EXITS.unknown;
  return ['completed', 'not_applicable'].includes(execution_state) ? EXITS.done : EXITS.failed;
}

export function exitOf(error: unknown): number {
  if (error instanceof Refused) return EXITS.refused;
  if (error instanceof Lapsed)
    return error.why === 'namespace_retired' ? EXITS.fenced : EXITS.lapsed;
  if (error instanceof OutcomeUnknown || error instanceof Conflict) return EXITS.unknown;
  if (error instanceof AlreadyUsed || error instanceof AlreadyDone) return EXITS.used;
  if (error instanceof ArgumentsChanged) return EXITS.changed;
  if (error instanceof VerificationFailed || error instanceof AnswerInvalid)
    return EXITS.unverified;
  if (error instanceof Unreachable)
    return error.cause instanceof AnswerInvalid ? EXITS.unverified : EXITS.unreachable;
  if (error instanceof WaitEnded) return EXITS.open;
  if (error instanceof ServiceRefusal) return exitOfRefusal(error);
  return EXITS.usage;
}

function exitOfRefusal({ code, retry }: ServiceRefusal): number {
  if (code === 'occurrence_consumed' || code === 'occurrence_unavailable') return EXITS.used;
  if (code === 'idempotency_conflict') return EXITS.changed;
  if (retry === 'person') return EXITS.fenced;
  return retry === 'never' ? EXITS.usage : EXITS.unreachable;
}

/** One or two sentences: what is wrong, and the remedy. */
export function explain(error: unknown): string {
  if (error instanceof ServiceRefusal) return explainRefusal(error);
  if (error instanceof Unreachable) return explainUnreachable(error);
  if (error instanceof ConfigurationInvalid)
    return `The connection cannot be used: ${error.message}.`;
  if (error instanceof VerificationFailed)
    return `${error.message}. Do not act on it, and do not repeat the call: tell the operator of the service.${clockHint(error.reason)}`;
  if (error instanceof AnswerInvalid)
    return `The answer is none of Countersign (${error.message}): check \`origin\` of the connection file.`;
  if (error instanceof OutcomeUnknown)
    return 'The command may have done its work: nothing says whether it did. Look there before anything else; an operator reconciles the request.';
  if (error instanceof Refused) return 'A reviewer refused it. The command did not run.';
  if (error instanceof Lapsed)
    return `There is no authority to act (${error.why}). The command did not run.`;
  if (error instanceof AlreadyDone)
    return 'This occurrence was completed before. The command did not run again.';
  if (error instanceof AlreadyUsed)
    return 'This occurrence was used before. The command did not run: give an action of its own an --occurrence of its own.';
  if (error instanceof ArgumentsChanged)
    return 'This occurrence was asked for with another command, files or variables. The command did not run: take another --occurrence.';
  if (error instanceof WaitEnded)
    return 'The wait ended and the request is still open. Call again: the decision is found.';
  if (error instanceof JournalInvalid) return `The journal cannot be used: ${error.message}.`;
  if (error instanceof Error) return error.message;
  return String(error);
}

function explainRefusal({ code, status, detail, instance, retryAfter }: ServiceRefusal): string {
  const remedy =
    status === 401
      ? 'The token is not one of this service: check what `token_env` or `token_file` of the connection file names.'
      : code === 'not_found'
        ? 'This producer has no such request: check the id and the connection file.'
        : code === 'route_profile_required'
          ? 'Where the route asks for several people, add `--approvals`, or `approvals: true` to the policy.'
          : retryAfter === null
            ? ''
            : `Try again in ${retryAfter} s.`;
  return [`The service refused: ${code}.`, detail, remedy, `(trace ${instance})`]
    .filter((part) => part !== '' && part !== '(trace )')
    .join(' ');
}

function explainUnreachable({ effect, cause }: Unreachable): string {
  if ((cause as Error | undefined)?.name === 'CertificateFault')
    return 'The certificate of the service is not trusted: check `origin` of the connection file, or name your authority’s certificate in NODE_EXTRA_CA_CERTS.';
  const doubt =
    effect === 'unknown'
      ? ' The call may have had its effect: call again, which does it at most once.'
      : '';
  return `The service cannot be reached: check \`origin\` of the connection file and the network.${doubt}`;
}

function clockHint(reason: string): string {
  return /time|clock|future|early/.test(reason) ? ' Check the clock of this machine first.' : '';
}
