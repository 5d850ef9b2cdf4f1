import { rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort } from '@countersign/dev-servers';
import { until } from '@countersign/dev-servers/testing';
import { promtool, run } from '../chart/tools.js';
import { producerOf } from '../support/client.js';
import { newFolder } from '../support/folder.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { reviewInput } from '../support/requests.js';
import { kill9, replicasOf } from './support/processes.js';
import type { Replica } from './support/processes.js';

/** A busy machine is no failure. */
const PATIENCE_MS = 50_000;
/** As long as the kubelet waits for a probe. */
const PROBE_MS = 1000;
const HOOK = resolve(__dirname, 'support/held-loop.mjs');

/** A cluster's view of a process that runs all targets, and the launcher's work for it. */
describe('all targets in one process', () => {
  const folder = newFolder('one-process');
  const held = join(folder, 'held');
  let instance: Instance;
  let probes: string;

  beforeAll(async () => {
    const port = await freePort();
    probes = `http://127.0.0.1:${port}`;
    instance = await startInstance({
      env: { HEALTH_PORT: String(port), NODE_OPTIONS: `--import ${HOOK}`, HELD_LOOP: held },
    });
  });
  afterAll(async () => {
    rmSync(folder, { recursive: true, force: true });
    await instance?.stop();
  });

  const theProcess = () => replicasOf(instance, 'all')[0] as Replica;
  const probed = async () => {
    const response = await fetch(`${probes}/readyz`);
    return (await response.json()) as { ready: boolean; modules: Record<string, string> };
  };
  /** The status of `/livez`; null when there is no answer in time. */
  const alive = () =>
    fetch(`${probes}/livez`, { signal: AbortSignal.timeout(PROBE_MS) }).then(
      ({ status }) => status,
      () => null,
    );

  it('are ready together, each with its modules', async () => {
    const { ready, modules } = await probed();
    expect(ready).toBe(true);
    expect(Object.keys(modules)).toEqual(
      expect.arrayContaining(['gateway', 'request', 'review', 'ledger', 'worker-expiry']),
    );
    expect(new Set(Object.values(modules))).toEqual(new Set(['ready']));
  });

  it('have their metrics in one place, each series once', async () => {
    const text = await (await fetch(`${probes}/metrics`)).text();
    const { code, stdout, stderr } = run(promtool(), ['check', 'metrics'], text);
    expect([code, stdout + stderr]).toEqual([0, '']);
    const series = text.split('\n').flatMap((line) => /^(\w.*) \S+$/.exec(line)?.[1] ?? []);
    expect(series.length).toBe(new Set(series).size);
    for (const named of [
      /^countersign_ready\{[^}]*\} 1$/m,
      /^countersign_http_seconds_count\{/m,
      /^countersign_operation_seconds_count\{(?=[^}]*operation="request.create")/m,
      /^countersign_operation_seconds_count\{(?=[^}]*operation="ledger.export")/m,
      /^countersign_database_connections\{(?=[^}]*role="gateway")/m,
      /^countersign_database_connections\{(?=[^}]*role="ledger")/m,
      /^nodejs_eventloop_lag_p99_seconds\{target="countersign"\}/m,
    ]) {
      expect(text).toMatch(named);
    }
  });

  it('are alive while their event loop turns', async () => {
    expect(await alive()).toBe(200);
    writeFileSync(held, '');
    process.kill(theProcess().pid, 'SIGUSR2');
    await until(async () => (await alive()) === null, PATIENCE_MS);
    rmSync(held);
    await until(async () => (await alive()) === 200 && (await probed()).ready, PATIENCE_MS);
  });

  it('are started again by the launcher when the process has ended', async () => {
    const producer = producerOf(instance.demo);
    const created = await producer.post('/v2/requests', reviewInput(instance.demo));
    expect(created.status).toBe(201);
    kill9(theProcess());
    await until(() => /all ended \(SIGKILL\)/.test(instance.output()), PATIENCE_MS);
    const ready = () =>
      probed().then(
        (state) => state.ready,
        () => false,
      );
    await until(ready, PATIENCE_MS);
    const path = `/v2/requests/${created.body.request.id}`;
    expect((await producer.get(path)).status).toBe(200);
  });
});
