import type { Html } from '../html.js';
import { html } from '../html.js';
import { iconAddress, themeAddress } from './built.js';
import type { Language } from './language.js';

export interface PageParts {
  readonly title: string;
  readonly body: Html;
  /** English for pages that are for programmers and operators alone. */
  readonly language?: Language;
}

// The same mark as on the pages of packages/pages (src/layout/Layout.tsx).
const MARK = html`<svg viewBox="0 0 24 24" width="22" height="22" aria-hidden="true">
  <path d="M3.5 13.5l4 4L15 7.5" />
  <path d="M10.5 16l1.5 1.5 8.5-11" />
</svg>`;

/** A whole document without script. The content security policy allows neither inline script nor inline style. */
export function page({ title, body, language = 'en' }: PageParts): string {
  return html`<!doctype html>
    <html lang="${language}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · Countersign</title>
        <link rel="icon" type="image/svg+xml" href="${iconAddress()}" />
        <link rel="stylesheet" href="${themeAddress()}" />
      </head>
      <body>
        <header class="top">
          <div class="top-inner"><a class="brand" href="/inbox">${MARK} Countersign</a></div>
        </header>
        <main>${body}</main>
      </body>
    </html> `.markup;
}
