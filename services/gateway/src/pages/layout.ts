import type { Html } from '../html.js';
import { html } from '../html.js';
import { themeAddress } from './built.js';

export interface PageParts {
  readonly title: string;
  readonly body: Html;
}

/** A whole document without script. The content security policy allows neither inline script nor inline style. */
export function page({ title, body }: PageParts): string {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Countersign</title>
        <link rel="stylesheet" href="${themeAddress()}" />
      </head>
      <body>
        <header class="top">
          <div class="top-inner"><a class="brand" href="/inbox">Countersign</a></div>
        </header>
        <main>${body}</main>
      </body>
    </html> `.markup;
}
