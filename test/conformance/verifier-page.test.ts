import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { detailsOf, loadTrust, summaryOf, verifyDocument } from '@countersign/protocol';
import type { Verdict } from '@countersign/protocol';
import { chromium } from 'playwright-core';
import type { Browser, Page } from 'playwright-core';
import { copiesIn } from './evidence/store.js';
import { documentOf, expectationOf, peopleOf, witnessesOf } from './vectors/vector.js';
import type { Vector } from './vectors/vector.js';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser)
  console.warn(`SKIPPED: there is no browser at ${CHROMIUM}, so the page is not opened`);
const there = hasBrowser ? describe : describe.skip;

const BUILT = resolve(__dirname, '../../packages/verifier-page/dist/verify.html');
const KNOWLEDGE: readonly string[] = [
  ...['audience', 'tenant', 'ledger', 'identity', 'nonce', 'binding', 'at', 'received'],
];
const VECTORS = join(__dirname, 'vectors');
const vectors = readdirSync(VECTORS)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(join(VECTORS, file), 'utf8')) as Vector)
  // A folder that was chosen stays chosen.
  .sort((a, b) => Number(a.store !== null) - Number(b.store !== null));

there('the page of the verifier, saved to a disk, without a network', () => {
  let browser: Browser;
  let page: Page;
  let folder: string;
  const complaints: string[] = [];
  const asked: string[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-page-'));
    writeFileSync(join(folder, 'saved.html'), readFileSync(BUILT));
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    const context = await browser.newContext({ offline: true });
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(pathToFileURL(join(folder, 'saved.html')).href);
    await page.click('summary >> nth=0');
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The page's verdict, as its JSON and as its words. */
  async function verdictOf(vector: Vector): Promise<{ verdict: Verdict; words: string }> {
    if (vector.store !== null) {
      const store = join(folder, vector.name);
      // An empty store is a folder all the same.
      const kept = { 'checkpoints/README': '', ...vector.store };
      for (const [key, text] of Object.entries(kept)) {
        mkdirSync(dirname(join(store, key)), { recursive: true });
        writeFileSync(join(store, key), text);
      }
      await page.setInputFiles('#store', store);
    }
    const { now, ...expected } = vector.expected;
    const known: Record<string, string | undefined> = { ...expected, at: now };
    const { headline, json, items } = await page.evaluate(fillIn, {
      trust: JSON.stringify(vector.trust),
      evidence: Buffer.from(documentOf(vector)).toString('base64'),
      people: vector.people === undefined ? null : JSON.stringify(vector.people),
      policy: vector.policy ?? '',
      known: KNOWLEDGE.map((name): [string, string] => [name, known[name] ?? '']),
    });
    expect([vector.name, headline, json]).toEqual([
      vector.name,
      expect.any(String),
      expect.stringMatching(/^\{/),
    ]);
    return { verdict: JSON.parse(json) as Verdict, words: [headline, ...items].join('\n') };
  }

  it('gives the function’s verdict on every vector, in the same words', async () => {
    for (const vector of vectors) {
      const said = await verdictOf(vector);
      const function_ = verifyDocument(documentOf(vector), loadTrust(vector.trust), {
        expected: expectationOf(vector),
        copies: vector.store === null ? null : copiesIn(vector.store),
        witnesses: witnessesOf(vector),
        people: peopleOf(vector),
      });
      expect([vector.name, said.verdict]).toEqual([
        vector.name,
        JSON.parse(JSON.stringify(function_)),
      ]);
      const { headline, sections } = summaryOf(function_, 'field');
      const words = [...sections, ...detailsOf(function_)].flatMap(({ title, lines }) => [
        title,
        ...lines,
      ]);
      expect([vector.name, said.words]).toEqual([vector.name, [headline, ...words].join('\n')]);
    }
  });

  it('asked for nothing and broke no rule of its own policy', () => {
    expect(asked.filter((url) => !url.startsWith('file:'))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  const file = (name: string, text: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  });

  it.each<[string, string, string]>([
    ['a manifest that is none', '{}', '{}'],
    ['a manifest that is no JSON', '{', '{}'],
  ])('says what is wrong with %s', async (_, trust, evidence) => {
    await page.reload();
    await page.setInputFiles('#trust', file('trust.json', trust));
    await page.setInputFiles('#evidence', file('evidence', evidence));
    await page.click('button[type="submit"]');
    await page.waitForSelector('#headline[data-kind="unreadable"]');
    expect(await page.textContent('#headline')).toMatch(/manifest/);
    expect(await page.textContent('#json')).toBe('');
  });
});

interface Given {
  readonly trust: string;
  /** As base64: it need not be text. */
  readonly evidence: string;
  readonly people: string | null;
  readonly policy: string;
  readonly known: readonly (readonly [string, string])[];
}

/**
 * Runs in the page: fills in all of its form as a person would leave it, submits it, and reads the answer. One call for each
 * vector: a call for each field takes twice the processor time of the verdict.
 */
async function fillIn(
  given: Given,
): Promise<{ headline: string; json: string; items: readonly string[] }> {
  const { document, File, DataTransfer, Event, MutationObserver, atob } = globalThis as any;
  const at = (selector: string) => document.querySelector(selector);
  const choose = (selector: string, files: readonly unknown[]) => {
    const chosen = new DataTransfer();
    for (const file of files) chosen.items.add(file);
    at(selector).files = chosen.files;
    at(selector).dispatchEvent(new Event('change', { bubbles: true }));
  };
  const write = (selector: string, text: string) => {
    at(selector).value = text;
    at(selector).dispatchEvent(new Event('input', { bubbles: true }));
  };
  const type = 'application/json';
  const evidence = Uint8Array.from(atob(given.evidence), (byte: string) => byte.charCodeAt(0));
  choose('#trust', [new File([given.trust], 'trust.json', { type })]);
  choose('#evidence', [new File([evidence], 'evidence', { type })]);
  choose(
    '#known-people',
    given.people === null ? [] : [new File([given.people], 'people.json', { type })],
  );
  write('#policy', given.policy);
  for (const [name, value] of given.known) write(`input[name="${name}"]`, value);
  at('button[type="submit"]').click();
  await new Promise<void>((answered) => {
    const isAnswered = () => ![undefined, 'working'].includes(at('#headline')?.dataset.kind);
    if (isAnswered()) return answered();
    const observer = new MutationObserver(() => {
      if (!isAnswered()) return;
      observer.disconnect();
      answered();
    });
    observer.observe(document.body, { attributes: true, childList: true, subtree: true });
  });
  return {
    headline: at('#headline').textContent,
    json: at('#json').textContent,
    items: [...document.querySelectorAll(':is(#sections, #details) :is(h2, li)')].map(
      ({ textContent }: { textContent: string }) => textContent,
    ),
  };
}
