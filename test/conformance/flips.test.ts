import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { loadTrust, verifyDocument } from '@countersign/protocol';
import { trustManifest } from './evidence/keys.js';
import { allSpans, spansOf } from './evidence/spans.js';
import type { Span } from './evidence/spans.js';
import { copiesIn } from './evidence/store.js';
import { buildEvidence } from './evidence/build-evidence.js';

/** `FLIPS=all` tries every byte, which takes minutes of every core; otherwise a sample that is the same every time. */
const ALL = process.env['FLIPS'] === 'all';
const SAMPLE = 200;
const THREADS = ALL
  ? Math.max(1, Number(process.env['FLIPS_THREADS'] ?? availableParallelism()))
  : 1;

/** `FLIPS_PART=2/3` takes every third byte, from the second on: the same in parts. */
const [part = 1, parts = 1] = (process.env['FLIPS_PART'] ?? '1/1').split('/').map(Number);

interface Flip {
  readonly at: number;
  readonly mask: number;
}

// 6 entries up to the claim, 4 admissions, the outcome with its event, and 94 reconciliations with theirs.
const { document, ledger } = buildEvidence({
  neighbours: false,
  admissions: 4,
  reconciliations: 94,
});
const text = JSON.stringify(document);
const bytes = Buffer.from(text);
const manifest = trustManifest();
const good = verifyDocument(bytes, loadTrust(manifest), { copies: copiesIn(ledger.store) });
const uncovered = spansOf(
  text,
  good.uncovered.map(({ path }) => path).filter((path) => path !== ''),
);
const isCovered = (at: number): boolean => !uncovered.some(({ from, to }) => at >= from && at < to);

/** Flips that a verdict did not notice; `respelled`: the same JSON, which the verdict says is spelled otherwise. */
async function unnoticed(flips: readonly Flip[]): Promise<(Flip & { respelled: boolean })[]> {
  const begun = performance.now();
  const progress = Array.from({ length: THREADS }, () => 0);
  let told = begun;
  const threads = progress.map(
    (_, thread) =>
      new Promise<(Flip & { respelled: boolean })[]>((settle, fail) => {
        // Every thread has its share of every stretch.
        const share = flips.filter((_flip, number) => number % THREADS === thread);
        const worker = new Worker(join(__dirname, 'flips-worker.mjs'), {
          // A flip makes some megabytes of garbage, all of it young.
          resourceLimits: { maxYoungGenerationSizeMb: 128 },
          workerData: { text, manifest, store: ledger.store, flips: share },
        });
        worker.once('error', fail);
        worker.on('message', ({ done, unnoticed: found }) => {
          progress[thread] = done;
          if (found !== undefined) settle(found);
          if (!ALL || performance.now() - told < 30_000) return;
          told = performance.now();
          const all = progress.reduce((sum, each) => sum + each, 0);
          process.stderr.write(`flips: ${all} of ${flips.length} after ${seconds(begun)}\n`);
        });
      }),
  );
  const found = (await Promise.all(threads)).flat();
  if (ALL) {
    const named = good.uncovered.map(({ path }) => path).join(', ');
    const bare = uncovered.reduce((sum, { from, to }) => sum + to - from, 0);
    process.stderr.write(
      `flips: ${flips.length} bytes flipped in ${seconds(begun)} by ${THREADS} threads; ` +
        `${bare} of ${bytes.length} bytes lie in members covered by nothing (${named}); ` +
        `${found.filter(({ respelled }) => respelled).length} flips only spelled the same otherwise\n`,
    );
  }
  return found;
}

const seconds = (begun: number): string => `${((performance.now() - begun) / 1000).toFixed(0)} s`;

describe('a byte of an export of 200 entries', () => {
  it('belongs to an export that holds', () => {
    expect(document.audit).toHaveLength(200);
    expect(good.verdict).toBe('holds');
    expect(good.uncovered.map(({ path }) => path)).toEqual([
      '/material/bundle/manifest/author',
      '/material/bundle/manifest/licence',
      '/verification',
    ]);
  });

  it('is noticed when it is flipped, or is in a member that the verdict names', async () => {
    const found = await unnoticed(ALL ? everyByte() : [...sample()]);
    const missed = found.filter(({ at, respelled }) => isCovered(at) && !respelled);
    expect(
      missed.map(({ at, mask }) => `${at} ^ ${mask}: ${text.slice(Math.max(0, at - 40), at + 10)}`),
    ).toEqual([]);
  }, 14_400_000);
});

/** The lowest bit turns letters and digits into letters and digits: the least conspicuous flip. */
function everyByte(): Flip[] {
  return Array.from({ length: bytes.length }, (_, at) => ({ at, mask: 1 })).filter(
    ({ at }) => at % parts === part - 1,
  );
}

/** A byte out of every stretch of the text, and one of every member that there is: name and value. */
function* sample(): Generator<Flip> {
  let seed = 20_260_501;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const stretch = bytes.length / SAMPLE;
  for (let number = 0; number < SAMPLE; number += 1) {
    const at = Math.min(
      Math.floor(number * stretch) + random(Math.ceil(stretch)),
      bytes.length - 1,
    );
    yield { at, mask: number % 2 === 0 ? 1 : 1 + random(127) };
  }
  const members = new Map<string, Span>();
  for (const span of allSpans(text)) {
    const name = span.path.replace(/\/\d+/g, '/*');
    if (!members.has(name)) members.set(name, span);
  }
  for (const { from, to } of members.values()) {
    yield { at: from + random(to - from), mask: 1 };
    // In the name before it, or the comma.
    yield { at: Math.max(from - 3, 0), mask: 1 };
  }
}
