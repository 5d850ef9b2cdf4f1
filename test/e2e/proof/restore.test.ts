import { execFileSync } from 'node:child_process';
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { operatorOf, personOf, producerOf } from '../../support/client.js';
import type { Client } from '../../support/client.js';
import { runCommand, startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionInput,
  until,
  untilAvailable,
} from '../../support/requests.js';
import { newDataFolder } from '../../support/folder.js';
import { untilAnchored } from '../../support/truths.js';

/**
 * Invariant I7 and R18: a database that is restored from an older backup is fenced by the anchor store's history, no
 * consumed authority is given again, and only the operator's recovery ends the fence.
 */
describe('a database restored from an older backup', () => {
  const dataDirectory = newDataFolder('restore');
  const postgres = join(dataDirectory, 'postgres');
  const backup = join(dataDirectory, 'backup');
  let instance: Instance | null = null;
  let producer: Client;
  let operator: Client;
  let reviewer: Client;

  async function start(): Promise<Instance> {
    instance = await startInstance({ dataDirectory });
    producer = producerOf(instance.demo);
    operator = operatorOf(instance.demo);
    reviewer = await personOf(instance.demo, dataDirectory, instance.demo.people[1]!.id);
    return instance;
  }
  async function stop(): Promise<void> {
    await instance?.stop();
    instance = null;
  }
  const incidents = async (): Promise<string[]> =>
    (await operator.get('/v2/admin/metrics')).body.incidents.map(
      ({ code }: { code: string }) => code,
    );
  const recover = (...args: string[]) =>
    runCommand(['recover', '--tenant', 'demo', '--data', dataDirectory, ...args]);

  afterAll(async () => {
    await stop();
    rmSync(dataDirectory, { recursive: true, force: true });
  });

  let requestId: string;
  let claim: object;
  let entriesBefore: number;
  let retired: string;

  it('prepares the restore: a grant is given, backed up, and then claimed', async () => {
    const { demo } = await start();
    const status = await authorisedRequest(demo, producer, reviewer);
    requestId = status.body.request.id;
    claim = claimInput(status);
    await untilAnchored(instance as Instance);
    await stop();
    execFileSync('cp', ['-a', postgres, backup]);

    // A restart fences nothing.
    await start();
    expect((await producer.post(`/v2/requests/${requestId}/claims`, claim)).status).toBe(201);
    // The claim is in the anchor store with the next checkpoint.
    const later = await authorisedRequest(demo, producer, reviewer);
    expect(later.body.grant_state).toBe('available');
    expect(await incidents()).toEqual([]);
    entriesBefore = (await operator.get('/v2/admin/ledger?after=0')).body.length;
    await stop();
  });

  it('claims nothing again, from its first moment on, and opens an incident', async () => {
    rmSync(postgres, { recursive: true });
    renameSync(backup, postgres);
    await start();
    const again = await producer.post(`/v2/requests/${requestId}/claims`, claim);
    expect([again.status, again.body.error]).toEqual([503, 'admission_fenced']);
    await until(incidents, (codes) => codes.includes('ledger_behind_anchor'));
    const metrics = (await operator.get('/v2/admin/metrics')).body;
    expect(metrics.admission_fenced).toBe(true);
    // Reviews go on, and their decisions wait.
    const created = await producer.post('/v2/requests', executionInput(instance!.demo));
    expect(created.status).toBe(201);
    expect((await decide(reviewer, created.body.request.id, 'authorise')).status).toBe(200);
    const waiting = await producer.get(`/v2/requests/${created.body.request.id}`);
    expect(waiting.body.grant_state).toBe('pending_anchor');
  });

  it('stays fenced over a restart', async () => {
    await stop();
    await start();
    const again = await producer.post(`/v2/requests/${requestId}/claims`, claim);
    expect([again.status, again.body.error]).toEqual([503, 'admission_fenced']);
    expect((await incidents()).filter((code) => code === 'ledger_behind_anchor')).toHaveLength(1);
  });

  it('lists the effects of a recovery, which changes nothing yet', async () => {
    const { code, stdout } = await recover();
    expect(code).toBe(0);
    // Entries chained since may have met the anchors of the earlier ones.
    expect(stdout).toMatch(/fenced \((ledger_behind_anchor|anchor_conflict)\)/);
    expect(stdout).toMatch(/2 unused grants would be revoked/);
    expect(stdout).toMatch(/Nothing was changed/);
    retired = /the namespace (\S+) would be retired/.exec(stdout)?.[1] ?? '';
    expect((await operator.get('/v2/admin/metrics')).body.admission_fenced).toBe(true);
  });

  it('works again after the recovery, without the authority given before', async () => {
    const { code, stdout } = await recover('--apply');
    expect([code, stdout]).toEqual([0, expect.stringContaining('the new namespace is')]);
    const old = await producer.get(`/v2/requests/${requestId}`);
    expect(old.body).toMatchObject({ grant_state: 'revoked', execution_state: 'uncertain' });
    expect(old.body.receipt).not.toBeNull();
    const refused = await producer.post(`/v2/requests/${requestId}/claims`, claim);
    expect(refused.status).toBe(409);
    expect(await incidents()).toContain('namespace_retired');

    const demo = instance!.demo;
    const created = await producer.post('/v2/requests', executionInput(demo));
    expect((await decide(reviewer, created.body.request.id, 'authorise')).status).toBe(200);
    const available = await untilAvailable(producer, created.body.request.id);
    const claimed = await producer.post(
      `/v2/requests/${created.body.request.id}/claims`,
      claimInput(available),
    );
    expect(claimed.status).toBe(201);
    expect((await operator.get('/v2/admin/metrics')).body.admission_fenced).toBe(false);
    // The ledger went on; nothing of it was lost or written again.
    expect((await operator.get('/v2/admin/ledger?after=0')).body.length).toBeGreaterThan(
      entriesBefore / 2,
    );
    // A recovery leaves no record, and its effects still follow from the existing ones.
    const fsck = await runCommand(['fsck', '--data', dataDirectory]);
    const faults = [...fsck.stdout.matchAll(/^ {2}([a-z_]+): /gm)].map(([, fault]) => fault);
    // The anchor that the restored ledger met stays where it is, in the retired namespace, and differs for ever.
    expect(faults.filter((fault) => fault !== 'anchor_differs')).toEqual([]);
    expect(fsck.stdout).toMatch(
      faults.length === 0 ? /^CONSISTENT\n/ : new RegExp(`demo: ${retired}/\\d+\n`),
    );
    // A second recovery has nothing to do.
    expect((await recover('--apply')).code).not.toBe(0);
  });
});
