import { Refusal } from '../errors.js';
import { applyDue } from './apply-due.js';
import type { Lifecycle } from './state.js';
import type { RequestFacts, Transition } from './transition.js';

/** The facts about the tenant that authority depends on. */
export interface TenantState {
  /** No authority until an operator's recovery (protocol §4.2). */
  readonly fenced: boolean;
  /** The namespace that authority is given under. */
  readonly generation: string;
}

/**
 * The part of AUTHORITY (protocol §6.4) that is decided without the directory, in its order: purpose → fence → namespace
 * (R18) → not invalidated and authorised → anchored → in time → grant as needed.
 */
export function requireAuthority(
  state: Lifecycle,
  { request }: Pick<RequestFacts, 'request'>,
  needed: 'available' | 'consumed',
  { fenced, generation }: TenantState,
  now: number,
): Transition {
  if (state.purpose !== 'authorise_execution') throw new Refusal('execution_purpose_required');
  if (fenced) throw new Refusal('admission_fenced');
  if (request.authority_namespace !== generation) {
    throw new Refusal('namespace_retired', { status: 409 });
  }
  const due = applyDue(state, now);
  const authorised = state.decision === 'confirmed' && state.grant !== 'none';
  if (due.next.invalidated !== null || !authorised) throw new Refusal('authority_revoked');
  if (state.audit !== 'anchored') throw new Refusal('pending_anchor');
  if (state.grantDeadline === null || now >= state.grantDeadline)
    throw new Refusal('grant_expired');
  if (state.grant !== needed) throw new Refusal('grant_unavailable');
  return due;
}
