import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { textDigest } from '@countersign/protocol';
import { connect } from '../load/connection.js';
import type { Answer, Connection } from '../load/connection.js';
import type { Target } from '../load/lifecycle.js';
import { requestBodies } from '../load/request-body.js';
import type { NewRequest } from '../load/request-body.js';
import { startProduct } from '../product.js';
import type { Caller, Decision, Peer } from './system.js';

/** The product, in one process and in one for each target. */
export const PRODUCTS: readonly Peer[] = [
  countersign('Countersign', false),
  countersign('Countersign, split', true),
];

function countersign(name: string, split: boolean): Peer {
  return {
    name,
    proves: true,
    async start(folder, ends) {
      const { target, roots } = await startProduct({ folder, split }, ends);
      const newRequest = requestBodies(target.route);
      let opened = 0;
      return {
        roots,
        open: async () => {
          const reviewer = target.reviewers[opened % target.reviewers.length] as Headers;
          opened += 1;
          return callerOf(target, reviewer, newRequest);
        },
      };
    },
  };
}

type Headers = Readonly<Record<string, string>>;

const EXECUTORS = 2;
const PAUSE_MS = 5;
const DECISIONS = { approve: 'authorise', reject: 'refuse' } as const;

function callerOf(
  { origin, producer }: Target,
  reviewer: Headers,
  newRequest: (occurrence: string) => NewRequest,
): Caller {
  const connection = connect(origin);
  const bindings = new Map<string, string>();
  const confirmations = new Map<string, string>();
  const post = (path: string, who: Headers, body: string): Promise<Answer> =>
    connection.send('POST', path, { ...who, 'idempotency-key': randomUUID() }, body);
  return {
    async file() {
      const { body, bindingDigest } = newRequest(`deploy/shop-frontend/${randomUUID()}`);
      const created = succeeded(await post('/v2/requests', producer, body));
      const { id } = (JSON.parse(created) as { request: { id: string } }).request;
      bindings.set(id, bindingDigest);
      return id;
    },
    async prepare(id, decision) {
      const proposal = JSON.stringify({
        decision: DECISIONS[decision],
        response: { reason: 'Read and compared.' },
      });
      const candidate = succeeded(await post(`/v2/requests/${id}/candidates`, reviewer, proposal));
      const confirmation = {
        candidate_id: (JSON.parse(candidate) as { id: string }).id,
        // Candidates are answered in canonical form.
        candidate_digest: textDigest(candidate),
      };
      confirmations.set(id, JSON.stringify(confirmation));
    },
    async decide(id) {
      const confirmation = confirmations.get(id) as string;
      confirmations.delete(id);
      const confirmed = await post(`/v2/requests/${id}/confirm`, reviewer, confirmation);
      if (confirmed.status === 409) return false;
      succeeded(confirmed);
      return true;
    },
    result: async (id) => resultOf(await statusOf(connection, producer, id)),
    async runs(id) {
      // The producer runs the action, here by two executors at the same time.
      const binding = bindings.get(id) as string;
      const executors = Array.from({ length: EXECUTORS }, () => execute(id, binding));
      return (await Promise.all(executors)).flat();
    },
    close: () => connection.close(),
  };

  /** One executor's way to the action: the claim, and admission just before it. */
  async function execute(id: string, binding: string): Promise<Decision[]> {
    const own = connect(origin);
    try {
      const granted = await grantOf(own, producer, id);
      if (granted !== 'available') return [];
      const identity = `run/${randomUUID()}`;
      const send = (path: string, body: object): Promise<Answer> =>
        own.send(
          'POST',
          `/v2/requests/${id}/${path}`,
          { ...producer, 'idempotency-key': randomUUID() },
          JSON.stringify(body),
        );
      const claimed = await send('claims', {
        execution_identity: identity,
        execution_binding_digest: binding,
      });
      if (claimed.status >= 300) return [];
      const claim = (JSON.parse(claimed.text) as { payload: { id: string } }).payload.id;
      const admitted = await send('admission', {
        claim_id: claim,
        nonce: randomBytes(24).toString('base64url'),
        execution_identity: identity,
      });
      return admitted.status < 300 ? ['approve'] : [];
    } finally {
      own.close();
    }
  }
}

interface Status {
  readonly grant_state: string;
  readonly receipt: { payload: { decision: string } } | null;
}

async function statusOf(connection: Connection, producer: Headers, id: string): Promise<Status> {
  return JSON.parse(
    succeeded(await connection.send('GET', `/v2/requests/${id}`, producer)),
  ) as Status;
}

function resultOf({ receipt }: Status): Decision {
  if (receipt === null) throw new Error('a confirmed decision is not to be seen');
  return receipt.payload.decision === DECISIONS.approve ? 'approve' : 'reject';
}

/** The state of the grant once the ledger has the decision. */
async function grantOf(connection: Connection, producer: Headers, id: string): Promise<string> {
  for (;;) {
    const { grant_state: state } = await statusOf(connection, producer, id);
    if (state !== 'pending_anchor') return state;
    await delay(PAUSE_MS);
  }
}

function succeeded({ status, text }: Answer): string {
  if (status < 300) return text;
  throw new Error(`answered ${status} ${text.slice(0, 400)}`);
}
