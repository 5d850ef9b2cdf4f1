import { connect } from '@countersign/client/node';
import type { Client } from '@countersign/client/node';
import { startGuarded } from './support/guarded.js';
import type { Setup } from './support/guarded.js';
import { SCENARIOS } from './support/scenarios.js';
import type { Scenario } from './support/scenarios.js';

// docs/guard.md: processes that meet, sleep, are copied or have wrong clocks; a server of its own counts the starts.

let setup: Setup;
let client: Client;

beforeAll(async () => {
  setup = await startGuarded();
  client = await connect(setup.connection);
});
afterAll(async () => {
  await setup?.stop();
});

it.each(Object.values<Scenario>(SCENARIOS))('$name', async ({ run, comes }) => {
  expect(await run(setup, client)).toEqual(comes);
});
