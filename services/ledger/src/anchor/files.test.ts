import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { textDigest } from '@countersign/protocol';
import { FileAnchorStore } from './files.js';

const ledgerId = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';
const generation = '7d444840-9dc0-41d1-b245-5ffdce74fad2';

let directory: string;
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'countersign-anchor-'));
});
afterEach(() => rmSync(directory, { recursive: true }));

function checkpoint(sequence: number, head = `head ${sequence}`) {
  const text = JSON.stringify({ payload: { sequence, head } });
  return { ledgerId, generation, sequence, text, issuedAt: 0 };
}

it('accepts a checkpoint, and the same again', async () => {
  const store = new FileAnchorStore(directory);
  const acceptance = await store.accept(checkpoint(1));
  expect(acceptance.digest).toBe(textDigest(checkpoint(1).text));
  expect(await new FileAnchorStore(directory).accept(checkpoint(1))).toEqual(acceptance);
  expect(await store.history(ledgerId, generation)).toEqual([{ sequence: 1, head: 'head 1' }]);
});

it('refuses another checkpoint in the same place', async () => {
  const store = new FileAnchorStore(directory);
  await store.accept(checkpoint(1));
  await expect(store.accept(checkpoint(1, 'another head'))).rejects.toMatchObject({
    fault: 'anchor_conflict',
  });
});

it.each([
  ['its own folder', () => ['checkpoints']],
  ['a ledger’s folder', () => ['checkpoints', ledgerId]],
  ['a generation’s folder', () => ['checkpoints', ledgerId, generation]],
  ['a checkpoint', () => ['checkpoints', ledgerId, generation, '0000000000000001.json', 'x']],
])('is not available while something else stands in the place of %s', async (_, place) => {
  const path = join(directory, ...place());
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, '');
  const store = new FileAnchorStore(directory);
  const fails = { name: 'AnchorError', fault: 'anchor_unavailable' };
  await expect(store.accept(checkpoint(1))).rejects.toMatchObject(fails);
  await expect(store.history(ledgerId, generation)).rejects.toMatchObject(fails);
  rmSync(join(directory, ...place().slice(0, 4)), { recursive: true });
  await store.accept(checkpoint(1));
});

it('shows a checkpoint to other replicas only when it is complete', async () => {
  const replicas = Array.from({ length: 8 }, () => new FileAnchorStore(directory));
  // Long enough to be seen half written.
  const large = (sequence: number) => checkpoint(sequence, 'h'.repeat(1_000_000));
  for (let sequence = 1; sequence <= 20; sequence += 1) {
    const accepted = await Promise.all(replicas.map((replica) => replica.accept(large(sequence))));
    expect(new Set(accepted.map(({ digest }) => digest)).size).toBe(1);
  }
  const names = readdirSync(directory, { recursive: true }).map(String);
  expect(names.filter((name) => name.includes('.'))).toHaveLength(20);
});
