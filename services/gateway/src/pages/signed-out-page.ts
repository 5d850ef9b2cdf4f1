import { html } from '../html.js';
import { page } from './layout.js';

/** The end of a logout: it signs no person in again by itself. */
export function signedOutPage(): string {
  return page({
    title: 'Signed out',
    body: html`<h1>You are signed out</h1>
      <p>This browser has no session of Countersign any more.</p>
      <p><a class="button primary" href="/auth/login">Sign in</a></p>`,
  });
}
