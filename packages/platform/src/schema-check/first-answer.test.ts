import { Refusal } from '@countersign/protocol';
import { createLogger } from '../log.js';
import { firstSchemaAnswer } from './first-answer.js';

const log = createLogger({ name: 'test', level: 'silent' });
const refused = () => Promise.reject(new Refusal('schema_validation_unavailable'));

it('starts with the first answer', async () => {
  let asked = 0;
  const check = () => (++asked < 3 ? refused() : Promise.resolve());
  await firstSchemaAnswer({ check }, { log }).start();
  expect(asked).toBe(3);
});

it('starts without an answer after a while', async () => {
  let asked = 0;
  const check = () => (++asked, refused());
  await firstSchemaAnswer({ check }, { log, atMostMs: 0 }).start();
  expect(asked).toBeGreaterThan(0);
});

it('ends its wait when the process stops', async () => {
  const stopping = new AbortController();
  const check = () => (stopping.abort(), refused());
  await firstSchemaAnswer({ check }, { log, stopping: stopping.signal }).start();
});
