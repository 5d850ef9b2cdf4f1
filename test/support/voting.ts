import { EXAMPLES, valueDigest } from '@countersign/protocol';
import type { RoutePolicy } from '@countersign/protocol';
import { operatorOf, personOf } from './client.js';
import type { Answer, CallOptions, Client } from './client.js';
import type { Instance } from './instance.js';
import { newRoute } from './own-route.js';
import type { OwnRoute } from './own-route.js';
import { identityOf } from './people.js';
import { executionBinding, reviewInput } from './requests.js';

/** The description of the interface has neither the extended forms nor the codes of approvals. */
export const EXTENDED: CallOptions = { undescribed: true };
export const APPROVAL_PROFILES = { 'proto.approval': '1-draft.1' };

/** One of finance and two of platform in one stage, without a guard: one operator may change memberships. */
export const policyWith = (changes: Partial<RoutePolicy['quorum']> = {}): RoutePolicy => ({
  quorum: { ...EXAMPLES.RoutePolicy.quorum, guard: false, ...changes },
});

/** Stages in their order, each with so many seats of a group. */
export const stagesOf = (...stages: Record<string, number>[]) =>
  stages.map((seats, at) => ({
    name: `stage-${at + 1}`,
    seats: Object.entries(seats).map(([group, count]) => ({ group, count })),
  }));

/** Operator and voters of an instance that was started with these people. */
export class Voters {
  readonly operator: Client;
  readonly #clients = new Map<string, Promise<Client>>();

  constructor(
    readonly instance: Instance,
    readonly people: readonly string[],
  ) {
    this.operator = operatorOf(instance.demo);
  }

  /** A person's own session. */
  by(id: string): Promise<Client> {
    const { demo, dataDirectory } = this.instance;
    const client = this.#clients.get(id) ?? personOf(demo, dataDirectory, id);
    this.#clients.set(id, client);
    return client;
  }

  async putHuman(id: string, changes: object = {}): Promise<void> {
    // A disabled person's session ends.
    this.#clients.delete(id);
    const config = { enabled: true, ...identityOf(this.instance.dataDirectory, id), ...changes };
    requireOk(await this.operator.put(`/v2/admin/principals/${id}`, { id, kind: 'human', config }));
  }

  async putMembership(id: string, groups: readonly string[], changes: object = {}): Promise<void> {
    const body = { groups, team: null, same_person_as: null, ...changes };
    requireOk(await this.operator.put(`/v2/admin/principals/${id}/membership`, body));
  }

  async putPolicy({ route }: OwnRoute, policy: RoutePolicy | null): Promise<void> {
    requireOk(await this.operator.put(`/v2/admin/routes/${route}/policy`, { policy }));
  }

  /** A route of its own with a policy. */
  async routeWith(policy: RoutePolicy): Promise<OwnRoute> {
    const own = await newRoute(this.instance.demo, this.operator, this.people);
    await this.putPolicy(own, policy);
    return own;
  }

  /** Freezes an answer of a person, and gives what a vote for it says. */
  async freeze(id: string, request: string, decision = 'answer', note = 'yes') {
    const client = await this.by(id);
    const body = { decision, response: { note } };
    const answer = await client.post(`/v2/requests/${request}/candidates`, body);
    if (answer.status !== 201) throw new Error(`not frozen: ${answer.text}`);
    return { candidate_id: answer.body.id as string, candidate_digest: valueDigest(answer.body) };
  }

  async vote(
    id: string,
    request: string,
    candidate: object,
    options: CallOptions = {},
  ): Promise<Answer> {
    const client = await this.by(id);
    return client.post(`/v2/requests/${request}/approvals`, candidate, { ...EXTENDED, ...options });
  }

  async withdraw(id: string, request: string, options: CallOptions = {}): Promise<Answer> {
    const client = await this.by(id);
    return client.post(
      `/v2/requests/${request}/approvals/withdraw`,
      {},
      { ...EXTENDED, ...options },
    );
  }
}

function requireOk({ status, text }: Answer): void {
  if (status !== 200) throw new Error(`not configured: ${text}`);
}

/** Id of a new review that several people decide. */
export async function newReview(
  own: OwnRoute,
  changes: Record<string, unknown> = {},
): Promise<string> {
  const input = reviewInput(own.demo, { profiles: APPROVAL_PROFILES, ...changes });
  const answer = await own.producer.post('/v2/requests', input, EXTENDED);
  if (answer.status !== 201) throw new Error(`not created: ${answer.text}`);
  return answer.body.request.id;
}

/** Id of a new execution that several people authorise. */
export function newExecution(
  own: OwnRoute,
  changes: Record<string, unknown> = {},
): Promise<string> {
  return newReview(own, {
    purpose: 'authorise_execution',
    profiles: { ...APPROVAL_PROFILES, 'proto.execution': '1-draft.1' },
    execution: executionBinding(changes),
  });
}

/** A record in one word: its type, or of an event `+` and its reason. */
export function wordOf(record: string): string {
  const { protected: head, payload } = JSON.parse(record) as any;
  return head.type === 'RequestChangedEvent' ? `+${payload.reason}` : head.type;
}

export const statusOf = (own: OwnRoute, request: string): Promise<Answer> =>
  own.producer.get(`/v2/requests/${request}`, EXTENDED);
