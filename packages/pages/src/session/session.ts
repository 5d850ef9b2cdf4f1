import { Problem, Unanswered, problemOf } from '../api/problem.js';

/** Who this page was made for; the gateway writes it into the document (src/pages/shell.ts). */
export interface Reader {
  readonly tenant: string;
  /** The principal's id. */
  readonly subject: string;
  /** This person's name in the directory; the id when there is none. */
  readonly name: string;
  readonly operator: boolean;
  /** Reads the security log, and nothing else of the tenant. */
  readonly auditor: boolean;
  /** This person can choose another tenant by a login. */
  readonly choice: boolean;
}

interface Session {
  readonly tenant: string;
  readonly subject: string;
  readonly csrf: string;
}

/** `over`: the session has ended. `other`: another person has signed in with this browser meanwhile. */
export type SessionState =
  | { readonly kind: 'live' }
  | { readonly kind: 'over' }
  | { readonly kind: 'other'; readonly subject: string; readonly tenant: string };

/** Undefined while it is the one that the page was made in; null when that is over. */
let session: Session | null | undefined;
let state: SessionState = { kind: 'live' };
const listeners = new Set<(state: SessionState) => void>();

/** Who reads this page; null on a page that is for anybody. */
export function reader(): Reader | null {
  const { tenant = '', subject, name, operator, auditor, choice } = document.body.dataset;
  if (subject === undefined || subject === '') return null;
  return {
    tenant,
    subject,
    name: name || subject,
    operator: operator === 'true',
    auditor: auditor === 'true',
    choice: choice === 'true',
  };
}

export function sessionState(): SessionState {
  return state;
}

/**
 * Calls `listener` whenever the session of this page ends or belongs to another person; returns a function that stops that.
 */
export function onSession(listener: (state: SessionState) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function endSession(): void {
  session = null;
  change({ kind: 'over' });
}

/** The session that the page was made in, or the newest that was asked for; null when neither is known. */
export function knownSession(): Session | null {
  if (session !== undefined) return session;
  const { tenant, subject, csrf } = document.body.dataset;
  return tenant && subject && csrf ? { tenant, subject, csrf } : null;
}

/**
 * Asks who is signed in. The page continues only for the person it was made for: a session of another person counts as
 * none, so that no person acts in another's name.
 */
export async function freshSession(): Promise<Session> {
  let response: Response;
  try {
    response = await fetch('/auth/session', { redirect: 'error', cache: 'no-store' });
  } catch (cause) {
    throw new Unanswered('no answer', { cause });
  }
  const text = await response.text().catch(() => '');
  if (!response.ok) {
    const problem = problemOf(response.status, text, response.headers.get('Retry-After'));
    if (problem.code === 'unauthenticated') endSession();
    throw problem;
  }
  const found = JSON.parse(text) as Session;
  const expected = reader();
  // One id in two tenants may be two people, and is never the same work.
  if (expected && (found.subject !== expected.subject || found.tenant !== expected.tenant)) {
    session = null;
    change({ kind: 'other', subject: found.subject, tenant: found.tenant });
    throw new Problem({
      status: 401,
      code: 'unauthenticated',
      title: 'Somebody else is signed in',
      detail: '',
      trace: '',
      retryAfter: null,
    });
  }
  session = found;
  change({ kind: 'live' });
  return found;
}

function change(next: SessionState): void {
  if (next.kind === state.kind && next.kind !== 'other') return;
  state = next;
  for (const listener of listeners) listener(next);
}
