import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../../support/client.js';
import type { Neighbours } from '../../support/neighbours.js';
import { executionBinding, executionInput, reviewInput } from '../../support/requests.js';
import { claimOf, newNonce, outcomeOf } from '../matrix/building.js';
import type { Built } from '../matrix/building.js';
import type { House } from './house.js';
import { difference } from './sameness.js';
import type { Target } from './targets.js';
import { targetIn } from './targets.js';

/** The place of an id in a call outside its path, and the answer to any id that is not its caller's. */
interface Reference {
  readonly name: string;
  readonly answer: string;
  readonly foreign: readonly string[];
  readonly missing: () => string;
  readonly call: (id: string) => Promise<Answer>;
}

/** The difference between naming another's resource and naming nothing. */
export async function referenceFindings(
  who: Neighbours,
  house: House,
  targets: readonly Target[],
): Promise<{ findings: readonly string[]; pairs: number }> {
  const findings: string[] = [];
  let pairs = 0;
  for (const reference of await referencesOf(who, house, targets)) {
    for (const id of reference.foreign) {
      pairs += 1;
      const found = await reference.call(id);
      const missing = await reference.call(reference.missing());
      const said = difference(found, missing);
      if (said !== null) findings.push(`${reference.name} ${id}: ${said}`);
      const answer = `${found.status} ${found.body?.error ?? ''}`;
      if (answer !== reference.answer) findings.push(`${reference.name} ${id}: ${answer}`);
    }
  }
  return { findings, pairs };
}

