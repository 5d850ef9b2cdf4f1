import type { SecurityPages } from '@countersign/protocol';
import { logFiles } from './log-file.js';
import type { LogFile } from './log-file.js';

const PAGE = 500;
const of = { tenant: 't', ledger_id: 'l' };

/** A log of so many entries, in pages as the service gives them. */
function service(length: number) {
  const asked: number[] = [];
  const page = async (after: number): Promise<string> => {
    asked.push(after);
    const end = Math.min(after + PAGE, length);
    const entries = Array.from({ length: end - after }, (_, place) => ({
      ...{ sequence: after + place + 1, previous_head: '', head: '', entry: '{}' },
    }));
    const checkpoints = entries.length > 0 ? [{ statement: String(end) }] : [];
    const next = end < length ? String(end) : null;
    return JSON.stringify({ security_log: of, entries, checkpoints, next });
  };
  return { asked, page };
}

async function filesOf(length: number): Promise<LogFile[]> {
  const files: LogFile[] = [];
  for await (const file of logFiles(service(length).page)) files.push(file);
  return files;
}

it('puts the pages together in one file, with all checkpoints', async () => {
  const [file, ...more] = await filesOf(1_200);
  expect(more).toEqual([]);
  expect([file?.first, file?.last]).toEqual([1, 1_200]);
  const { security_log, entries, checkpoints, ...rest } = JSON.parse(
    file?.text ?? '',
  ) as SecurityPages;
  expect([security_log, rest]).toEqual([of, {}]);
  expect(entries.map(({ sequence }) => sequence)).toEqual(
    Array.from({ length: 1_200 }, (_, place) => place + 1),
  );
  expect(checkpoints.map(({ statement }) => statement)).toEqual(['500', '1000', '1200']);
});

it('begins another file where a verifier would refuse one that is longer', async () => {
  const files = await filesOf(200_300);
  expect(files.map(({ first, last }) => [first, last])).toEqual([
    [1, 100_000],
    [100_001, 200_000],
    [200_001, 200_300],
  ]);
});

it('gives an empty log as a file without entries', async () => {
  const files = await filesOf(0);
  expect(files.map(({ text }) => JSON.parse(text))).toEqual([
    { security_log: of, entries: [], checkpoints: [] },
  ]);
});
