import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort } from '@countersign/platform/stores';
import { until } from '@countersign/platform/testing';
import { promtool, run } from '../chart/tools.js';
import { producerOf } from '../support/client.js';
import { newFolder } from '../support/folder.js';
import type { Instance } from '../support/instance.js';
import { startInstance } from '../support/instance.js';
import { reviewInput } from '../support/requests.js';

/** A busy machine is no failure. */
const PATIENCE_MS = 50_000;
const HOOK = resolve(__dirname, 'support/failing-thread.mjs');

/** All in one process, whose edge, services and chain have a thread each, looks like one process from outside. */
describe('the threads of one process', () => {
  const folder = newFolder('threads');
  const fails = join(folder, 'fail');
  let instance: Instance;
  let probes: string;

  beforeAll(async () => {
    const port = await freePort();
    probes = `http://127.0.0.1:${port}`;
    instance = await startInstance({
      env: {
        HEALTH_PORT: String(port),
        NODE_OPTIONS: `--import ${HOOK}`,
        FAILING_THREAD: `${fails}:chain`,
      },
    });
  }, 120_000);
  afterAll(async () => {
    await instance?.stop();
    rmSync(folder, { recursive: true, force: true });
  }, 60_000);

  /** Whole at every moment that somebody reads it. */
  const setOff = (what: string) => {
    writeFileSync(`${fails}.part`, what);
    renameSync(`${fails}.part`, fails);
  };
  const probed = async () => {
    const response = await fetch(`${probes}/readyz`);
    return (await response.json()) as { ready: boolean; modules: Record<string, string> };
  };
  const scraped = async () => (await fetch(`${probes}/metrics`)).text();

  it('are ready together, with the modules of all', async () => {
    const { ready, modules } = await probed();
    expect(ready).toBe(true);
    expect(Object.keys(modules)).toEqual(
      expect.arrayContaining(['gateway', 'request', 'review', 'ledger', 'worker-expiry']),
    );
    expect(new Set(Object.values(modules))).toEqual(new Set(['ready']));
  });

  it('have their figures in one place, each series once', async () => {
    const text = await scraped();
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
      /^nodejs_eventloop_lag_p99_seconds\{(?=[^}]*thread="services")/m,
      /^nodejs_eventloop_lag_p99_seconds\{(?=[^}]*thread="chain")/m,
    ]) {
      expect(text).toMatch(named);
    }
    expect(text.match(/^process_resident_memory_bytes\{/gm)).toHaveLength(1);
  });

  it('are alive when all of them are, and whoever looks is answered meanwhile', async () => {
    const alive = async () => (await fetch(`${probes}/livez`)).status;
    expect(await alive()).toBe(200);
    setOff('12000');
    await until(() => !existsSync(fails), PATIENCE_MS);
    const [lives, { ready, modules }, figures] = await Promise.all([alive(), probed(), scraped()]);
    expect([lives, ready, modules['thread chain'], modules['gateway']]).toEqual([
      ...[503, false, 'unready', 'ready'],
    ]);
    expect(figures).toMatch(/^countersign_ready\{[^}]*\} 0$/m);
    expect(figures).toMatch(/thread="services"/);
    await until(async () => (await alive()) === 200 && (await probed()).ready, PATIENCE_MS);
  }, 150_000);

  it('end together when one of them fails, and the launcher starts them again', async () => {
    const producer = producerOf(instance.demo);
    const created = await producer.post('/v2/requests', reviewInput(instance.demo));
    expect(created.status).toBe(201);
    setOff('');
    await until(() => /all ended \(code 1\)/.test(instance.output()), PATIENCE_MS);
    const ready = () =>
      probed().then(
        (state) => state.ready,
        () => false,
      );
    await until(ready, PATIENCE_MS);
    const path = `/v2/requests/${created.body.request.id}`;
    expect((await producer.get(path)).status).toBe(200);
  }, 150_000);
});
