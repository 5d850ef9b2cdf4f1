import { randomUUID } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import * as ofNode from '@countersign/client';
import * as approvalsOfNode from '@countersign/client/approvals';
import type {
  Client,
  ClientOptions,
  RequestInput,
  SignedRecord,
  TrustManifest,
} from '@countersign/client';
import type { PinnedPerson } from '@countersign/client/approvals';
import { guard } from '@countersign/guard';
import type { GuardOptions } from '@countersign/guard';
import { copiesIn } from '../conformance/evidence/store.js';
import { startInstance } from '../support/instance.js';
import type { Instance } from '../support/instance.js';
import type { OwnRoute } from '../support/own-route.js';
import { claimInput, executionBinding, executionInput } from '../support/requests.js';
import { APPROVAL_PROFILES, Voters, policyWith, stagesOf } from '../support/voting.js';
import { VECTORS, answering, documentOf, statusOf, vectorOf } from './support/answers.js';

// docs/client.md, "Decisions of several people": a decision is believed with its votes, or not at all.

const NEUTRAL = resolve(__dirname, '../../packages/client/dist/neutral');
/* eslint-disable @typescript-eslint/no-require-imports */
const BUNDLES: Readonly<Record<string, [typeof ofNode, typeof approvalsOfNode]>> = {
  node: [ofNode, approvalsOfNode],
  neutral: [
    require(`${NEUTRAL}/index.js`) as typeof ofNode,
    require(`${NEUTRAL}/approvals.js`) as typeof approvalsOfNode,
  ],
};
/* eslint-enable @typescript-eslint/no-require-imports */

/** The vectors of the verifier that are exports of a decision of several people. */
const names = readdirSync(VECTORS)
  .filter((file) => /^(approvals|people)-.*\.json$/.test(file))
  .map((file) => file.replace('.json', ''))
  .filter((name) => {
    const { request, records, anchor } = documentOf(vectorOf(name));
    const isDecided = records?.some(({ protected: { type } }) => type === 'DecisionReceipt');
    return request !== undefined && isDecided && anchor !== null;
  });

describe.each(Object.entries(BUNDLES))(
  'in the bundle %s',
  (_, [bundle, { approvals, votersOf }]) => {
    /** What a client says of the status with the records of a vector, which it reads the export for: the voters, or the reason. */
    async function saidOf(name: string) {
      const vector = vectorOf(name);
      const document = documentOf(vector);
      const { trust, store, people } = vector;
      const { tenant, id, producer } = document.request;
      const client = bundle.countersign({
        ...{ origin: trust.issuer, token: 't', trust, tenant, producer },
        approvals: approvals(people && { people: people as PinnedPerson[] }),
        ...{ fetch: answering([statusOf(document), document]) },
        ...(store && { anchorStore: copiesIn(store) }),
      });
      return client.call(bundle.status, { id }).then(votersOf, (fault: unknown) => {
        if (fault instanceof bundle.VerificationFailed) return fault.reason;
        if (fault instanceof bundle.AnswerInvalid) return fault.why;
        throw fault;
      });
    }

    it.each(names.filter((name) => vectorOf(name).verdict === 'holds'))(
      'takes %s',
      async (name) => {
        expect(await saidOf(name)).toEqual(
          expect.arrayContaining([expect.objectContaining({ reviewer: expect.any(String) })]),
        );
      },
    );

    it.each(names.filter((name) => vectorOf(name).verdict !== 'holds'))(
      'refuses %s',
      async (name) => {
        expect(await saidOf(name)).toEqual(expect.any(String));
      },
    );
  },
);

