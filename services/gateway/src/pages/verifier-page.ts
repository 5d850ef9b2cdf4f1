import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

import type { Handler } from '../call.js';
import { sendPage } from '../call.js';

const POLICY = /http-equiv="Content-Security-Policy" content="([^"]+)"/;

/**
 * `/verify`: the offline verifier, one file that has all it needs (packages/verifier-page). `?download` saves it. Its own
 * policy, by hashes, takes the place of that of the other pages, whose scripts are files.
 */
export async function verifierPage(): Promise<Handler> {
  const file = createRequire(import.meta.url).resolve('@countersign/verifier-page/verify.html');
  const text = await readFile(file, 'utf8');
  const policy = POLICY.exec(text)?.[1];
  if (policy === undefined) throw new Error('the page of the verifier has no policy');
  return (call) => {
    const { response } = call;
    response.setHeader('Content-Security-Policy', `${policy}; frame-ancestors 'none'`);
    if (call.query === 'download') {
      const name = 'countersign-verify.html';
      response.setHeader('Content-Disposition', `attachment; filename="${name}"`);
    }
    sendPage(call, text);
  };
}
