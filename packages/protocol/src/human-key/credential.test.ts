import {
  MOST_ACTIVE,
  WAITING_MS,
  countersign,
  disablePrincipal,
  endCredential,
  enrol,
  use,
} from './credential.js';
import type { Credential, KeyStep } from './credential.js';

const NOW = Date.UTC(2026, 4, 1, 9);
const ALICE = 'sha256:a';
const BOB = 'sha256:b';

const at = (state: Credential['state'], changes: Partial<Credential> = {}): Credential => ({
  ...{ state, person: ALICE, enrolledAt: NOW - 1000, counter: 7, attempts: 1 },
  ...changes,
});

const SITUATIONS: Readonly<Record<string, Credential | null>> = {
  none: null,
  waiting: at('waiting', { attempts: 0 }),
  'waited too long': at('waiting', { enrolledAt: NOW - WAITING_MS }),
  active: at('active'),
  'active, counts nothing': at('active', { counter: 0 }),
  suspended: at('suspended'),
  ended: at('ended'),
};

const other = { person: BOB, byOwnKey: false, isFirst: false, active: 0 };
const COMMANDS: Readonly<Record<string, (credential: Credential | null) => KeyStep>> = {
  enrol: (it) => enrol(it, { person: BOB, counter: 0, now: NOW }),
  countersign: (it) => countersign(it, other, NOW),
  'by the same': (it) => countersign(it, { ...other, person: ALICE }, NOW),
  'by own key': (it) => countersign(it, { ...other, person: ALICE, byOwnKey: true }, NOW),
  token: (it) => countersign(it, { ...other, person: null }, NOW),
  'first token': (it) => countersign(it, { ...other, person: null, isFirst: true }, NOW),
  'a sixth': (it) => countersign(it, { ...other, active: MOST_ACTIVE }, NOW),
  use: (it) => use(it, { person: ALICE, counter: 8 }, NOW),
  'use 0': (it) => use(it, { person: ALICE, counter: 0 }, NOW),
  'use again': (it) => use(it, { person: ALICE, counter: 7 }, NOW),
  "other's": (it) => use(it, { person: BOB, counter: 8 }, NOW),
  replaced: (it) => endCredential(it, 'replaced', NOW),
  lost: (it) => endCredential(it, 'lost', NOW),
  disabled: (it) => disablePrincipal(it),
};

// State and counter afterwards; `!` a refusal, `+` a record, `#` an incident, `votes` those that end.
const TABLE = `
                       | enrol              | countersign              | by the same             | by own key              | token                   | first token              | a sixth                 | use                 | use 0                                        | use again                                    | other's             | replaced                | lost                          | disabled
none                   | waiting 0          | !not_found               | !not_found              | !not_found              | !not_found              | !not_found               | !not_found              | !human_key_required | !human_key_required                          | !human_key_required                          | !human_key_required | !not_found              | !not_found                    | none
waiting                | !identity_conflict | active 7 +CredentialBound | !second_person_required | active 7 +CredentialBound | !second_person_required | active 7 +CredentialBound | !credential_unavailable | !human_key_required | !human_key_required                          | !human_key_required                          | !human_key_required | none                    | none                          | none
waited too long        | waiting 0          | !not_found               | !not_found              | !not_found              | !not_found              | !not_found               | !not_found              | !human_key_required | !human_key_required                          | !human_key_required                          | !human_key_required | !not_found              | !not_found                    | none
active                 | !identity_conflict | !credential_unavailable  | !credential_unavailable | !credential_unavailable | !credential_unavailable | !credential_unavailable  | !credential_unavailable | active 8            | !invalid_assertion suspended 7 #credential_cloned | !invalid_assertion suspended 7 #credential_cloned | !human_key_required | ended 7 +CredentialEnded | ended 7 +CredentialEnded votes | active 7
active, counts nothing | !identity_conflict | !credential_unavailable  | !credential_unavailable | !credential_unavailable | !credential_unavailable | !credential_unavailable  | !credential_unavailable | active 8            | active 0                                     | active 7                                     | !human_key_required | ended 0 +CredentialEnded | ended 0 +CredentialEnded votes | active 0
suspended              | !identity_conflict | active 7 +CredentialBound | !second_person_required | !second_person_required | !second_person_required | !second_person_required  | !credential_unavailable | !human_key_required | !human_key_required                          | !human_key_required                          | !human_key_required | ended 7 +CredentialEnded | ended 7 +CredentialEnded votes | suspended 7
ended                  | !identity_conflict | !credential_unavailable  | !credential_unavailable | !credential_unavailable | !credential_unavailable | !credential_unavailable  | !credential_unavailable | !human_key_required | !human_key_required                          | !human_key_required                          | !human_key_required | !credential_unavailable | !credential_unavailable       | ended 7
`;

const [head = [], ...rows] = TABLE.trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));
// The first cell of the head is empty, and trimmed off with the line.
const columns = head[0] === '' ? head.slice(1) : head;

const written = (of: Credential | null): string =>
  of === null ? 'none' : `${of.state} ${of.counter}`;

function told(before: Credential | null, { refused, next, record, incident, endsVotes }: KeyStep) {
  const stays = written(before) === written(next) || (refused !== null && next === null);
  return [
    ...(refused === null ? [] : [`!${refused}`]),
    ...(refused !== null && stays ? [] : [written(next)]),
    ...(record === null ? [] : [`+${record}`]),
    ...(incident === null ? [] : [`#${incident}`]),
    ...(endsVotes ? ['votes'] : []),
  ].join(' ');
}

describe('every command acts on every key as the table says', () => {
  it('the table has all situations and all commands', () => {
    expect(rows.map(([name]) => name)).toEqual(Object.keys(SITUATIONS));
    expect(columns).toEqual(Object.keys(COMMANDS));
  });

  it.each(Object.keys(SITUATIONS))('%s', (situation) => {
    const credential = SITUATIONS[situation] ?? null;
    const [, ...cells] = rows.find(([name]) => name === situation) ?? [];
    const found = Object.values(COMMANDS).map((command) => told(credential, command(credential)));
    expect(found).toEqual(cells);
  });
});

it('an enrolment waits to the millisecond', () => {
  const waiting = at('waiting', { enrolledAt: NOW });
  const end = NOW + WAITING_MS;
  expect(countersign(waiting, other, end - 1).refused).toBeNull();
  expect(countersign(waiting, other, end).refused).toBe('not_found');
});

it('counts how often a key was countersigned, for the statement of the next one', () => {
  const first = countersign(at('waiting', { attempts: 0 }), other, NOW).next;
  const cloned = use(first, { person: ALICE, counter: 1 }, NOW).next;
  expect(countersign(cloned, other, NOW).next).toMatchObject({ state: 'active', attempts: 2 });
});
