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
  const filled = new Map<string, string>();

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

  const file = (name: string, text: string) => ({
    name,
    mimeType: 'application/json',
    buffer: Buffer.from(text),
  });

  /** The page's verdict, as its JSON and as its words. */
  async function verdictOf(vector: Vector): Promise<{ verdict: Verdict; words: string }> {
    const { now, ...expected } = vector.expected;
    await page.setInputFiles('#trust', file('trust.json', JSON.stringify(vector.trust)));
    const evidence = { ...file('evidence', ''), buffer: Buffer.from(documentOf(vector)) };
    await page.setInputFiles('#evidence', evidence);
    const known: Record<string, string | undefined> = { ...expected, at: now };
    if (filled.get('policy') !== (vector.policy ?? '')) {
      await page.fill('#policy', vector.policy ?? '');
      filled.set('policy', vector.policy ?? '');
    }
    for (const name of KNOWLEDGE) {
      const value = known[name] ?? '';
      if (filled.get(name) !== value) await page.fill(`input[name="${name}"]`, value);
      filled.set(name, value);
    }
    const people =
      vector.people === undefined ? [] : [file('people.json', JSON.stringify(vector.people))];
    await page.setInputFiles('#known-people', people);
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
    await page.click('button[type="submit"]');
    await page.waitForSelector('#headline:not([data-kind="working"])');
    const json = (await page.textContent('#json')) ?? '';
    const headline = (await page.textContent('#headline')) ?? '';
    expect([vector.name, headline, json]).toEqual([
      vector.name,
      expect.any(String),
      expect.stringMatching(/^\{/),
    ]);
    const items = await page.locator(':is(#sections, #details) :is(h2, li)').allTextContents();
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
