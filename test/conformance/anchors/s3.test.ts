import {
  DeleteObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import type { PutObjectCommandInput } from '@aws-sdk/client-s3';
import { AnchorError, AnchorStoreUnfit, anchorKey, openS3Anchors } from '@countersign/ledger';
import type { AnchorStore, S3AnchorSettings } from '@countersign/ledger';
import { BUILD_MS } from '../../support/programs/obtained.js';
import { S3_ACCESS, startS3 } from '../../support/servers/s3.js';
import type { S3Server } from '../../support/servers/s3.js';
import { startTcpProxy } from '../../support/servers/tcp-proxy.js';
import type { ProxyMode, TcpProxy } from '../../support/servers/tcp-proxy.js';
import { anchorStoreSuite, checkpointOf, newPlace } from './suite.js';
import type { Place } from './suite.js';

const DAY_MS = 86_400_000;
const BUCKET = 'anchors';
const PREFIX = 'audit/checkpoints';

let server: S3Server;
let proxy: TcpProxy;
function settings(changes: Partial<S3AnchorSettings> = {}): S3AnchorSettings {
  return {
    bucket: BUCKET,
    prefix: PREFIX,
    region: 'us-east-1',
    endpoint: server.url,
    pathStyle: true,
    credentials: S3_ACCESS,
    retentionMs: 90 * DAY_MS,
    timeoutMs: 10_000,
    ...changes,
  };
}
const open = (changes: Partial<S3AnchorSettings> = {}, now = Date.now) =>
  openS3Anchors(settings(changes), now);

beforeAll(async () => {
  server = await startS3();
  proxy = await startTcpProxy(server.port);
  await server.bucket(BUCKET, true);
  await server.bucket('plain', false);
}, BUILD_MS);
afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
});

describe('an anchor store in S3', () => {
  anchorStoreSuite(() => ({
    prefix: PREFIX,
    open: () => open(),
    plant: (key, text) => put(key, text),
  }));
});

function put(key: string, text: string, more: Partial<PutObjectCommandInput> = {}): Promise<void> {
  const Body = Buffer.from(text);
  const object = { Bucket: BUCKET, Key: key, Body, ContentLength: Body.length, ...more };
  return server.client.send(new PutObjectCommand(object)).then(() => undefined);
}

describe('objects of S3 that contradict the ledger', () => {
  let place: Place;
  let store: AnchorStore;
  beforeEach(async () => {
    place = newPlace();
    store = await open();
  });
  const keyOf = (sequence: number) => anchorKey(PREFIX, { ...place, sequence });
  const since = () => store.since(place.ledgerId, place.generation, 0);
  const locked = (mode: 'COMPLIANCE' | 'GOVERNANCE', days: number) => ({
    ObjectLockMode: mode,
    ObjectLockRetainUntilDate: new Date(Date.now() + days * DAY_MS),
  });

  it('locks accepted objects for compliance, so that even the owner cannot delete them', async () => {
    const { version_id, backend } = await store.accept(checkpointOf(place, 1));
    expect(backend).toBe(`s3://${BUCKET}`);
    const remove = new DeleteObjectCommand({
      Bucket: BUCKET,
      Key: keyOf(1),
      VersionId: version_id,
      BypassGovernanceRetention: true,
    });
    await expect(server.client.send(remove)).rejects.toThrow();
    expect(await since()).toHaveLength(1);
  });

  it('notices a marker of deletion, when accepting and when comparing', async () => {
    const checkpoint = checkpointOf(place, 1);
    await store.accept(checkpoint);
    await server.client.send(new DeleteObjectCommand({ Bucket: BUCKET, Key: keyOf(1) }));
    await expect(store.accept(checkpoint)).rejects.toMatchObject({
      fault: 'anchor_deleted_version',
    });
    await expect(since()).rejects.toMatchObject({ fault: 'anchor_deleted_version' });
  });

  it.each([['the same'], ['other']])('notices a second version of %s content', async (content) => {
    const checkpoint = checkpointOf(place, 1);
    await store.accept(checkpoint);
    const text = content === 'other' ? checkpointOf(place, 1, 'forged').text : checkpoint.text;
    await put(keyOf(1), text);
    await expect(store.accept(checkpoint)).rejects.toMatchObject({
      fault: 'anchor_version_conflict',
    });
    await expect(since()).rejects.toMatchObject({ fault: 'anchor_version_conflict' });
  });

  it('notices versions of one key that fill a page of the listing, and hide the later ones', async () => {
    const { text } = checkpointOf(place, 1);
    for (let i = 0; i < 205; i += 41) {
      await Promise.all(Array.from({ length: 41 }, () => put(keyOf(1), text)));
    }
    await store.accept(checkpointOf(place, 2));
    await expect(since()).rejects.toMatchObject({ fault: 'anchor_version_conflict' });
  });

  it.each([
    ['no lock', {}],
    ['a lock that some may lift', locked('GOVERNANCE', 365)],
    ['a lock of 89 days', locked('COMPLIANCE', 89)],
  ])('refuses its own content under %s', async (_, lock) => {
    const checkpoint = checkpointOf(place, 1);
    await put(keyOf(1), checkpoint.text, lock);
    await expect(store.accept(checkpoint)).rejects.toMatchObject({
      fault: 'anchor_retention_invalid',
    });
  });

  it('refuses an acceptance whose lock has run out', async () => {
    const checkpoint = checkpointOf(place, 1);
    await store.accept(checkpoint);
    const later = await open({}, () => Date.now() + 91 * DAY_MS);
    await expect(later.accept(checkpoint)).rejects.toMatchObject({
      fault: 'anchor_retention_expired',
    });
  });

  it('refuses a foreign object that is larger than any checkpoint', async () => {
    await put(keyOf(1), 'x'.repeat(5_000_000), locked('COMPLIANCE', 365));
    await expect(store.accept(checkpointOf(place, 1))).rejects.toMatchObject({
      fault: 'anchor_conflict',
    });
  });

  it('takes a long history in parts, in order and without holes', async () => {
    await Promise.all(
      Array.from({ length: 230 }, (_, i) => put(keyOf(i + 1), checkpointOf(place, i + 1).text)),
    );
    const part = await since();
    expect(part.length).toBeLessThan(230);
    expect(part.map(({ sequence }) => sequence)).toEqual(part.map((_kept, i) => i + 1));
    const all = await store.history(place.ledgerId, place.generation);
    expect(all.map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: 230 }, (_, i) => i + 1),
    );
  });
});

