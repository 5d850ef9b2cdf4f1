import { randomUUID } from 'node:crypto';
import { textDigest } from '@countersign/protocol';
import { anchorKey } from '@countersign/ledger';
import type { AnchorStore, CheckpointToAnchor } from '@countersign/ledger';

const DAY_MS = 86_400_000;

export interface Place {
  readonly ledgerId: string;
  readonly generation: string;
}

export const newPlace = (): Place => ({ ledgerId: randomUUID(), generation: randomUUID() });

/** A checkpoint as a store sees it; its signature does not matter here. */
export function checkpointOf(
  place: Place,
  sequence: number,
  head = `head ${sequence}`,
  issuedAt = Date.now(),
): CheckpointToAnchor {
  const text = JSON.stringify({ payload: { sequence, head } });
  return { ...place, sequence, text, issuedAt };
}

/** The duties of a store of any kind (protocol §4.2). */
export interface StoreUnderTest {
  readonly prefix: string;
  /** A replica: another store over the same objects. */
  open(): Promise<AnchorStore>;
  /** Puts something into the store past its rules. */
  plant(key: string, text: string): Promise<void>;
}

export function anchorStoreSuite(under: () => StoreUnderTest): void {
  let place: Place;
  let store: AnchorStore;
  beforeEach(async () => {
    place = newPlace();
    store = await under().open();
  });
  const since = (sequence: number) => store.since(place.ledgerId, place.generation, sequence);
  const keyOf = (sequence: number) => anchorKey(under().prefix, { ...place, sequence });

  it('may be used', async () => {
    await expect(store.check()).resolves.toBeUndefined();
  });

  it('accepts a checkpoint under the key of the protocol and keeps it for 90 days or longer', async () => {
    const checkpoint = checkpointOf(place, 7);
    const acceptance = await store.accept(checkpoint);
    expect(acceptance).toMatchObject({ key: keyOf(7), digest: textDigest(checkpoint.text) });
    expect(acceptance.key).toMatch(/\/0{15}7\.json$/);
    expect(acceptance.version_id).not.toBe('');
    expect(Date.parse(acceptance.retained_until)).toBeGreaterThanOrEqual(
      checkpoint.issuedAt + 90 * DAY_MS,
    );
  });

  it('accepts the same again, also by another replica, with the same answer', async () => {
    const checkpoint = checkpointOf(place, 1);
    const first = await store.accept(checkpoint);
    expect(await store.accept(checkpoint)).toEqual(first);
    expect(await (await under().open()).accept(checkpoint)).toEqual(first);
  });

  it('accepts one checkpoint once, however many replicas bring it at the same time', async () => {
    const checkpoint = checkpointOf(place, 1);
    const replicas = await Promise.all(Array.from({ length: 6 }, () => under().open()));
    const answers = await Promise.all(replicas.map((replica) => replica.accept(checkpoint)));
    expect(new Set(answers.map(({ version_id }) => version_id)).size).toBe(1);
    expect(await since(0)).toHaveLength(1);
  });

  it('refuses another checkpoint in the same place and keeps the first', async () => {
    await store.accept(checkpointOf(place, 1));
    await expect(store.accept(checkpointOf(place, 1, 'another'))).rejects.toMatchObject({
      fault: 'anchor_conflict',
    });
    expect(await since(0)).toEqual([{ sequence: 1, head: 'head 1' }]);
  });

  it('lets one of two contradicting replicas win, whichever it is', async () => {
    const both = [checkpointOf(place, 1, 'a'), checkpointOf(place, 1, 'b')];
    const replicas = await Promise.all(both.map(() => under().open()));
    const results = await Promise.allSettled(
      replicas.map((replica, i) => replica.accept(both[i]!)),
    );
    const lost = results.filter(({ status }) => status === 'rejected');
    expect(lost).toMatchObject([{ reason: { fault: 'anchor_conflict' } }]);
  });

  it('returns the history in order, and the part of it from a sequence on', async () => {
    for (const sequence of [100, 3, 20, 1]) await store.accept(checkpointOf(place, sequence));
    const sequences = async (from: number) => (await since(from)).map((kept) => kept.sequence);
    expect(await sequences(0)).toEqual([1, 3, 20, 100]);
    expect(await sequences(3)).toEqual([3, 20, 100]);
    expect(await sequences(4)).toEqual([20, 100]);
    expect(await sequences(101)).toEqual([]);
    expect(await store.history(place.ledgerId, place.generation)).toEqual(await since(0));
  });

  it('keeps neighbouring ledgers and generations separate', async () => {
    await store.accept(checkpointOf(place, 1));
    await store.accept(checkpointOf({ ...place, generation: randomUUID() }, 2));
    await store.accept(checkpointOf({ ...place, ledgerId: randomUUID() }, 3));
    expect(await since(0)).toEqual([{ sequence: 1, head: 'head 1' }]);
  });

  it.each([
    ['no JSON', 'junk'],
    ['nothing', ''],
    ['no checkpoint', '{"payload":{"sequence":2}}'],
    ['the checkpoint of another sequence', JSON.stringify({ payload: { sequence: 3, head: 'h' } })],
  ])('calls a history malformed that holds %s', async (_, text) => {
    await store.accept(checkpointOf(place, 1));
    await under().plant(keyOf(2), text);
    await expect(since(0)).rejects.toMatchObject({ fault: 'anchor_history_invalid' });
    // Checkpoints before it are still returned.
    await expect(since(2)).rejects.toMatchObject({ fault: 'anchor_history_invalid' });
    expect(await since(3)).toEqual([]);
  });
}
