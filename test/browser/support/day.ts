import { operatorOf, personOf, producerOf } from '../../support/client.js';
import type { Client } from '../../support/client.js';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';
import {
  authorisedRequest,
  claimInput,
  decide,
  executionInput,
  reviewInput,
  until,
} from '../../support/requests.js';

/**
 * The history of a tenant until an operator looks: requests in every state, an incident, a webhook that no receiver takes.
 */
export interface Day {
  readonly instance: Instance;
  readonly operator: Client;
  readonly producer: Client;
  readonly reviewer: Client;
  readonly hostile: string;
  /** Ids. */
  readonly waiting: readonly string[];
  readonly granted: string;
  readonly executed: string;
  readonly strange: string;
}

/** Imitates a button, turns the text around, hides, and brings markup. */
export const HOSTILE =
  'Pay <img src=x onerror="document.title=1"> \u202etnuoma\u202c [Confirm] \u200b\u{e0041} now';

/** `env` as for `startInstance`. */
export async function startDay(env: Readonly<Record<string, string>> = {}): Promise<Day> {
  const instance = await startInstance({ env: { WEBHOOK_HOSTS: 'hooks.example', ...env } });
  const { demo, dataDirectory } = instance;
  const [operator, producer] = [operatorOf(demo), producerOf(demo)];
  const [owner, ruth] = demo.people.map(({ id }) => id) as [string, string];
  const reviewer = await personOf(demo, dataDirectory, ruth);
  await operator.put(`/v2/admin/principals/${demo.producer.id}`, {
    id: demo.producer.id,
    kind: 'producer',
    config: {
      enabled: true,
      name: 'Payments agent',
      publisher: demo.publisher.id,
      owner,
      routes: [demo.routes.review, demo.routes.execution],
      webhook: 'https://hooks.example/countersign',
    },
  });
  const ask = async (body: object): Promise<string> => {
    const { body: made } = await producer.post('/v2/requests', body);
    return made.request.id as string;
  };
  const review = (summary: string) => ask(reviewInput(demo, { summary }));

  const strange = await review(HOSTILE);
  const waiting = [
    await review('Publish the release notes of 4.2'),
    await review('Answer the supervisory authority’s letter of 12 November'),
    await ask(executionInput(demo, { summary: 'Transfer € 48,200.00 to Nordwind Logistik GmbH' })),
  ];
  const approved = await review('Close the account of a customer who asked for it');
  await decide(reviewer, approved, 'approve', { note: 'They confirmed it by phone.' });
  const cancelled = await review('Rename the staging cluster');
  await producer.post(`/v2/requests/${cancelled}/cancel`);
  const granted = (await authorisedRequest(demo, producer, reviewer)).body.request.id as string;
  const claimed = await authorisedRequest(demo, producer, reviewer);
  const executed = claimed.body.request.id as string;
  const input = claimInput(claimed);
  await producer.post(`/v2/requests/${executed}/claims`, input);
  // Reported without an admission: an incident (R11).
  await producer.post(`/v2/requests/${executed}/outcomes`, {
    execution_identity: input.execution_identity,
    status: 'completed',
    details: { booked: '2026-11-21' },
  });
  await until(
    () => producer.get(`/v2/requests/${executed}`),
    ({ body }) => body.delivery.some(({ error }: { error: string | null }) => error !== null),
  );
  return {
    ...{ instance, operator, producer, reviewer, hostile: HOSTILE },
    ...{ waiting, granted, executed, strange },
  };
}
