import type pg from 'pg';
import { codeOf } from '../../support/answers.js';
import type { Answer } from '../../support/client.js';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { reviewInput } from '../../support/requests.js';
import { connectTo } from '../../support/truths.js';
import {
  APPROVAL_PROFILES,
  EXTENDED,
  Voters,
  newExecution,
  newReview,
  policyWith,
  stagesOf,
  wordOf,
} from '../../support/voting.js';

// What each command on the votes of a request does in each situation of its caller (protocol §18.4, §18.7), and that a
// refused one changes nothing.

const PEOPLE = ['fin-1', 'fin-2', 'fin-3', 'plat-1', 'sales-1', 'chief-1'] as const;
const [FIN, OTHER, THIRD, PLAT, SALES, CHIEF] = PEOPLE;
const POLICY = policyWith({
  stages: stagesOf({ finance: 2 }, { platform: 1 }),
  distinct_by: 'person',
  rejection: { count: 2 },
  exclude: { publisher_people: false, operators: true },
});
const TWO = policyWith({ stages: stagesOf({ finance: 2 }), distinct_by: 'person' });

const COMMANDS = ['approve', 'reject', 'withdraw', 'freeze', 'refreeze', 'confirm'] as const;
type Command = (typeof COMMANDS)[number];

/** A request with two candidates of others, and the caller that the situation is about. */
interface Place {
  readonly request: string;
  readonly caller: string;
  readonly yes: Frozen;
  readonly no: Frozen;
}
interface Frozen {
  readonly candidate_id: string;
  readonly candidate_digest: string;
}

/** By command the refusal's code, or the records that it makes; commands that are left out are not in the table. */
type Row = Partial<Record<Command, string | readonly string[]>>;

const VOTED = ['ApprovalRecord', '+approval'];
const DECIDED = ['ApprovalRecord', 'DecisionReceipt', '+decision'];
const ENDED = ['ApprovalEnded', '+approval_ended'];
const FROZEN: readonly string[] = [];
const refuse = (code: string, ...commands: Command[]): Row =>
  Object.fromEntries(commands.map((command) => [command, code]));
const notPending = refuse('409 request_not_pending', ...COMMANDS.filter((c) => c !== 'refreeze'));

let instance: Instance;
let database: pg.Client;
let voters: Voters;
let three: OwnRoute;
let ends: OwnRoute;
let stays: OwnRoute;

