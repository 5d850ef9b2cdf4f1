import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  evidencePage,
  fingerprintWords,
  loadTrust,
  readPage,
  verifyDocument,
} from '@countersign/protocol';
import type { Evidence, Verdict } from '@countersign/protocol';
import { chromium } from 'playwright-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { findings } from './support/accessibility.js';
import { copiesIn } from '../conformance/evidence/store.js';
import { trustManifest } from '../conformance/evidence/keys.js';
import { wholeEvidence } from '../conformance/evidence/whole.js';
import { evidenceVectors } from '../conformance/vectors/cases/evidence.js';
import { documentOf, expectationOf, witnessesOf } from '../conformance/vectors/vector.js';
import type { Vector } from '../conformance/vectors/vector.js';

const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
const hasBrowser = existsSync(CHROMIUM);
if (!hasBrowser)
  console.warn(`SKIPPED: there is no browser at ${CHROMIUM}, so no page of evidence is opened`);
const there = hasBrowser ? describe : describe.skip;

const COMMAND = resolve(__dirname, '../../deploy/countersign.mjs');
const TEMPLATE = readFileSync(
  resolve(__dirname, '../../packages/verifier-page/dist/evidence.html'),
  'utf8',
);
const { fingerprint } = loadTrust(trustManifest());

/** Texts that would end the element, run or turn the page around if anything took them for markup. */
const HOSTILE = [
  '</script><script>document.title = "ran"</script>',
  '<!--<script>',
  '<img src=x onerror="document.title=1">',
  '<script type="application/json" id="evidence">{}</script>',
  '\u2028\u2029\u202e\u0000',
  '\\u003c/script> \\\\u003c $& $` ${1}',
  ']]> --> &lt;b&gt; &#60;',
].join(' ');

