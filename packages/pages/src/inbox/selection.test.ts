import type { RequestListItem } from '@countersign/protocol';

import { NO_CHOICE, selected } from './selection.js';
import type { Choice, Origins } from './selection.js';

const item = (id: string, changes: Partial<RequestListItem> = {}): RequestListItem => ({
  id,
  summary: `Summary of ${id}`,
  deadline: '2026-05-01T12:00:00.000Z',
  decision: 'pending',
  audit: 'unanchored',
  grant: 'not_applicable',
  execution: 'not_applicable',
  assignment: null,
  ...changes,
});
const lease = (reviewer: string) => ({ id: 'x', reviewer, expires_at: '2026-05-01T11:00:00.000Z' });

const items = [
  item('a', { deadline: '2026-05-01T15:00:00.000Z', summary: 'Pay the invoice' }),
  item('b', { assignment: lease('me') }),
  item('c', { decision: 'confirmed' }),
  item('d', { decision: 'expired' }),
  item('f', { decision: 'confirmed' }),
  item('e', { assignment: lease('you'), deadline: '2026-05-01T11:00:00.000Z' }),
];
const decided = (decision: string, reviewer: string) => ({
  decision,
  reviewer,
  confirmed_at: '2026-05-01T10:00:00.000Z',
});
const origins = new Map<string, Origins>([
  ['a', { route: 'payments', producer: 'bot-1' }],
  ['c', { route: 'payments', producer: 'bot-1', outcome: decided('refuse', 'me') }],
  ['f', { route: 'texts', producer: 'bot-1', outcome: decided('approve', 'you') }],
  ['b', { route: 'texts', producer: 'bot-2' }],
]);
const ids = (choice: Partial<Choice>) =>
  selected(items, { tab: 'waiting', ...NO_CHOICE, ...choice }, origins, 'me').map(({ id }) => id);

test.each<[string, Partial<Choice>, string[]]>([
  ['what waits, by deadline', {}, ['e', 'b', 'a']],
  ['what is mine', { tab: 'mine' }, ['b']],
  ['what is decided, as listed', { tab: 'decided' }, ['c', 'd', 'f']],
  ['one decision', { tab: 'decided', state: 'refuse' }, ['c']],
  ['every decision', { tab: 'decided', state: 'confirmed' }, ['c', 'f']],
  ['my decisions', { tab: 'decided', by: 'me' }, ['c']],
  ['those of others', { tab: 'decided', by: 'others' }, ['f']],
  ['one state', { tab: 'decided', state: 'expired' }, ['d']],
  ['one route', { route: 'payments' }, ['a']],
  ['one producer', { producer: 'bot-2' }, ['b']],
  ['words in any order', { text: 'INVOICE pay' }, ['a']],
  ['words of what is known beside the list', { text: 'bot-2' }, ['b']],
  ['nothing', { text: 'nothing such' }, []],
])('shows %s', (_what, choice, expected) => {
  expect(ids(choice)).toEqual(expected);
});