describe('against the service', () => {
  const PEOPLE = ['fin-1', 'fin-2', 'fin-3'] as const;
  const [ONE, TWO] = PEOPLE;
  const paths: string[] = [];
  let instance: Instance;
  let voters: Voters;
  let own: OwnRoute;
  /** Makes another answer of an export. */
  let alter: (exported: { records: SignedRecord[] }) => void;

  beforeAll(async () => {
    instance = await startInstance({ people: PEOPLE, env: { CAPABILITIES: 'proto.approval' } });
    voters = new Voters(instance, PEOPLE);
    for (const id of PEOPLE) {
      await voters.putHuman(id);
      await voters.putMembership(id, ['finance']);
    }
    own = await voters.routeWith(
      policyWith({ stages: stagesOf({ finance: 2 }), distinct_by: 'person' }),
    );
    await own.putRoute({ modes: ['durable', 'live_window'] });
  });
  afterAll(async () => instance?.stop());
  beforeEach(() => {
    paths.length = 0;
    alter = () => {};
  });

  const clientWith = (options: Partial<ClientOptions>): Client => {
    const { demo } = instance;
    const send: typeof fetch = async (url, init) => {
      const { pathname } = new URL(String(url));
      paths.push(pathname.split('/').at(-1)!);
      const answer = await fetch(url, init);
      if (!pathname.endsWith('/export')) return answer;
      const exported = (await answer.json()) as { records: SignedRecord[] };
      alter(exported);
      return new Response(JSON.stringify(exported), answer);
    };
    return ofNode.countersign({
      ...{ origin: demo.origin, tenant: demo.tenant, producer: own.producerId },
      ...{ token: own.producerToken, fetch: send },
      trust: JSON.parse(readFileSync(demo.trust, 'utf8')) as TrustManifest,
      ...options,
    });
  };
  const newInput = () =>
    executionInput(own.demo, {
      profiles: { ...APPROVAL_PROFILES, 'proto.execution': '1-draft.1' },
      execution: executionBinding(),
    }) as RequestInput;
  /** An execution that two of three people authorised. */
  async function authorised(client: Client): Promise<string> {
    const { request } = await client.call(ofNode.create, { body: newInput() });
    await agreed(request.id);
    return request.id;
  }
  async function agreed(id: string): Promise<void> {
    const candidate = await voters.freeze(ONE, id, 'authorise');
    await voters.vote(ONE, id, candidate);
    await voters.vote(TWO, id, candidate);
  }
  const judging = () => clientWith({ approvals: approvalsOfNode.approvals() });

  it('waits for the decision, says who decided, and claims', async () => {
    const client = judging();
    const id = await authorised(client);
    const status = await client.until(id, 'available');
    expect(approvalsOfNode.votersOf(status)).toEqual([
      { reviewer: ONE, stage: 1, group: 'finance' },
      { reviewer: TWO, stage: 1, group: 'finance' },
    ]);
    const body = claimInput({ body: status } as never);
    const claimed = await client.call(ofNode.claim, { id, body });
    expect(claimed.protected.type).toBe('ExecutionClaim');
    const admission = { claim_id: (claimed.payload as { id: string }).id, nonce: 'n'.repeat(22) };
    const { execution_identity } = body;
    await client.call(ofNode.admit, { id, body: { ...admission, execution_identity } });
    const outcome = { execution_identity, status: 'completed', details: {} } as const;
    await client.call(ofNode.reportOutcome, { id, body: outcome });
    expect((await client.call(ofNode.material, { id })).request.id).toBe(id);
    // The votes of a decision are verified once.
    expect(paths.filter((path) => path === 'export')).toHaveLength(1);
  });

  it('claims nothing when a vote is missing', async () => {
    const other = judging();
    const id = await authorised(other);
    const status = await other.until(id, 'available');
    const client = judging();
    paths.length = 0;
    alter = ({ records }) =>
      records.splice(
        records.findIndex((record) => record.protected.type === 'ApprovalRecord'),
        1,
      );
    const body = claimInput({ body: status } as never);
    await expect(client.call(ofNode.claim, { id, body })).rejects.toMatchObject({
      ...{ name: 'VerificationFailed', record: 'AuditExport', reason: 'ledger_records' },
    });
    expect(paths).toEqual([id, 'export']);
  });

  it('gives out the votes of a request that is not decided', async () => {
    const client = judging();
    const { request } = await client.call(ofNode.create, { body: newInput() });
    const candidate = await voters.freeze(ONE, request.id, 'authorise');
    await voters.vote(ONE, request.id, candidate);
    const { records } = await client.call(ofNode.auditExport, { id: request.id });
    expect(records.map((record) => record.protected.type)).toEqual(['ApprovalRecord']);
  });

  it('a guard acts once two people agreed, and not for a client that judges no votes', async () => {
    const options: GuardOptions<object> = {
      ...{ name: 'refund', route: own.route, profiles: APPROVAL_PROFILES },
      anchor: 'unchecked',
      occurrence: () => `refund:${randomUUID()}`,
    };
    expect(() => guard(clientWith({}), options, () => 'done')).toThrow(
      "guard: profiles has proto.approval: make the client with `approvals: approvals()` of '@countersign/client/approvals'",
    );
    const refund = guard(
      judging(),
      { ...options, onAsked: ({ id }) => void agreed(id) },
      () => 'done',
    );
    expect(await refund({})).toBe('done');
  });

  it('takes no such request for one of a single person', async () => {
    const id = await authorised(judging());
    await expect(clientWith({}).call(ofNode.status, { id })).rejects.toMatchObject({
      ...{ name: 'AnswerInvalid', why: 'wrong_record', pointer: '/request/approval' },
    });
  });

  it('names the people that it cannot read', () => {
    expect(() => approvalsOfNode.approvals({ people: [{ principal: 'x' }] as never })).toThrow(
      'people cannot be used: Entry 1 is not {principal, person?, keys}.',
    );
  });
});
