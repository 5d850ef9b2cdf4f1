import type { ComponentChild } from 'preact';
import { render } from 'preact';

import { Layout } from './layout/Layout.js';
import { watchReader } from './session/attended.js';
import { watchSession } from './session/watch.js';

/** Puts a page into the document that the gateway sent (services/gateway/src/pages/shell.ts). */
export function startPage(page: ComponentChild, options: { readonly wide?: boolean } = {}): void {
  const place = document.getElementById('page');
  if (place === null) throw new Error('the document has no place for a page');
  place.replaceChildren();
  render(<Layout wide={options.wide === true}>{page}</Layout>, place);
  watchReader();
  watchSession();
}