there('a page of evidence, opened from a disk without a network', () => {
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let folder: string;
  let complaints: string[];
  let asked: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-evidence-page-'));
    browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(async () => {
    [complaints, asked] = [[], []];
    context = await browser.newContext({ offline: true });
    page = await context.newPage();
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('request', (request) => asked.push(request.url()));
  });
  // Whatever a test did: the page fetched nothing and its own policy forbade nothing that it tried.
  afterEach(async () => {
    await context.close();
    expect(asked.filter((url) => !/^(file|blob):/.test(url))).toEqual([]);
    expect(complaints).toEqual([]);
  });

  function saved(json: string, name = 'evidence.html'): string {
    const file = join(folder, name);
    writeFileSync(file, evidencePage(TEMPLATE, json));
    return file;
  }

  async function open(document: Evidence | string): Promise<string> {
    const file = saved(typeof document === 'string' ? document : JSON.stringify(document));
    await page.goto(pathToFileURL(file).href);
    return file;
  }

  const headline = () => page.locator('#headline');
  const kind = () => headline().getAttribute('data-kind');
  const text = () => page.locator('main').innerText();
  const shownVerdict = async () => JSON.parse((await page.textContent('#json')) ?? '') as Verdict;

  async function confirm(vector: Pick<Vector, 'trust' | 'policy' | 'store' | 'expected'>) {
    const { policy, store, trust, expected } = vector;
    await page.setInputFiles('#trust', {
      name: 'trust.json',
      mimeType: 'application/json',
      buffer: Buffer.from(JSON.stringify(trust)),
    });
    await page.click('summary:text("Your own expectations")');
    await page.fill('#policy', policy ?? '');
    await page.fill('input[name="at"]', expected['now'] ?? '');
    if (expected['ledger'] !== undefined) {
      await page.fill('input[name="ledger"]', expected['ledger']);
    }
    if (store !== null) {
      const copies = mkdtempSync(join(folder, 'store-'));
      for (const [key, content] of Object.entries(store)) {
        mkdirSync(dirname(join(copies, key)), { recursive: true });
        writeFileSync(join(copies, key), content);
      }
      await page.setInputFiles('#store', copies);
    }
    await page.click('button[type="submit"]');
    await page.waitForSelector('#headline:not([data-kind="working"])');
  }

  it('tells who asked, who saw what, who decided and how it ended', async () => {
    await open(wholeEvidence().document);
    const told = await text();
    for (const words of [
      'Pay invoice 4711 of Example Ltd: 1200.50 EUR',
      'bot-7',
      'owner-1',
      'rev-2: authorise',
      '2026-05-01 09:05:00.000 UTC',
      'runner-1/run-88',
      'reported the outcome: completed',
      'Pay 1200.50 EUR to Example Ltd for invoice 4711.',
      '"invoice": "4711"',
    ]) {
      expect(told).toContain(words);
    }
    expect(await page.title()).toContain('Pay invoice 4711');
    expect(await page.locator('.digest.same').count()).toBe(5);
    expect(await page.locator('#story .unproven').count()).toBe(0);
  });

  it('is never green under keys that came with it', async () => {
    await open(wholeEvidence().document);
    expect(await kind()).toBe('unconfirmed');
    expect(await headline().textContent()).toMatch(/^NOT CONFIRMED YET/);
    expect(await page.textContent('#words')).toBe(fingerprintWords(fingerprint));
    await page.fill('#fingerprint', 'sha256:'.padEnd(71, '0'));
    await page.click('button[type="submit"]');
    await page.locator('#headline', { hasText: 'another fingerprint' }).waitFor();
    expect(await kind()).toBe('unreadable');
    expect(await page.locator('#sections').innerText()).toBe('');
    await page.fill('#fingerprint', fingerprintWords(fingerprint));
    await page.click('button[type="submit"]');
    await page.locator('#headline', { hasText: 'INCOMPLETE' }).waitFor();
    expect(await kind()).toBe('incomplete');
    expect(await page.textContent('#next')).toContain('with the keys that you confirmed');
  });

  it('gives the verdict of the function and of the command on the file itself', async () => {
    const held = evidenceVectors().find(({ name }) => name === 'evidence-store') as Vector;
    const file = await open(held.document as string);
    await confirm(held);
    expect([await kind(), await headline().textContent()]).toEqual([
      'holds',
      expect.stringMatching(/^HOLDS/),
    ]);
    const bytes = readFileSync(file);
    const options = {
      expected: expectationOf(held),
      copies: copiesIn(held.store ?? {}),
      witnesses: null,
    };
    const verdict = verifyDocument(bytes, loadTrust(held.trust), options);
    expect(await shownVerdict()).toEqual(JSON.parse(JSON.stringify(verdict)));
    const trust = join(folder, 'trust.json');
    writeFileSync(trust, JSON.stringify(held.trust));
    const store = join(folder, 'copies');
    for (const [key, content] of Object.entries(held.store ?? {})) {
      mkdirSync(dirname(join(store, key)), { recursive: true });
      writeFileSync(join(store, key), content);
    }
    const args = ['verify', file, '--trust', trust, '--store', store, '--json'];
    const ran = spawnSync(
      process.execPath,
      [COMMAND, ...args, '--at', held.expected['now'] ?? ''],
      {
        encoding: 'utf8',
      },
    );
    expect([ran.status, JSON.parse(ran.stdout)]).toEqual([0, JSON.parse(JSON.stringify(verdict))]);
  });

  it('judges every vector of evidence as the function does', async () => {
    const vectors = evidenceVectors().filter(({ document }) => document?.startsWith('{'));
    expect(vectors.length).toBeGreaterThan(30);
    for (const vector of vectors) {
      const file = await open(documentOf(vector).toString());
      await confirm(vector);
      const said = verifyDocument(readFileSync(file), loadTrust(vector.trust), {
        expected: expectationOf(vector),
        copies: vector.store === null ? null : copiesIn(vector.store),
        witnesses: witnessesOf(vector),
      });
      expect([vector.name, await shownVerdict()]).toEqual([
        vector.name,
        JSON.parse(JSON.stringify(said)),
      ]);
      expect([vector.name, await kind()]).toEqual([
        vector.name,
        said.kind === null ? 'unreadable' : said.verdict,
      ]);
      expect([vector.name, said.verdict]).toEqual([vector.name, vector.verdict]);
    }
  });

  it('puts failures at the top, and marks what is not proven', async () => {
    const { document } = wholeEvidence();
    document.export!.material!.review_document += ' And 1 EUR more.';
    await open(document);
    expect(await kind()).toBe('fails');
    expect(await page.textContent('#failed')).toContain('material_document');
    expect(await page.locator('.digest.differs').textContent()).toMatch(/^NOT what was signed/);
  });

  it('runs and hides nothing of hostile texts, and stays one document', async () => {
    const { document } = wholeEvidence({ scenario: { request: { summary: HOSTILE } } });
    const file = await open(document);
    expect(await kind()).toBe('unconfirmed');
    const material = document.export!.material!;
    material.review_document = HOSTILE;
    material.payload = { [HOSTILE]: [HOSTILE] };
    material.candidate!.response = { [HOSTILE]: HOSTILE };
    document.export!.request.producer = HOSTILE;
    document.export!.verification = HOSTILE;
    await open(document);
    expect(await kind()).toBe('fails');
    for (const shown of [await text(), await page.locator('#material').innerText()]) {
      expect(shown).toContain('</script><script>document.title = "ran"</script>');
      expect(shown).toContain('<img src=x onerror=');
      // Characters that act without being seen are shown by their names.
      expect(shown).toMatch(/LSEP\s*PSEP\s*RLO/);
    }
    expect(await page.title()).toMatch(/^Evidence: .* – Countersign$/);
    expect(await page.locator('main script, main img').count()).toBe(0);
    expect(await page.locator('script').count()).toBe(2);
    expect(readPage(readFileSync(file))).toEqual({ json: JSON.stringify(document) });
  });

  it('says what is gone after private deletion, and still tells the rest', async () => {
    await open(wholeEvidence({ scenario: { discarded: true } }).document);
    expect(await kind()).toBe('unconfirmed');
    const material = await page.locator('#material').innerText();
    expect(material).toMatch(/^Deleted\. Payload, response schema, document.*are gone/);
    expect(await text()).toContain('rev-2: authorise');
  });

  it('says what remains of a request after audit expiry', async () => {
    const remains = evidenceVectors().find(({ name }) => name === 'evidence-remains') as Vector;
    await open(remains.document as string);
    expect(await page.textContent('h1')).toBe('A deleted request');
    expect(await page.locator('#material li').count()).toBeGreaterThan(5);
    expect(await text()).toContain('The request was deleted at the end of its audit period');
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['text that is no JSON', '{"evidence":'],
    ['evidence without a manifest', '{"evidence":"countersign-evidence-1","export":{},"log":{}}'],
    [
      'members of other types',
      JSON.stringify({ trust: trustManifest(), export: 1, log: [], evidence: {} }),
    ],
  ])('survives %s in its element, and is not green', async (_, json) => {
    await open(json);
    expect(['fails', 'unreadable']).toContain(await kind());
  });

  it('is accessible in both themes, before and after a verdict', async () => {
    await open(wholeEvidence().document);
    expect(await findings(page)).toEqual([]);
    await confirm({ trust: trustManifest(), store: null, expected: {} });
    await page.click('summary:text("Every check")');
    expect(await findings(page)).toEqual([]);
    const { document } = wholeEvidence();
    document.export!.records[0]!.signature = document.export!.records[1]!.signature;
    await open(document);
    expect(await findings(page)).toEqual([]);
  });

  it('prints on A4 what a reader of paper needs, without controls', async () => {
    await open(wholeEvidence().document);
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf).toMatch(/\/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]/);
    expect((pdf.match(/\/Type \/Page\b/g) ?? []).length).toBeLessThanOrEqual(12);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.locator('#form').isVisible()).toBe(false);
    expect(await page.locator('#words').isVisible()).toBe(true);
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    expect(paper).toBe('rgb(255, 255, 255)');
    const links = await page.evaluate(() => getComputedStyle(document.querySelector('a')!).color);
    await page.emulateMedia({ media: 'print', colorScheme: 'light' });
    expect(await page.evaluate(() => getComputedStyle(document.querySelector('a')!).color)).toBe(
      links,
    );
  });

  it('shows and verifies 20 entries within a second of processor time', async () => {
    const { document } = wholeEvidence({ scenario: { admissions: 12 } });
    expect(document.export?.audit).toHaveLength(20);
    const session = await context.newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    await open(document);
    const { metrics } = await session.send('Performance.getMetrics');
    const spent = metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
    console.log(`the page took ${(spent * 1000).toFixed(0)} ms of processor time`);
    expect(await kind()).toBe('unconfirmed');
    expect(spent).toBeLessThanOrEqual(1);
  });

  it('holds no script but the verifier, and its policy allows no other', () => {
    const policy = /http-equiv="Content-Security-Policy" content="([^"]+)"/.exec(TEMPLATE)?.[1];
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[^' ]+'; style-src 'sha256-[^' ]+'; base-uri 'none'; form-action 'none'$/,
    );
    expect(TEMPLATE.match(/<script/gi)).toHaveLength(2);
    expect(TEMPLATE).not.toMatch(/\bhttps?:\/\/(?!www\.w3\.org)[^"'`\s]*\.(?:js|css|woff2?|png)/);
  });
});
