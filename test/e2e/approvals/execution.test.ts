import { randomBytes } from 'node:crypto';
import { codeOf } from '../../support/answers.js';
import { startInstance, runCommand } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import { claimInput, until } from '../../support/requests.js';
import {
  EXTENDED,
  Voters,
  newExecution,
  policyWith,
  stagesOf,
  statusOf,
} from '../../support/voting.js';

// An action that several people authorised is claimed, admitted and reported as any other (protocol §18.7).

const PEOPLE = ['fin-1', 'fin-2'] as const;
const [FIN, OTHER] = PEOPLE;

let instance: Instance;
let voters: Voters;

beforeAll(async () => {
  instance = await startInstance({ people: PEOPLE, env: { CAPABILITIES: 'proto.approval' } });
  voters = new Voters(instance, PEOPLE);
  for (const id of PEOPLE) {
    await voters.putHuman(id);
    await voters.putMembership(id, ['finance']);
  }
});
afterAll(async () => instance?.stop());

it('runs once, while everyone whose vote counts is certain to be known', async () => {
  const two = { stages: stagesOf({ finance: 2 }), distinct_by: 'person' } as const;
  const own = await voters.routeWith(policyWith(two));
  const request = await newExecution(own);
  const candidate = await voters.freeze(FIN, request, 'authorise');
  await voters.vote(FIN, request, candidate);
  await voters.vote(OTHER, request, candidate);
  const status = await until(
    () => statusOf(own, request),
    ({ body }) => body.grant_state === 'available',
  );
  const input = claimInput(status);
  const post = (path: string, body: object) =>
    own.producer.post(`/v2/requests/${request}/${path}`, body, EXTENDED);
  // Not the one who completed it: the receipt names that person as its reviewer.
  await voters.putHuman(FIN, { identity_certain: false });
  expect(codeOf(await post('claims', input))).toBe('503 identity_uncertain');
  await voters.putHuman(FIN);
  const claimed = await post('claims', input);
  expect([claimed.status, claimed.body.protected.profiles['proto.approval']]).toEqual([
    201,
    '1-draft.1',
  ]);
  const nonce = randomBytes(16).toString('base64url');
  const { execution_identity } = input;
  const claim_id = claimed.body.payload.id as string;
  const admitted = await post('admission', { claim_id, execution_identity, nonce });
  expect(admitted.status).toBe(200);
  const outcome = { execution_identity, status: 'completed', details: {} };
  expect((await post('outcomes', outcome)).status).toBe(200);
  expect((await statusOf(own, request)).body.execution_state).toBe('completed');
});

it('leaves tables that fsck finds in order', async () => {
  const { stdout } = await runCommand(['fsck', '--data', instance.dataDirectory, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ consistent: true, findings: [] });
});
