import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { loadTrust, readWitnessPolicy, verifyDocument } from '@countersign/protocol';
import { trustManifest } from './evidence/keys.js';
import { allSpans } from './evidence/spans.js';
import type { Span } from './evidence/spans.js';
import { copiesIn } from './evidence/store.js';
import { buildEvidence } from './evidence/build-evidence.js';
import { policyOf, wholeEvidence } from './evidence/whole.js';

/** `FLIPS=export`, `evidence` or `all` tries every byte of it; otherwise a sample that is the same every time. */
const FLIPS = process.env['FLIPS'];
const SAMPLE = 200;

/** `FLIPS_PART=2/3` takes every third byte, from the second on: the same in parts. */
const [part = 1, parts = 1] = (process.env['FLIPS_PART'] ?? '1/1').split('/').map(Number);

interface Flip {
  readonly at: number;
  readonly mask: number;
}

/** A flip after which the verdict was none of a file that fails. */
interface Unnoticed extends Flip {
  /** Members that the verdict named as covered by nothing. */
  readonly named: readonly string[];
  /** The same JSON, of which the verdict said that it is spelled otherwise. */
  readonly respelled: boolean;
}

interface Subject {
  readonly name: 'export' | 'evidence';
  readonly what: string;
  readonly document: unknown;
  readonly entries: number;
  /** What vouches for the ledger. */
  readonly store: Readonly<Record<string, string>> | null;
  readonly policy: string | null;
  /** Members that the good verdict names. */
  readonly uncovered: readonly string[];
}

// 6 entries up to the claim, 4 admissions, the outcome with its event, and 94 reconciliations with theirs.
const long = buildEvidence({ neighbours: false, admissions: 4, reconciliations: 94 });
const whole = wholeEvidence();
const BARE = ['/material/bundle/manifest/author', '/material/bundle/manifest/licence'];

const SUBJECTS: readonly Subject[] = [
  {
    name: 'export',
    what: 'an export of 200 entries',
    document: long.document,
    entries: long.document.audit.length,
    store: long.ledger.store,
    policy: null,
    uncovered: [...BARE, '/verification'],
  },
  {
    name: 'evidence',
    what: 'evidence of 9 entries',
    document: whole.document,
    entries: whole.document.export?.audit.length ?? 0,
    store: null,
    policy: policyOf(2),
    uncovered: ['/audit/*/head', ...BARE, '/verification'].map((path) => `/export${path}`),
  },
];

describe.each(SUBJECTS)('a byte of $what', ({ name, document, store, policy, ...subject }) => {
  const all = FLIPS === name || FLIPS === 'all';
  const threads = all
    ? Math.max(1, Number(process.env['FLIPS_THREADS'] ?? availableParallelism()))
    : 1;
  const text = JSON.stringify(document);
  const bytes = Buffer.from(text);
  const spans = allSpans(text);
  const manifest = trustManifest();
  const good = verifyDocument(bytes, loadTrust(manifest), {
    copies: store === null ? null : copiesIn(store),
    witnesses: policy === null ? null : readWitnessPolicy(policy).policy,
  });

  it('belongs to a document that holds', () => {
    expect(subject.entries).toBe(name === 'export' ? 200 : 9);
    expect(good.verdict).toBe('holds');
    expect(good.uncovered.map(({ path }) => path).sort()).toEqual([...subject.uncovered].sort());
  });

  it('is noticed when it is flipped, or is in a member that the verdict names', async () => {
    const found = await unnoticed(all ? everyByte() : [...sample()]);
    const missed = found.filter(({ at, named, respelled }) => !respelled && !isIn(named, at));
    expect(
      missed.map(({ at, mask }) => `${at} ^ ${mask}: ${text.slice(Math.max(0, at - 40), at + 10)}`),
    ).toEqual([]);
  }, 14_400_000);

  function isIn(pointers: readonly string[], at: number): boolean {
    const patterns = pointers
      .filter((pointer) => pointer !== '')
      .map((pointer) => new RegExp(`^${pointer.replaceAll('*', '\\d+')}$`));
    return spans.some(
      ({ path, from, to }) =>
        at >= from && at < to && patterns.some((pattern) => pattern.test(path)),
    );
  }

  async function unnoticed(flips: readonly Flip[]): Promise<Unnoticed[]> {
    const begun = performance.now();
    const progress = Array.from({ length: threads }, () => 0);
    let told = begun;
    const working = progress.map(
      (_, thread) =>
        new Promise<Unnoticed[]>((settle, fail) => {
          // Every thread has its share of every stretch.
          const share = flips.filter((_flip, number) => number % threads === thread);
          const worker = new Worker(join(__dirname, 'flips-worker.mjs'), {
            // A flip makes some megabytes of garbage, all of it young.
            resourceLimits: { maxYoungGenerationSizeMb: 128 },
            workerData: { text, manifest, store, policy, flips: share },
          });
          worker.once('error', fail);
          worker.on('message', ({ done, unnoticed: found }) => {
            progress[thread] = done;
            if (found !== undefined) settle(found);
            if (!all || performance.now() - told < 30_000) return;
            told = performance.now();
            const sum = progress.reduce((total, each) => total + each, 0);
            process.stderr.write(`flips: ${sum} of ${flips.length} after ${seconds(begun)}\n`);
          });
        }),
    );
    const found = (await Promise.all(working)).flat();
    if (all) {
      const named = [...new Set(found.flatMap((flip) => flip.named))].filter((path) => path !== '');
      process.stderr.write(
        `flips: ${flips.length} bytes flipped in ${seconds(begun)} by ${threads} threads; ` +
          `${found.length} were no failures: in members that the verdict names (${named.join(', ')}), ` +
          `or only spelled otherwise (${found.filter(({ respelled }) => respelled).length})\n`,
      );
    }
    return found;
  }

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
    for (const span of spans) {
      const member = span.path.replace(/\/\d+/g, '/*');
      if (!members.has(member)) members.set(member, span);
    }
    for (const { from, to } of members.values()) {
      yield { at: from + random(to - from), mask: 1 };
      // In the name before it, or the comma.
      yield { at: Math.max(from - 3, 0), mask: 1 };
    }
  }
});

function seconds(begun: number): string {
  return `${((performance.now() - begun) / 1000).toFixed(0)} s`;
}
