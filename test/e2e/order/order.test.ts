import type pg from 'pg';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { connectTo } from '../../support/truths.js';
import * as administration from './administration-refusals.js';
import * as creations from './creation-refusals.js';
import * as edge from './edge-refusals.js';
import * as execution from './execution-refusals.js';
import type { RefusalOrder } from './refusal-order.js';
import { answersOf } from './refusal-order.js';
import * as review from './review-refusals.js';
import type { Fixture } from './fixture.js';
import { REVIEWERS, startFixture } from './fixture.js';

// Of two things that are wrong with a call, the one that the protocol tests first is its answer (protocol §6.1, §6.4, §7
// under R5, R26, R27 and R28). Each sequence is one operation with all its faults.

let instance: Instance;
let database: pg.Client;
let fixture: Fixture;

beforeAll(async () => {
  instance = await startInstance({ quotas: true, people: REVIEWERS });
  database = await connectTo(instance);
  fixture = await startFixture(instance, database);
});
afterAll(async () => {
  await database?.end();
  await instance?.stop();
});

// The next sequence starts from a clean state.
afterEach(async () => {
  await fixture.tampering.quotas({});
  await fixture.tampering.fence(null);
  for (const id of REVIEWERS) {
    await fixture.tampering.revive(id, { identity_certain: true });
  }
});

describe('on the way to the service', () => {
  it.each([
    ['a call with a session', edge.session],
    ['a call to an unknown path', edge.unknownPath],
    ['a call of the wrong kind of caller', edge.callerKind],
    ['a call with a key that was used', edge.usedKey],
  ])('%s', expectInOrder);
});

describe('creating', () => {
  it.each([
    ['a bundle (request.register-bundle)', creations.bundle],
    ['a request (request.create)', creations.creation],
    ['a request with a key that was used (request.create)', creations.knownKey],
    ['a request on a route whose day is over (request.create)', creations.routeQuota],
    ['a replacement (request.supersede)', creations.supersession],
  ])('%s', expectInOrder);
});

describe('reading', () => {
  it.each([
    ['material (request.material)', edge.material],
    ['an export (ledger.export)', edge.auditExport],
    ['a handover (request.hitl)', edge.handover],
  ])('%s', expectInOrder);
});

describe('reviewing', () => {
  it.each([
    ['an assignment (review.assign)', review.assignment],
    ['a candidate (review.propose)', review.candidate],
    ['a confirmation (review.confirm)', review.confirmation],
    ['a reminder (notifier.remind)', review.reminder],
  ])('%s', expectInOrder);
});

describe('executing', () => {
  it.each([
    ['a claim (execution-authority.claim)', execution.claim],
    ['an admission (execution-authority.admit)', execution.admission],
    ['an outcome (execution-authority.report-outcome)', execution.outcome],
    ['a reconciliation (execution-authority.reconcile)', execution.reconciliation],
  ])('%s', expectInOrder);
});

describe('administering', () => {
  it.each([
    ['a producer (request.configure-principal)', administration.producer],
    ['a human (request.configure-principal)', administration.human],
    ['a route (request.configure-route)', administration.route],
  ])('%s', expectInOrder);
});

async function expectInOrder(
  _name: string,
  build: (on: Fixture) => Promise<RefusalOrder>,
): Promise<void> {
  const sequence = await build(fixture);
  expect(await answersOf(sequence)).toEqual(sequence.cases.map(({ answer }) => answer));
}
