import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadTrust, verifyDocument } from '@countersign/protocol';
import type { Verdict } from '@countersign/protocol';
import type { Browser, Page } from 'playwright-core';
import { allVectors } from '../conformance/vectors/all.js';
import { documentOf, expectationOf, witnessesOf } from '../conformance/vectors/vector.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { openContext, startBrowser } from './support/browser.js';

// The verifier in the browser is the command's: every vector, and every word of its verdict (decisions/0010).

let instance: Instance;
let browser: Browser;
let page: Page;
let faults: string[];

const PAGES = join(__dirname, '../../packages/pages/dist');

/** The one that the built pages name: files of an earlier build may lie beside it. */
function workerOfPages(): string | undefined {
  const manifest = JSON.parse(readFileSync(join(PAGES, 'manifest.json'), 'utf8')) as Record<
    string,
    { readonly file: string }
  >;
  return Object.values(manifest)
    .map(({ file }) => /verifying-worker-[\w-]+\.js/.exec(readFileSync(join(PAGES, file), 'utf8')))
    .find((found) => found !== null)?.[0];
}

beforeAll(async () => {
  [instance, browser] = await Promise.all([startInstance(), startBrowser()]);
  ({ page, faults } = await openContext(browser));
  await page.goto(`${instance.demo.origin}/auditor`);
  const worker = workerOfPages();
  await page.evaluate((address) => {
    const asked = new Worker(address, { type: 'module' });
    const waiting = new Map<number, (answer: unknown) => void>();
    let number = 0;
    asked.onmessage = ({ data }) => waiting.get(data.number)?.(data);
    Object.assign(globalThis, {
      ask: (question: object) =>
        new Promise((resolve) => {
          number += 1;
          waiting.set(number, resolve);
          asked.postMessage({ ...question, number });
        }),
    });
  }, `/assets/${worker}`);
});

afterAll(async () => {
  await browser?.close();
  await instance?.stop();
});

interface Case {
  readonly manifest: string;
  readonly base64: string;
  readonly expected: object;
  /** Text of the witness policy; empty without one. */
  readonly policy: string;
}

async function verdictsOf(cases: readonly Case[]): Promise<(Verdict | string)[]> {
  return page.evaluate(async (all) => {
    const { ask } = globalThis as unknown as {
      ask(question: object): Promise<{ value?: Verdict; fault?: string }>;
    };
    const found: (Verdict | string)[] = [];
    for (const { manifest, base64, expected, policy } of all) {
      const trust = await ask({ ask: 'trust', manifest });
      const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
      const { value, fault } = await ask({ ask: 'document', bytes, expected, policy });
      found.push(value ?? fault ?? trust.fault ?? 'nothing');
    }
    return found;
  }, cases);
}

test('gives the verdict of the command on every vector, word for word', async () => {
  const vectors = allVectors();
  const found = await verdictsOf(
    vectors.map((vector) => ({
      manifest: JSON.stringify(vector.trust),
      base64: Buffer.from(documentOf(vector)).toString('base64'),
      expected: expectationOf(vector),
      policy: vector.policy ?? '',
    })),
  );
  const differing: object[] = [];
  for (const [at, vector] of vectors.entries()) {
    const expected = expectationOf(vector);
    const options = { expected, witnesses: witnessesOf(vector) };
    const verdict = verifyDocument(documentOf(vector), loadTrust(vector.trust), options);
    if (JSON.stringify(found[at]) !== JSON.stringify(verdict)) {
      differing.push({ name: vector.name, here: found[at], there: verdict });
    }
  }
  expect(differing).toEqual([]);
  expect(vectors.length).toBeGreaterThan(100);
  // Neither code out of text nor anything else that the policy forbids.
  expect(faults).toEqual([]);
});
