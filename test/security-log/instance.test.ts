import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '../support/client.js';
import { newFolder } from '../support/folder.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import { newToken } from '../support/people.js';
import { reviewInput, until } from '../support/requests.js';
import { startOtlpReceiver } from './otlp-receiver.js';
import type { OtlpReceiver } from './otlp-receiver.js';

// The whole product with two collectors, one of which takes calls and answers none.

const CANARY = 'canary-of-private-material';
const READS = 30;

let receiver: OtlpReceiver;
let instance: Instance;
let lines: string;

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  receiver.answer('hang');
  lines = join(newFolder('stream'), 'security.jsonl');
  instance = await startInstance({
    env: {
      SECURITY_LOG_OTLP_URL: `http://127.0.0.1:${receiver.port}/v1/logs`,
      SECURITY_LOG_LINES: lines,
    },
  });
});
afterAll(async () => {
  await receiver?.close();
  await instance?.stop();
});

interface Line {
  readonly head: string;
  readonly entry: { readonly kind: string; readonly request_id: string | null };
}
const written = (): Line[] =>
  existsSync(lines)
    ? readFileSync(lines, 'utf8')
        .split('\n')
        .slice(0, -1)
        .map((line) => JSON.parse(line) as Line)
    : [];

it('a collector that hangs stops neither callers nor the other collector, and gets everything later', async () => {
  const { demo } = instance;
  const producer = new Client(demo.origin, { token: demo.producer.token });
  const input = reviewInput(demo, { payload: { text: CANARY, list: [] } });
  const made = await producer.post('/v2/requests', input);
  expect(made.status).toBe(201);
  const { id } = made.body.request as { id: string };
  const read = async () => (await producer.get(`/v2/requests/${id}/material`)).status;
  expect(await read()).toBe(200);
  // From here on it holds a batch and does not answer.
  await until(
    async () => receiver.calls(),
    (calls) => calls > 0,
  );
  for (let n = 1; n < READS; n += 1) expect(await read()).toBe(200);
  const ofRequest = () => written().filter(({ entry }) => entry.request_id === id);
  await until(
    async () => ofRequest(),
    (found) => found.length === READS,
  );
  expect(receiver.logs).toEqual([]);

  receiver.answer({ status: 200 });
  const heads = new Set(written().map(({ head }) => head));
  await until(
    async () =>
      receiver.logs.filter(({ attributes }) => heads.has(attributes['countersign.head'] ?? '')),
    (found) => found.length >= heads.size,
  );
});

it('sends no private material, no token and no address', async () => {
  const token = newToken();
  const { demo } = instance;
  await new Client(demo.origin, { token }).get('/v2/requests');
  // Unknown credentials are counted for a minute; everything before is there already.
  const sent = [readFileSync(lines, 'utf8'), JSON.stringify(receiver.logs)];
  for (const text of sent) {
    for (const secret of [CANARY, token, demo.producer.token, demo.operator.token, '127.0.0.1']) {
      expect(text).not.toContain(secret);
    }
  }
});
