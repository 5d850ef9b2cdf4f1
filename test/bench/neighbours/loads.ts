import { randomUUID } from 'node:crypto';
import { connect as openSocket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { slowToCompile } from '../../support/slow-schemas.js';
import { requestBodies } from '../load/request-body.js';
import { send } from './send.js';
import type { Caller, Headers } from './send.js';

/** The tenant that makes the load. Headers of credentials. */
export interface Attacker {
  readonly origin: string;
  readonly route: string;
  readonly reviewRoute: string;
  readonly producer: Headers;
  readonly publisher: Headers;
  readonly operator: Headers;
  readonly reviewers: readonly Headers[];
}

/** The repeated action of one of the load's clients; resolves to the outcome that is counted. */
type Turn = (caller: Caller, client: number) => Promise<string | number>;

export interface Load {
  /** Clients at the same time. */
  readonly clients: number;
  readonly prepare: (attacker: Attacker) => Promise<Turn>;
}

const MiB = 1024 * 1024;

/** The most calls of one principal, and of one tenant, at the same time (protocol R34). */
const OF_PRINCIPAL = 32;
const OF_TENANT = 128;
/** Twice the large calls of a tenant: half of them are refused. */
const LARGE = 16;

export const LOADS: Readonly<Record<string, Load>> = {
  'large-reads': {
    clients: LARGE,
    prepare: async (attacker) => {
      const path = await largeRequest(attacker);
      const { producer, operator, reviewers } = attacker;
      const readers = [producer, operator, ...reviewers];
      const what = ['material', 'export'];
      return (caller, client) =>
        send(caller, 'GET', `${path}/${what[(client >> 2) % 2]}`, readers[client % 4] as Headers);
    },
  },
  'large-bodies': {
    clients: LARGE,
    prepare: async ({ producer, publisher, reviewRoute }) => {
      // Read whole and refused at the end: nothing of it is stored.
      const body = bytes({ ...creation(reviewRoute, 9), summary: '' });
      const many = bytes({ html: '', list: Array.from({ length: 240_000 }, () => [1]) });
      return (caller, client) =>
        client % 2 === 0
          ? send(caller, 'POST', '/v2/requests', keyed(producer), body)
          : send(caller, 'POST', '/v2/bundles', keyed(publisher), many);
    },
  },
  'refused-bodies': {
    clients: LARGE,
    prepare: async ({ producer, reviewRoute }) => {
      const tooLarge = JSON.stringify(creation(reviewRoute, 10));
      return (caller) => send(caller, 'POST', '/v2/requests', keyed(producer), tooLarge);
    },
  },
  creations: {
    clients: 4,
    prepare: async ({ producer, reviewRoute }) => {
      const body = JSON.stringify(creation(reviewRoute, 5));
      return (caller) => send(caller, 'POST', '/v2/requests', keyed(producer), body);
    },
  },
  schemas: {
    clients: OF_PRINCIPAL,
    prepare: async ({ producer, reviewRoute }) => {
      const parts = JSON.stringify({
        ...creation(reviewRoute, 0),
        response_schema: slowToCompile('the-salt'),
      }).split('the-salt');
      return (caller) =>
        send(caller, 'POST', '/v2/requests', keyed(producer), parts.join(randomUUID()));
    },
  },
  lists: {
    clients: OF_TENANT,
    prepare: async ({ producer, operator, reviewers }) => {
      const callers = [producer, operator, ...reviewers];
      const paths = ['/v2/requests', '/v2/requests?state=pending&offset=100', '/v2/requests'];
      const own = ['/v2/events', '/v2/admin/ledger', ...paths];
      return (caller, client) => {
        const path = client % 8 < 2 ? own[client % 8] : paths[client % 3];
        return send(caller, 'GET', path as string, callers[client % 4] as Headers);
      };
    },
  },
  statuses: {
    clients: OF_PRINCIPAL,
    prepare: async (attacker) => {
      const path = await smallRequest(attacker);
      return (caller) => send(caller, 'GET', path, attacker.producer);
    },
  },
  'held-calls': {
    clients: OF_PRINCIPAL,
    prepare: async (attacker) => {
      const path = await smallRequest(attacker);
      // Nothing happens to the request, so each call is held to its end.
      const headers = { ...attacker.producer, prefer: 'wait=25; revision=1000' };
      return (caller) => send(caller, 'GET', path, headers);
    },
  },
  'small-creations': {
    clients: OF_PRINCIPAL,
    prepare: async ({ producer, route }) => {
      const newRequest = requestBodies(route);
      return (caller) =>
        send(caller, 'POST', '/v2/requests', keyed(producer), newRequest(randomUUID()).body);
    },
  },
  strangers: {
    clients: 64,
    prepare: async () => (caller) =>
      send(caller, 'GET', '/v2/requests', { authorization: `Bearer ${randomUUID()}` }),
  },
  logins: {
    clients: 64,
    prepare: async () => (caller) => send(caller, 'GET', '/auth/login', {}),
  },
  'slow-sockets': { clients: 400, prepare: async () => trickle },
};

/** Once for all clients: each call would have a copy of a text. */
function bytes(body: object): Buffer {
  return Buffer.from(JSON.stringify(body));
}

function keyed(who: Headers): Headers {
  return { ...who, 'idempotency-key': randomUUID() };
}

/** A creation of a review whose document and payload have so many MiB each. */
function creation(route: string, mib: number) {
  const digest = `sha256:${'0'.repeat(64)}`;
  return {
    protocol_revision: '2.0.0-draft.3',
    purpose: 'review',
    profiles: {},
    route,
    summary: 'A neighbour',
    artefact: { digest, representation: 'text/plain', digest_rules: 'utf-8-sha256' },
    payload: { text: 'p'.repeat(Math.max(0, mib * MiB - 64)) },
    response_schema: { type: 'object', additionalProperties: false, properties: {} },
    review_document: 'a "quoted" é\n'.repeat(Math.max(1, (mib * MiB) / 14 - 1)),
  };
}

/** Of the largest material that there may be; its path. */
async function largeRequest(attacker: Attacker): Promise<string> {
  return newRequest(attacker, creation(attacker.reviewRoute, 9));
}

async function smallRequest(attacker: Attacker): Promise<string> {
  return newRequest(attacker, creation(attacker.reviewRoute, 1 / 1024));
}

async function newRequest({ origin, producer }: Attacker, body: object): Promise<string> {
  const answer = await fetch(`${origin}/v2/requests`, {
    method: 'POST',
    headers: { ...keyed(producer), 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  if (answer.status !== 201) throw new Error(`${answer.status} ${text.slice(0, 300)}`);
  return `/v2/requests/${(JSON.parse(text) as { request: { id: string } }).request.id}`;
}

/** A connection that never says all that it has to say. */
async function trickle({ origin }: Caller): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = openSocket({ host: hostname, port: Number(port) });
  let open = true;
  socket.on('error', () => {}).on('close', () => (open = false));
  socket.resume();
  socket.write('POST /v2/requests HTTP/1.1\r\nHost: a\r\n');
  for (let turn = 0; open && turn < 50; turn += 1) {
    socket.write(`X-${turn}: ${turn}\r\n`);
    await delay(100);
  }
  socket.destroy();
  return open ? 'kept' : 'closed';
}