async function referencesOf(
  who: Neighbours,
  house: House,
  targets: readonly Target[],
): Promise<readonly Reference[]> {
  const { demo, producer, requester, operator } = who;
  const route = await who.route();
  const at = (scenario: string, situation: string) => targetIn(targets, scenario, situation);
  const mine = at('of a producer', 'claimed');
  const others = [
    at('of a producer', 'admitted'),
    at('of a human', 'claimed'),
    at('elsewhere', 'claimed'),
  ];
  const answered = at('of a producer', 'review: pending, answered');
  const create = (changes: Record<string, unknown>, client: Client = producer) =>
    client.post('/v2/requests', reviewInput(demo, { route, ...changes }));
  const supersede = (changes: Record<string, unknown>) =>
    producer.post(
      `/v2/requests/${answered.id}/supersede`,
      reviewInput(demo, { route, ...changes }),
    );
  const withBundle = (bundle_id: string) => ({ bundle_id, profiles: { 'proto.agent-ui': '2' } });
  const admission = (changes: object) =>
    producer.post(
      `/v2/requests/${mine.id}/admission`,
      { ...claimReference(mine), nonce: newNonce(), ...changes },
      { key: null },
    );
  const confirm = (changes: object) =>
    (who.reviewers[0] as Client).post(`/v2/requests/${answered.id}/confirm`, {
      ...answered.candidates[0],
      ...changes,
    });
  const candidates = [
    answered.candidates[1],
    at('of a producer', 'pending, answered').candidates[0],
    at('of a human', 'review: pending, answered').candidates[0],
    at('elsewhere', 'review: pending, answered').candidates[0],
  ];
  const digest = `sha256:${'0'.repeat(64)}`;
  const scratch = (config: object) =>
    operator.put('/v2/admin/principals/scratch', {
      id: 'scratch',
      kind: 'producer',
      config: { enabled: true, publisher: demo.publisher.id, owner: who.requesterId, ...config },
    });
  const uuid = { missing: () => randomUUID() };
  const identity = { missing: () => `executor/${randomUUID()}` };
  return [
    ...[producer, requester].map((client, place) => ({
      ...uuid,
      name: `bundle of a request ${place === 0 ? 'of a producer' : 'of a human'}`,
      answer: '404 not_found',
      foreign: house.foreignBundles,
      call: (id: string) => create(withBundle(id), client),
    })),
    {
      ...uuid,
      name: 'bundle of a successor',
      answer: '404 not_found',
      foreign: house.foreignBundles,
      call: (id) => supersede(withBundle(id)),
    },
    ...[producer, requester].map((client, place) => ({
      ...uuid,
      name: `route of a request ${place === 0 ? 'of a producer' : 'of a human'}`,
      answer: '404 not_found',
      foreign: [house.foreignRoute],
      call: (id: string) => create({ route: id }, client),
    })),
    {
      ...uuid,
      name: 'route of a successor',
      answer: '404 not_found',
      foreign: [house.foreignRoute],
      call: (id) => supersede({ route: id }),
    },
    {
      ...uuid,
      name: 'recovery_of',
      answer: '409 occurrence_unavailable',
      // Consumed by others of both tenants, or not consumed.
      foreign: [...others.slice(1), at('of a producer', 'available')].map(occurrenceOf),
      call: (recovery_of) =>
        producer.post(
          '/v2/requests',
          executionInput(demo, { route, execution: executionBinding({ recovery_of }) }),
        ),
    },
    {
      ...uuid,
      name: 'claim of an admission',
      answer: '409 claim_unavailable',
      foreign: others.map((other) => claimReference(other).claim_id),
      call: (claim_id) => admission({ claim_id }),
    },
    {
      ...identity,
      name: 'identity of an admission',
      answer: '409 claim_unavailable',
      foreign: others.map((other) => claimReference(other).execution_identity),
      call: (execution_identity) => admission({ execution_identity }),
    },
    ...(['outcomes', 'reconcile'] as const).map((operation) => ({
      ...identity,
      name: `identity of ${operation}`,
      answer: '409 claim_unavailable',
      foreign: others.map((other) => claimReference(other).execution_identity),
      call: (id: string) =>
        (operation === 'outcomes' ? producer : operator).post(
          `/v2/requests/${mine.id}/${operation}`,
          outcomeOf(id, 'completed'),
        ),
    })),
    {
      ...uuid,
      name: 'candidate of a confirmation',
      answer: '409 candidate_changed',
      foreign: candidates.map((candidate) => candidate?.candidate_id ?? ''),
      call: (candidate_id) => confirm({ candidate_id }),
    },
    {
      name: 'candidate digest of a confirmation',
      answer: '409 candidate_changed',
      foreign: candidates.map((candidate) => candidate?.candidate_digest ?? ''),
      missing: () => digest,
      call: (candidate_digest) => confirm({ candidate_digest }),
    },
    {
      ...uuid,
      name: 'candidate and digest of a confirmation',
      answer: '409 candidate_changed',
      foreign: candidates.map((candidate) => candidate?.candidate_id ?? ''),
      call: (candidate_id) => {
        const known = candidates.find((candidate) => candidate?.candidate_id === candidate_id);
        return confirm(known ?? { candidate_id, candidate_digest: digest });
      },
    },
    {
      ...uuid,
      name: 'binding digest of a claim',
      answer: '409 execution_binding_changed',
      foreign: others.map((other) => claimOf(other.input, '').execution_binding_digest),
      missing: () => digest,
      call: (execution_binding_digest) =>
        producer.post(`/v2/requests/${at('of a producer', 'available').id}/claims`, {
          execution_identity: `executor/${randomUUID()}`,
          execution_binding_digest,
        }),
    },
    {
      ...uuid,
      name: 'publisher of a producer',
      answer: '400 publisher_and_owner_required',
      foreign: [demo.other.publisher.id, demo.other.producer.id, demo.other.operator.id],
      call: (publisher) => scratch({ publisher }),
    },
    ...['tenant', 'producer', 'requester', 'supersedes', 'authority_namespace'].map((member) => ({
      ...uuid,
      name: `${member} of a request`,
      answer: '400 invalid_RequestInput',
      foreign: [demo.other.tenant, answered.id],
      call: (id: string) => create({ [member]: id }),
    })),
    ...['tenant', 'owner', 'producer', 'reviewer', 'route'].flatMap((parameter) =>
      ['requests', 'events'].map((list) => ({
        ...uuid,
        name: `${parameter} in the query of ${list}`,
        answer: '200 ',
        foreign: [demo.other.tenant, demo.producer.id, route],
        call: (id: string) => who.otherProducer.get(`/v2/${list}?${parameter}=${id}`),
      })),
    ),
  ];
}

function claimReference({ claim }: Built) {
  if (claim === null) throw new Error('nothing is claimed');
  return { claim_id: claim.id, execution_identity: claim.identity };
}

export function occurrenceOf({ input }: Built): string {
  return (input['execution'] as { action_occurrence_id: string }).action_occurrence_id;
}
