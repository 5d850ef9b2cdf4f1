import { Client } from '../../support/client.js';
import type { Demo } from '../../support/instance.js';
import type { Neighbours, RouteSeconds } from '../../support/neighbours.js';

/** Whose requests are asked about, and who asks: by the names of the table. */
export interface Scenario {
  readonly name: string;
  readonly demo: Demo;
  readonly owner: Client;
  readonly operator: Client;
  readonly reviewers: readonly Client[];
  /** A bundle that the owner may bind. */
  readonly bundle: string;
  /** The tenant's anchor store contradicts its ledger. */
  readonly fenced: boolean;
  readonly callers: Readonly<Record<string, Client>>;
  route(seconds?: Partial<RouteSeconds>): Promise<string>;
}

/** Requests of a producer, of a human (R1), and of a producer of the other tenant, to be fenced. */
export async function gatherScenarios(who: Neighbours): Promise<readonly Scenario[]> {
  const { demo, route, producer, requester, operator, reviewers, elsewhere } = who;
  const [bundle, theirBundle] = await Promise.all([
    registerBundle(who.publisher),
    registerBundle(elsewhere.publisher),
  ]);
  const home = { demo, route, operator, reviewers, bundle, fenced: false };
  const strangers = {
    'reviewer of another route': who.strangeReviewer,
    'other producer': who.otherProducer,
    'disabled producer': who.disabledProducer,
    publisher: who.publisher,
    anonymous: who.anonymous,
  };
  const staff = {
    operator,
    'operator, a human': who.humanOperator,
    'reviewer, assigned': reviewers[0],
    'reviewer, not assigned': reviewers[1],
    'reviewer, without CSRF proof': withoutProof(reviewers[0]),
  };
  const others = {
    'elsewhere: producer': elsewhere.producer,
    'elsewhere: publisher': elsewhere.publisher,
    'elsewhere: operator': elsewhere.operator,
    'elsewhere: operator, a human': elsewhere.humanOperator,
    'elsewhere: reviewer': elsewhere.reviewer,
  };
  return [
    {
      ...home,
      name: 'of a producer',
      owner: producer,
      callers: {
        'owner, a producer': producer,
        ...staff,
        'reviewer, and the requester': requester,
        ...strangers,
        ...others,
      },
    },
    {
      ...home,
      name: 'of a human',
      owner: requester,
      callers: { 'owner, a human': requester, ...staff, ...strangers, ...others },
    },
    {
      ...home,
      name: 'fenced',
      owner: elsewhere.producer,
      operator: elsewhere.operator,
      reviewers: [elsewhere.reviewer],
      bundle: theirBundle,
      fenced: true,
      callers: {
        'owner, a producer': elsewhere.producer,
        operator: elsewhere.operator,
        'operator, a human': elsewhere.humanOperator,
        'reviewer, assigned': elsewhere.reviewer,
        publisher: elsewhere.publisher,
        anonymous: who.anonymous,
        'elsewhere: producer': producer,
        'elsewhere: publisher': who.publisher,
        'elsewhere: operator': operator,
        'elsewhere: operator, a human': who.humanOperator,
        'elsewhere: reviewer': reviewers[0],
      },
    },
  ];
}

/** A call that another site can have a browser send: the cookie comes along, the token does not. */
function withoutProof({ origin, credentials }: Client): Client {
  const { cookie } = credentials as { cookie: string };
  return new Client(origin, { cookie, csrf: 'x'.repeat(43) });
}

async function registerBundle(publisher: Client): Promise<string> {
  const answer = await publisher.post('/v2/bundles', BUNDLE);
  if (answer.status !== 201) throw new Error(`no bundle: ${answer.text}`);
  return answer.body.id;
}

export const BUNDLE = {
  html: '<p>shown</p>',
  compatibility: { agent_ui: '2' },
  author: 'A',
  licence: 'MIT',
};
