import type pg from 'pg';
import { Client, operatorOf, personOf } from '../../support/client.js';
import type { Demo, Instance } from '../../support/instance.js';
import type { OwnRoute } from '../../support/own-route.js';
import { newRoute } from '../../support/own-route.js';
import { Tampering } from '../../support/tampering.js';

/** One reviewer for each sequence that changes people, so that sequences do not affect one another. */
export const REVIEWERS = ['anna', 'bert', 'cleo', 'dora', 'emil'] as const;
export type ReviewerName = (typeof REVIEWERS)[number];

export interface Fixture {
  readonly demo: Demo;
  readonly operator: Client;
  readonly publisher: Client;
  readonly anybody: Client;
  readonly tampering: Tampering;
  readonly reviewers: Readonly<Record<ReviewerName, Client>>;
  /** A route whose reviewers these are; material of 2000 bytes and answers of 1000 fit. */
  newRoute(...reviewers: ReviewerName[]): Promise<OwnRoute>;
}

export async function startFixture(instance: Instance, database: pg.Client): Promise<Fixture> {
  const { demo, dataDirectory } = instance;
  const operator = operatorOf(demo);
  const sessions = await Promise.all(REVIEWERS.map((id) => personOf(demo, dataDirectory, id)));
  return {
    demo,
    operator,
    publisher: new Client(demo.origin, { token: demo.publisher.token }),
    anybody: new Client(demo.origin, null),
    tampering: new Tampering(database, demo.tenant),
    reviewers: Object.fromEntries(
      REVIEWERS.map((name, place) => [name, sessions[place]]),
    ) as Record<ReviewerName, Client>,
    newRoute: (...reviewers) =>
      newRoute(demo, operator, reviewers, { payload_bytes: 2000, response_bytes: 1000 }),
  };
}
