import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import type { Handler } from '../call.js';
import { sendPage } from '../call.js';

const POLICY = /http-equiv="Content-Security-Policy" content="([^"]+)"/;

/** `/verify`: the offline verifier, one file that has all it needs (packages/verifier-page). `?download` saves it. */
export async function verifierPage(): Promise<Handler> {
  const send = await ownPage('verify.html');
  return (call) => {
    if (call.query === 'download') {
      const name = 'countersign-verify.html';
      call.response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
    }
    send(call);
  };
}

/** `/verify/evidence`: the page around evidence, without any in it; the pages put evidence into it and save that. */
export function evidencePage(): Promise<Handler> {
  return ownPage('evidence.html');
}

/** A page whose own policy, by hashes, takes the place of that of the other pages, whose scripts are files. */
async function ownPage(name: string): Promise<(...call: Parameters<Handler>) => void> {
  const file = createRequire(import.meta.url).resolve(`@countersign/verifier-page/${name}`);
  const text = await readFile(file, 'utf8');
  const policy = POLICY.exec(text)?.[1];
  if (policy === undefined) throw new Error(`${name} has no policy`);
  return (call) => {
    call.response.setHeader('Content-Security-Policy', `${policy}; frame-ancestors 'none'`);
    sendPage(call, text);
  };
}
