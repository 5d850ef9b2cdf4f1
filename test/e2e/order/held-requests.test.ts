import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { operatorOf, personOf } from '../../support/client.js';
import type { Client } from '../../support/client.js';
import type { Demo, Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { newRoute } from '../../support/own-route.js';
import type { OwnRoute } from '../../support/own-route.js';
import { authorisedRequest, claimInput, until } from '../../support/requests.js';
import { connectTo } from '../../support/truths.js';

// A change of the directory takes authority from a request that another step is moving at that moment, too: it waits for the step,
// and then sees the state that the step has left (decision 0005).

let instance: Instance;
let demo: Demo;
let operator: Client;
let reviewer: Client;
let watching: pg.Client;
let moving: pg.Client;

beforeAll(async () => {
  instance = await startInstance({ quotas: false });
  demo = instance.demo;
  operator = operatorOf(demo);
  reviewer = await personOf(demo, instance.dataDirectory, demo.people[1]!.id);
  watching = await connectTo(instance);
  moving = await connectTo(instance);
});
afterAll(async () => {
  await watching?.end();
  await moving?.end();
  await instance?.stop();
});

/** Holds the request as a step does that is about to commit, until `change` waits for it. */
async function whileMoved(id: string, change: () => Promise<unknown>): Promise<void> {
  await moving.query('BEGIN');
  await moving.query('UPDATE lifecycle SET reminded_at = clock_timestamp() WHERE request_id = $1', [
    id,
  ]);
  const changing = change();
  await until(
    () => watching.query("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'"),
    ({ rowCount }) => rowCount !== 0,
  );
  await moving.query('COMMIT');
  await changing;
}

it.each<[string, (own: OwnRoute) => Promise<unknown>]>([
  ['the rules of its route', (own) => own.putRoute({ modes: ['live_window', 'durable'] })],
  ['who may ask on its route', (own) => own.putRoute({ allowed_producers: [] })],
  ['who decides on its route', (own) => own.putRoute({ reviewers: [] })],
  ['its owner', (own) => own.putProducer({ enabled: false })],
])('a change of %s takes a grant that is being moved', async (_, change) => {
  const own = await newRoute(demo, operator, [demo.people[1]!.id]);
  const status = await authorisedRequest(own.demo, own.producer, reviewer);
  const { id } = status.body.request;
  await whileMoved(id, () => change(own));
  const { body } = await operator.get(`/v2/requests/${id}`);
  expect(body.grant_state).toBe('revoked');
  expect(
    (await own.producer.post(`/v2/requests/${id}/claims`, claimInput(status, randomUUID()))).status,
  ).not.toBe(201);
});
