import type { Html } from '../html.js';
import { html } from '../html.js';

export interface PageParts {
  readonly title: string;
  readonly body: Html;
  /** A module under /assets that brings the page to life. */
  readonly script?: string;
}

/** A whole document. The content security policy allows neither inline script nor inline style. */
export function page({ title, body, script }: PageParts): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title} · Countersign</title>
        <link rel="stylesheet" href="/assets/countersign.css" />
        ${script === undefined ? '' : html`<script type="module" src="/assets/${script}"></script>`}
      </head>
      <body>
        <header><a href="/inbox">Countersign</a></header>
        <main>${body}</main>
      </body>
    </html> `.markup;
}
