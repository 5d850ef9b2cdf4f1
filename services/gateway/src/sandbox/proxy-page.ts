import { readFile } from 'node:fs/promises';

import { html } from '../html.js';
import { BUILT_PAGES } from '../pages/folder.js';

export type Confinement = 'standard' | 'strict';

/** The build output of `packages/pages/src/sandbox-proxy`. */
const built = new URL('sandbox/proxy.js', BUILT_PAGES);

const style = `html, body { height: 100%; margin: 0; }
iframe { display: block; width: 100%; height: 100%; border: 0; }
[hidden] { display: none; }`;

/**
 * The page between the trusted page and an app (protocol §12.1), the same for every scope: a script that passes only
 * allowed messages between the two. Its parameters are attributes of its root element.
 */
export async function proxyPage(trustedOrigin: string, confinement: Confinement): Promise<string> {
  const script = (await readFile(built, 'utf8')).replaceAll(/<\/script/gi, String.raw`<\/script`);
  return html`<!doctype html>
    <html lang="en" data-trusted="${trustedOrigin}" data-confinement="${confinement}">
      <head>
        <meta charset="utf-8" />
        <meta name="color-scheme" content="light dark" />
        <title>App</title>
        <style>
          ${{ markup: style }}
        </style>
      </head>
      <body>
        <script>
          ${{ markup: script }};
        </script>
      </body>
    </html>`.markup;
}