describe('a bucket that cannot keep anything', () => {
  it('is refused for having no versions, in words', async () => {
    const store = await open({ bucket: 'plain' });
    await expect(store.check()).rejects.toThrow(AnchorStoreUnfit);
    await expect(store.check()).rejects.toThrow(/plain does not keep versions/);
    await expect(store.accept(checkpointOf(newPlace(), 1))).rejects.toThrow(AnchorStoreUnfit);
  });

  it('is refused for having versions without locks', async () => {
    await server.client.send(
      new PutBucketVersioningCommand({
        Bucket: 'plain',
        VersioningConfiguration: { Status: 'Enabled' },
      }),
    );
    const store = await open({ bucket: 'plain' });
    await expect(store.check()).rejects.toThrow(/plain has no Object Lock/);
  });

  it('may come later when it is missing', async () => {
    const store = await open({ bucket: 'not-there' });
    await expect(store.check()).rejects.toMatchObject({ fault: 'anchor_unavailable' });
  });
});

describe('a store that does not do its part', () => {
  let place: Place;
  beforeEach(() => (place = newPlace()));
  const TIMEOUT_MS = 1000;
  const through = () => open({ endpoint: proxy.url, timeoutMs: TIMEOUT_MS });
  afterEach(() => proxy.mode('pass'));

  it('is unavailable when it refuses our credentials, and the log learns why and nothing secret', async () => {
    const credentials = { accessKeyId: 'countersign', secretAccessKey: 'wrong-and-secret' };
    const store = await open({ credentials });
    const failure = await store.accept(checkpointOf(place, 1)).catch((error: unknown) => error);
    expect(failure).toMatchObject({ fault: 'anchor_unavailable' });
    const { cause } = failure as { cause: Error };
    expect(cause.message).toMatch(/403/);
    expect(JSON.stringify([cause.message, { ...cause }])).not.toMatch(/secret/);
  });

  it.each<[ProxyMode]>([['hang'], ['drip'], ['reset'], ['page']])(
    'is unavailable within its time, and fences no tenant, when it does this: %s',
    async (mode) => {
      const store = await through();
      const checkpoint = checkpointOf(place, 2);
      const later = checkpointOf(place, 3);
      await store.accept(checkpoint);
      proxy.mode(mode);
      for (const ask of [
        () => store.accept(checkpoint),
        () => store.accept(later),
        () => store.since(place.ledgerId, place.generation, 0),
      ]) {
        const begin = performance.now();
        const failure = await ask().catch((error: unknown) => error);
        // Twice its time for a machine that is busy: a hang would be for ever.
        expect(performance.now() - begin).toBeLessThan(2 * TIMEOUT_MS);
        expect(failure).toBeInstanceOf(AnchorError);
        expect(failure).toMatchObject({ fault: 'anchor_unavailable' });
      }
      expect(proxy.connections()).toBeGreaterThan(0);
      proxy.mode('pass');
      // Any earlier attempt may have got through: it is accepted now, and once.
      await store.accept(later);
      await store.accept(checkpoint);
    },
  );

  it('does not say at a start that it is fit when it says nothing', async () => {
    proxy.mode('hang');
    const store = await through();
    await expect(store.check()).rejects.toMatchObject({ fault: 'anchor_unavailable' });
    proxy.mode('pass');
    await expect(store.check()).resolves.toBeUndefined();
  });
});