beforeAll(async () => {
  instance = await startInstance({ people: PEOPLE, env: { CAPABILITIES: 'proto.approval' } });
  database = await connectTo(instance);
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) await voters.putHuman(id, id === CHIEF ? { operator: true } : {});
  for (const id of [FIN, OTHER, THIRD, CHIEF]) await voters.putMembership(id, ['finance']);
  await voters.putMembership(PLAT, ['platform']);
  await voters.putMembership(SALES, ['sales']);
  three = await voters.routeWith(POLICY);
  const after = (withdraw_after_completion: boolean) =>
    voters.routeWith({ quorum: { ...TWO.quorum, withdraw_after_completion } });
  [ends, stays] = [await after(true), await after(false)];
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

async function collecting(caller: string, own = three, request?: string): Promise<Place> {
  const id = request ?? (await newReview(own));
  const yes = await voters.freeze(OTHER, id);
  const no = await voters.freeze(THIRD, id, 'reject', 'no');
  return { request: id, caller, yes, no };
}

async function voted(caller: string, by: readonly string[]): Promise<Place> {
  const place = await collecting(caller);
  for (const id of by) expect(codeOf(await voters.vote(id, place.request, place.yes))).toBe(201);
  return place;
}

/** Decided by the caller and another, with a grant or without one. */
async function decided(own: OwnRoute, makes: typeof newReview): Promise<Place> {
  const request = await makes(own);
  const decision = makes === newExecution ? 'authorise' : 'answer';
  const yes = await voters.freeze(OTHER, request, decision);
  const no = await voters.freeze(THIRD, request, makes === newExecution ? 'refuse' : 'reject');
  for (const id of [FIN, OTHER]) await voters.vote(id, request, yes);
  return { request, caller: FIN, yes, no };
}

async function behind(column: 'review_deadline' | 'private_delete_at'): Promise<Place> {
  const place = await collecting(FIN);
  await database.query(
    `UPDATE lifecycle SET ${column} = clock_timestamp() - interval '1 second' WHERE request_id = $1`,
    [place.request],
  );
  return place;
}

async function ended(by: (own: OwnRoute, request: string) => Promise<unknown>): Promise<Place> {
  const own = await voters.routeWith(POLICY);
  const place = await collecting(FIN, own);
  await by(own, place.request);
  return place;
}

const SITUATIONS: Readonly<Record<string, [build: () => Promise<Place>, row: Row]>> = {
  'with a seat in the open stage': [
    () => collecting(FIN),
    {
      ...{ approve: VOTED, reject: VOTED, freeze: FROZEN, refreeze: ENDED },
      ...{ withdraw: '409 approval_unavailable', confirm: '409 approval_required' },
    },
  ],
  'with the last open seat': [() => voted(PLAT, [FIN, OTHER]), { approve: DECIDED, reject: VOTED }],
  'with a no that is one too many': [
    async () => {
      const place = await collecting(FIN);
      await voters.vote(OTHER, place.request, place.no);
      return place;
    },
    { approve: VOTED, reject: DECIDED },
  ],
  'with a vote': [
    () => voted(FIN, [FIN]),
    {
      ...refuse('409 approval_exists', 'approve', 'reject'),
      ...{ withdraw: ENDED, freeze: FROZEN, refreeze: ENDED, confirm: '409 approval_required' },
    },
  ],
  'with a seat in a later stage alone': [
    () => collecting(PLAT),
    {
      ...{ approve: '409 stage_not_open', reject: VOTED, withdraw: '409 approval_unavailable' },
      ...{ freeze: FROZEN, refreeze: ENDED, confirm: '409 approval_required' },
    },
  ],
  'without a seat': [
    () => collecting(SALES),
    {
      ...refuse('409 reviewer_ineligible', 'approve', 'reject'),
      ...{ withdraw: '409 approval_unavailable', freeze: FROZEN, refreeze: ENDED },
      confirm: '409 approval_required',
    },
  ],
  'whom the request excludes': [
    () => collecting(CHIEF),
    refuse('403 separation_of_duties', 'approve', 'reject', 'withdraw', 'freeze', 'confirm'),
  ],
  'whose candidate is another one': [
    async () => {
      const place = await collecting(FIN);
      const [yes, no] = [place.no.candidate_digest, place.yes.candidate_digest];
      return {
        ...place,
        yes: { ...place.yes, candidate_digest: yes },
        no: { ...place.no, candidate_digest: no },
      };
    },
    {
      ...refuse('409 candidate_changed', 'approve', 'reject'),
      ...{ withdraw: '409 approval_unavailable', freeze: FROZEN, confirm: '409 approval_required' },
    },
  ],
  'whose candidate is gone': [
    async () => {
      const place = await collecting(FIN);
      await voters.freeze(OTHER, place.request, 'answer', 'better');
      await voters.freeze(THIRD, place.request, 'reject', 'worse');
      return place;
    },
    { ...refuse('409 candidate_changed', 'approve', 'reject'), confirm: '409 approval_required' },
  ],
  'after the deadline': [() => behind('review_deadline'), notPending],
  'after the private material': [() => behind('private_delete_at'), notPending],
  'whose vote counted, with a grant that it may take away': [
    () => decided(ends, newExecution),
    { ...notPending, withdraw: ['+approval_withdrawn'] },
  ],
  'whose vote counted, with a grant that it may not take away': [
    () => decided(stays, newExecution),
    { ...notPending, withdraw: '409 approval_unavailable' },
  ],
  'whose vote counted, without a grant': [
    () => decided(ends, newReview),
    { ...notPending, withdraw: '409 approval_unavailable' },
  ],
  'of a cancelled request': [
    () => ended((own, id) => own.producer.post(`/v2/requests/${id}/cancel`, {}, EXTENDED)),
    notPending,
  ],
  'of a superseded request': [
    () =>
      ended((own, id) => {
        const input = reviewInput(own.demo, { profiles: APPROVAL_PROFILES });
        return own.producer.post(`/v2/requests/${id}/supersede`, input, EXTENDED);
      }),
    notPending,
  ],
  'of a request whose producer may not ask any more': [
    () => ended((own) => own.putRoute({ allowed_producers: [own.ownerId] })),
    notPending,
  ],
  'of a request whose route has other rules now': [
    () => ended((own) => voters.putPolicy(own, TWO)),
    {
      ...refuse('409 reviewer_ineligible', 'approve', 'reject', 'freeze', 'confirm'),
      withdraw: '409 request_not_pending',
    },
  ],
};

const CALLS: Readonly<Record<Command, (place: Place) => Promise<Answer>>> = {
  approve: ({ caller, request, yes }) => voters.vote(caller, request, yes),
  reject: ({ caller, request, no }) => voters.vote(caller, request, no),
  withdraw: ({ caller, request }) => voters.withdraw(caller, request),
  freeze: async ({ caller, request }) => freezeBy(caller, request, 'mine'),
  refreeze: async ({ caller, request }) => freezeBy(caller, request, 'better'),
  confirm: async ({ caller, request, yes }) =>
    (await voters.by(caller)).post(`/v2/requests/${request}/confirm`, yes, EXTENDED),
};

async function freezeBy(caller: string, request: string, note: string): Promise<Answer> {
  const client = await voters.by(caller);
  const body = { decision: 'answer', response: { note } };
  return client.post(`/v2/requests/${request}/candidates`, body, EXTENDED);
}

/** All that is kept of a request, but what is made without a caller. */
async function keptOf(request: string) {
  const { rows } = await database.query<{ record: string }>(
    'SELECT record FROM record WHERE request_id = $1',
    [request],
  );
  const records = rows
    .map(({ record }) => wordOf(record))
    .filter((name) => !['+anchor_accepted', '+expiry'].includes(name))
    .sort();
  const votes = await database.query(
    'SELECT number, state, ended_number FROM approval WHERE request_id = $1 ORDER BY number',
    [request],
  );
  const { rows: candidates } = await database.query(
    'SELECT id, live FROM candidate WHERE request_id = $1 ORDER BY id',
    [request],
  );
  return { records, votes: votes.rows, candidates };
}

describe.each(Object.entries(SITUATIONS))('a reviewer %s', (_, [build, row]) => {
  it.each(Object.entries(row) as [Command, string | readonly string[]][])(
    '%s: %j',
    async (command, expected) => {
      const place = await build();
      if (command === 'refreeze') await giveOwnVotes(place);
      const before = await keptOf(place.request);
      const answer = await CALLS[command](place);
      const after = await keptOf(place.request);
      if (typeof expected === 'string') {
        expect([codeOf(answer), after]).toEqual([expected, before]);
        return;
      }
      expect(codeOf(answer)).toBe(command === 'withdraw' ? 200 : 201);
      expect(without(after.records, before.records)).toEqual([...expected].sort());
    },
  );
});

/** A candidate of the caller, with the vote of another. */
async function giveOwnVotes({ caller, request }: Place): Promise<void> {
  const own = await voters.freeze(caller, request, 'answer', 'mine');
  expect(codeOf(await voters.vote(THIRD, request, own))).toBe(201);
}

function without(all: readonly string[], some: readonly string[]): string[] {
  const left = [...all];
  for (const each of some) left.splice(left.indexOf(each), 1);
  return left;
}
