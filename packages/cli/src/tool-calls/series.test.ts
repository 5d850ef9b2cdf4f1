import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { seriesOf } from './series.js';
import { stateIn } from './state.js';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'countersign-series-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const KEY = 'a'.repeat(64);
const told = (state: string) => ({ state, request: null, at: 'now' });

it('a call is the same until its end was told, in any process', () => {
  const state = stateIn(folder);
  expect(seriesOf(state, KEY)).toMatchObject({ number: 1, before: null });
  const [one, other] = [seriesOf(state, KEY), seriesOf(stateIn(folder), KEY)];
  one.end(told('completed'));
  // Two processes that tell the same end end one call.
  other.end(told('lapsed'));
  expect(seriesOf(state, KEY)).toMatchObject({ number: 2, before: told('completed') });
  expect(seriesOf(state, 'b'.repeat(64)).number).toBe(1);
});

it('each state folder has a name of its own that stays', () => {
  const { name } = stateIn(folder);
  expect(name).toMatch(/^[\w-]{12}$/);
  expect(stateIn(folder).name).toBe(name);
  expect(stateIn(join(folder, 'other')).name).not.toBe(name);
});
