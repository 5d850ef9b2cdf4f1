import { execFileSync } from 'node:child_process';
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { operatorOf, personOf, producerOf } from '../../support/client.js';
import type { Client } from '../../support/client.js';
import { runCommand, startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  executionInput,
  decide,
  until,
} from '../../support/requests.js';
import { BUILD_MS } from '../../support/programs/obtained.js';
import { S3_ACCESS, startS3 } from '../../support/servers/s3.js';
import type { S3Server } from '../../support/servers/s3.js';
import { startTcpProxy } from '../../support/servers/tcp-proxy.js';
import type { TcpProxy } from '../../support/servers/tcp-proxy.js';
import { newDataFolder } from '../../support/folder.js';

/** The whole service with its checkpoints in a bucket: it anchors, an auditor reads the bucket, a restored database is fenced. */
describe('a service that anchors in S3', () => {
  const dataDirectory = newDataFolder('s3-e2e');
  const at = (name: string): string => join(dataDirectory, name);
  let server: S3Server;
  let proxy: TcpProxy;
  let env: Record<string, string>;
  let instance: Instance | null = null;
  let producer: Client;
  let operator: Client;
  let reviewer: Client;

  beforeAll(async () => {
    server = await startS3();
    await server.bucket('anchors', true);
    proxy = await startTcpProxy(server.port);
    writeFileSync(at('secret'), S3_ACCESS.secretAccessKey);
    env = {
      ANCHOR_S3_BUCKET: 'anchors',
      ANCHOR_S3_PREFIX: 'audit',
      ANCHOR_S3_ENDPOINT: proxy.url,
      ANCHOR_S3_PATH_STYLE: 'true',
      ANCHOR_S3_ACCESS_KEY_ID: S3_ACCESS.accessKeyId,
      ANCHOR_S3_SECRET_ACCESS_KEY_FILE: at('secret'),
      ANCHOR_S3_TIMEOUT_MS: '2000',
    };
  }, BUILD_MS);
  afterAll(async () => {
    await stop();
    await proxy?.stop();
    await server?.stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  async function start(): Promise<Instance> {
    instance = await startInstance({ dataDirectory, env });
    producer = producerOf(instance.demo);
    operator = operatorOf(instance.demo);
    reviewer = await personOf(instance.demo, dataDirectory, instance.demo.people[1]!.id);
    return instance;
  }
  async function stop(): Promise<void> {
    await instance?.stop();
    instance = null;
  }
  const verify = (
    file: string,
    changes: Record<string, string> = {},
    store = 's3://anchors/audit',
  ) =>
    runCommand(['verify', file, '--trust', at('trust.json'), '--store', store], {
      ...env,
      ...changes,
    });
  const exported = async (id: string): Promise<string> => {
    const { body } = await producer.get(`/v2/requests/${id}/export`);
    writeFileSync(at(`${id}.json`), JSON.stringify(body));
    return at(`${id}.json`);
  };

  let id: string;

  it('opens a grant when the bucket holds its checkpoint, and an auditor finds it there', async () => {
    const { demo } = await start();
    const status = await authorisedRequest(demo, producer, reviewer);
    id = status.body.request.id;
    expect(status.body.anchor.acceptance).toMatchObject({ backend: 's3://anchors' });
    const file = await exported(id);
    const verdict = await verify(file);
    expect([verdict.code, verdict.stderr]).toEqual([0, '']);
    // Elsewhere there is nothing of the kind, and nothing is not the same as no answer.
    expect((await verify(file, {}, 's3://anchors/elsewhere')).code).toBe(1);
    const page = at('ledger.json');
    writeFileSync(page, JSON.stringify((await operator.get('/v2/admin/ledger?after=0')).body));
    const ledger = status.body.anchor.checkpoint.payload.ledger_id;
    const range = await runCommand(
      [
        'verify',
        page,
        '--trust',
        at('trust.json'),
        '--ledger',
        ledger,
        '--store',
        's3://anchors/audit',
        '--json',
      ],
      env,
    );
    const checks: { code: string; status: string }[] = JSON.parse(range.stdout).checks;
    const compared = checks.filter(({ code }) => code === 'range_store');
    expect(compared.filter(({ status }) => status === 'holds').length).toBeGreaterThan(0);
    expect(compared.filter(({ status }) => status === 'fails')).toEqual([]);
  });

  it('says plainly that the bucket cannot be read', async () => {
    const file = at(`${id}.json`);
    for (const changes of [
      { ANCHOR_S3_ENDPOINT: 'http://127.0.0.1:1' },
      { ANCHOR_S3_ACCESS_KEY_ID: 'somebody' },
    ]) {
      const { code, stderr } = await verify(file, changes);
      expect(code).toBe(2);
      expect(stderr).toMatch(
        /^countersign: --store s3:\/\/anchors\/audit: the anchor store cannot be read/,
      );
    }
  });

  it('lets reviews go on while the bucket hangs, and anchors them when it answers again', async () => {
    proxy.mode('hang');
    const created = await producer.post('/v2/requests', executionInput(instance!.demo));
    expect((await decide(reviewer, created.body.request.id, 'authorise')).status).toBe(200);
    const status = () => producer.get(`/v2/requests/${created.body.request.id}`);
    const { stdout } = await until(
      async () => ({ stdout: instance!.output() }),
      () => proxy.connections() > 0,
    );
    expect(stdout).not.toMatch(/countersign-secret/);
    expect((await status()).body.grant_state).toBe('pending_anchor');
    proxy.mode('pass');
    await until(status, ({ body }) => body.grant_state === 'available', 30_000);
  });

  it('is compared with the whole database', async () => {
    const fsck = (store: string, changes: Record<string, string> = {}) =>
      runCommand(['fsck', '--data', dataDirectory, '--store', store, '--json'], {
        ...env,
        ...changes,
      });
    const sound = await fsck('s3://anchors/audit');
    expect([sound.code, JSON.parse(sound.stdout).faults, sound.stderr]).toEqual([0, {}, '']);
    const elsewhere = await fsck('s3://anchors/elsewhere');
    expect(elsewhere.code).toBe(1);
    expect(Object.keys(JSON.parse(elsewhere.stdout).faults)).toEqual(['anchor_missing']);
    const away = await fsck('s3://anchors/audit', { ANCHOR_S3_ENDPOINT: 'http://127.0.0.1:1' });
    expect([away.code, away.stdout]).toEqual([2, '']);
    expect(away.stderr).toMatch(
      /^countersign: --store s3:\/\/anchors\/audit: the anchor store cannot be read: .*ECONNREFUSED/,
    );
  });

  it('fences a database that was restored from before the bucket’s history, until it is recovered', async () => {
    await stop();
    execFileSync('cp', ['-a', at('postgres'), at('backup')]);
    const { demo } = await start();
    await authorisedRequest(demo, producer, reviewer);
    await stop();
    rmSync(at('postgres'), { recursive: true });
    renameSync(at('backup'), at('postgres'));

    await start();
    const incidents = async (): Promise<string[]> =>
      (await operator.get('/v2/admin/metrics')).body.incidents.map(
        ({ code }: { code: string }) => code,
      );
    await until(incidents, (codes) => codes.includes('ledger_behind_anchor'));
    const claim = claimInput(await producer.get(`/v2/requests/${id}`));
    const refused = await producer.post(`/v2/requests/${id}/claims`, claim);
    expect([refused.status, refused.body.error]).toEqual([503, 'admission_fenced']);
    const recovered = await runCommand(
      ['recover', '--tenant', 'demo', '--data', dataDirectory, '--apply'],
      env,
    );
    expect(recovered.code).toBe(0);
    const again = await authorisedRequest(instance!.demo, producer, reviewer);
    expect(again.body.grant_state).toBe('available');
    expect((await verify(await exported(again.body.request.id))).code).toBe(0);
  });
});
