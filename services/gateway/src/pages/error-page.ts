import type { ErrorCode, ErrorRetry } from '@countersign/protocol';
import { ERRORS, statusesOf } from '@countersign/protocol';

import { html } from '../html.js';
import type { KnownPrincipal } from '../store/index.js';
import { page } from './layout.js';

const RETRIES: Readonly<Record<ErrorRetry, string>> = {
  never: 'no; the same call is refused again',
  same: 'yes, the same call after a pause that grows',
  after: 'yes, the same call after Retry-After and at least one second',
  person: 'not before an operator has acted',
};

/**
 * Words for a person in a browser, who has neither a credential nor a call. Problem documents keep the catalogue's words,
 * which are for programs.
 */
const FOR_PEOPLE: Partial<Record<ErrorCode, readonly [title: string, advice: string]>> = {
  not_found: [
    'This page was not found',
    'It does not exist, or your account may not see it. Check the link; if it was sent to you, ask its sender whether it is for you.',
  ],
  operator_required: [
    'This page is for operators',
    'Your account is not an operator. Ask an operator of your tenant for what you need.',
  ],
  unauthenticated: [
    'Sign in to see this page',
    'Your session has ended, or you are not signed in.',
  ],
  human_required: ['This page is for people', 'Sign in with your own account.'],
};

/** The page behind a problem's `type`: the meaning and the remedy. */
export function errorReferencePage(code: ErrorCode): string {
  const { title, advice, retry } = ERRORS[code];
  return page({
    title,
    body: html`<h1>${title}</h1>
      <p>${advice}</p>
      <dl>
        <dt>Code</dt>
        <dd><code>${code}</code></dd>
        <dt>HTTP status</dt>
        <dd>${statusesOf(code).join(', ')}</dd>
        <dt>Repeat the call</dt>
        <dd><code>${retry}</code>: ${RETRIES[retry]}</dd>
      </dl>
      <p class="fine"><a href="/docs">All operations and their refusals</a></p>`,
  });
}

/** The page that a browser shows for a refused page. */
export function refusalPage(
  code: ErrorCode,
  detail: string | undefined,
  trace: string,
  reader: KnownPrincipal | null,
): string {
  const signIn = code === 'unauthenticated' || statusesOf(code).includes(401);
  const { title: named, advice: advised } = ERRORS[code];
  const [title, advice] = FOR_PEOPLE[code] ?? [named, advised];
  return page({
    title,
    body: html`<h1>${title}</h1>
      <p>${detail ?? advice}</p>
      ${signIn ? html`<p><a class="button" href="/auth/login">Sign in</a></p>` : ''}
      ${reader ? inTenant(reader) : ''}
      ${signIn ? '' : html`<p><a href="/inbox">Back to the inbox</a></p>`}
      <p class="fine"><a href="/errors/${code}">${code}</a> · trace ${trace}</p>`,
  });
}

/** A link may belong to another tenant of the same person; whether it does is not said. */
function inTenant({ tenant, principal }: KnownPrincipal) {
  return html`<p>
      You are signed in to the tenant <strong>${tenant}</strong> as <code>${principal}</code>.
    </p>
    <p><a class="button" href="/auth/login">Sign in to another tenant</a></p>`;
}
