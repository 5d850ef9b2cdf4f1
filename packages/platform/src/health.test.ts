import type { IncomingMessage, ServerResponse } from 'node:http';
import { createHealthHandler } from './health.js';
import type { HealthOptions } from './health.js';
import { createMetrics } from './telemetry.js';

interface Answer {
  handled: boolean;
  status?: number;
  body?: string;
}

async function ask(options: HealthOptions, url: string, method = 'GET'): Promise<Answer> {
  const answer: Answer = { handled: false };
  await new Promise<void>((resolve) => {
    const response = {
      headersSent: false,
      writeHead: (status: number) => void (answer.status = status),
      end: (body: string) => {
        answer.body = body;
        resolve();
      },
    };
    const request = { url, method } as IncomingMessage;
    answer.handled = createHealthHandler(options)(request, response as unknown as ServerResponse);
    if (!answer.handled) resolve();
  });
  return answer;
}

const ready: HealthOptions = {
  readiness: async () => ({ ready: true, modules: { bus: 'ready' } }),
};

it('is alive in any state of the modules', async () => {
  const options = { readiness: () => Promise.reject(new Error('no')) };
  expect(await ask(options, '/livez')).toMatchObject({ handled: true, status: 200 });
});

it('is ready when the modules are', async () => {
  expect(await ask(ready, '/readyz?verbose')).toEqual({
    handled: true,
    status: 200,
    body: '{"ready":true,"modules":{"bus":"ready"}}',
  });
  const unready = { readiness: async () => ({ ready: false, modules: { bus: 'unready' } }) };
  expect(await ask(unready, '/readyz', 'HEAD')).toMatchObject({ status: 503 });
  const broken = { readiness: () => Promise.reject(new Error('private words')) };
  expect(await ask(broken, '/readyz')).toMatchObject({ status: 503, body: '{"ready":false}' });
});

it('shows metrics only where they are given', async () => {
  expect(await ask(ready, '/metrics')).toEqual({ handled: false });
  expect(await ask({ ...ready, metrics: () => null }, '/metrics')).toEqual({ handled: false });
  const metrics = createMetrics('worker');
  expect((await ask({ ...ready, metrics: () => metrics }, '/metrics')).body).toContain('# TYPE');
});

it('does not answer other paths and methods', async () => {
  expect((await ask(ready, '/livez/x')).handled).toBe(false);
  expect((await ask(ready, '/livez', 'POST')).handled).toBe(false);
});
