import type { Html } from '../html.js';
import { html } from '../html.js';

export interface DemoPerson {
  readonly subject: string;
  readonly name: string;
}

export const stylesheet = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif; }
body { max-width: 32rem; margin: 3rem auto; padding: 0 1rem; }
strong { display: inline-block; padding: 0 .5rem; background: #b45309; color: #fff; border-radius: .25rem; }
button { display: block; width: 100%; margin: .5rem 0; padding: .75rem 1rem; font: inherit; text-align: left; cursor: pointer; }
small { opacity: .7; }
`;

function document(title: string, body: Html): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <link rel="stylesheet" href="/style.css" />
      </head>
      <body>
        <p><strong>Development only</strong></p>
        ${body}
      </body>
    </html>`.markup;
}

/** One button per demo person: no password, because there is nothing to protect. */
export function personPage(people: readonly DemoPerson[], action: string): string {
  return document(
    'Sign in as a demo person',
    html`<h1>Who are you today?</h1>
      <form method="post" action="${action}">
        ${people.map(
          ({ subject, name }) =>
            html`<button name="subject" value="${subject}">
              ${name} <small>${subject}</small>
            </button> `,
        )}
      </form>
      <p>
        These people exist on this machine only. A production service signs people in with your own
        identity provider.
      </p>`,
  );
}

export function faultPage(message: string): string {
  return document(
    'Sign-in failed',
    html`<h1>That did not work</h1>
      <p>${message}</p>`,
  );
}
