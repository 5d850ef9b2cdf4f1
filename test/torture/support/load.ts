import { randomUUID } from 'node:crypto';
import { valueDigest } from '@countersign/protocol';
import { executionBinding, executionInput, reviewInput } from '../../support/requests.js';
import type { Cast } from '../../fault/support/fixture.js';
import { insist } from '../../fault/support/insist.js';
import type { Attempts } from '../../fault/support/insist.js';
import { completeLifecycle, expectAnswer } from '../../fault/support/lifecycles.js';
import type { Journal } from '../../fault/support/lifecycles.js';
import type { Random } from '../../fault/support/random.js';
import type { History } from '../../guard/torture/kills.js';
import type { GuardedExecutors } from './guarded.js';

/** What the clients did, as far as each came to its end. */
export interface Done {
  /** Executions, from their request to their outcome. */
  readonly completed: Journal[];
  /** Requests by the last states that were acknowledged: refused ones and withdrawn ones. */
  readonly refused: string[];
  readonly withdrawn: string[];
  /** Withdrawals that raced a decision, by what was acknowledged. */
  readonly raced: {
    readonly requestId: string;
    readonly decided: boolean;
    readonly withdrawn: boolean;
  }[];
  /** Actions of guarded executors, each of an occurrence of its own. */
  readonly guarded: History[];
}

export const nothingDone = (): Done => ({
  ...{ completed: [], refused: [], withdrawn: [], raced: [] },
  guarded: [],
});

export interface LoadOptions {
  readonly clients: number;
  /** How many of them are at work at a time. */
  readonly executors: number;
  /** Processes of the release before take part. */
  readonly withReleaseBefore: boolean;
  readonly random: Random;
}

export interface Load {
  /** Every client ends what it has begun; rejects with the first answer that may not be. */
  stop(): Promise<void>;
}

/** Longer than all faults of a run that hit one execution. */
const EXECUTION_SECONDS = 3600;

/** So many clients and executors that each take one request after the other to an end. */
export function startLoad(
  cast: Cast,
  guarded: GuardedExecutors,
  attempts: Attempts,
  done: Done,
  { clients, executors, withReleaseBefore, random }: LoadOptions,
): Load {
  const { demo, producer, reviewer, operator } = cast;
  let stopped = false;

  const call = async (
    who: Cast['producer'],
    path: string,
    body: unknown,
  ): ReturnType<typeof insist> => insist(who, attempts, path, { body, key: randomUUID() });
  const create = async (): Promise<string> => {
    const created = await call(producer, '/v2/requests', reviewInput(demo));
    return expectAnswer(created, 201).body.request.id;
  };
  const propose = async (id: string, decision: string) => {
    const path = `/v2/requests/${id}`;
    const proposal = { response: { note: 'seen' }, decision };
    const candidate = await call(reviewer, `${path}/candidates`, proposal);
    return {
      path: `${path}/confirm`,
      confirmation: {
        candidate_id: expectAnswer(candidate, 201).body.id,
        candidate_digest: valueDigest(candidate.body),
      },
    };
  };

  async function execute(): Promise<void> {
    const execution = executionBinding({ execution_seconds: EXECUTION_SECONDS });
    const options = { changes: { execution }, withReleaseBefore };
    done.completed.push(await completeLifecycle(cast, attempts, options));
  }
  async function refuse(): Promise<void> {
    const input = executionInput(demo, {
      execution: executionBinding({ execution_seconds: EXECUTION_SECONDS }),
    });
    const created = expectAnswer(await call(producer, '/v2/requests', input), 201);
    const id: string = created.body.request.id;
    const { path, confirmation } = await propose(id, 'refuse');
    expectAnswer(await call(reviewer, path, confirmation), 200);
    done.refused.push(id);
  }
  async function withdraw(): Promise<void> {
    const id = await create();
    expectAnswer(await call(producer, `/v2/requests/${id}/cancel`, {}), 200);
    done.withdrawn.push(id);
  }
  /** A withdrawal and a confirmation at the same time: one of both takes effect, and both callers are told which. */
  async function race(): Promise<void> {
    const id = await create();
    const { path, confirmation } = await propose(id, 'approve');
    const [confirmed, cancelled] = await Promise.all([
      call(reviewer, path, confirmation),
      call(producer, `/v2/requests/${id}/cancel`, {}),
    ]);
    done.raced.push({
      requestId: id,
      decided: confirmed.status === 200,
      withdrawn: expectAnswer(cancelled, 200).body.decision_state === 'cancelled',
    });
  }
  /** The reads of people: the inbox of a reviewer, the figures of an operator. */
  async function read(): Promise<void> {
    const list = await insist(reviewer, attempts, '/v2/requests?state=pending', { method: 'GET' });
    expectAnswer(list, 200);
    const metrics = await insist(operator, attempts, '/v2/admin/metrics', { method: 'GET' });
    expectAnswer(metrics, 200);
  }

  const KINDS: readonly (readonly [number, () => Promise<void>])[] = [
    [0.6, execute],
    [0.15, refuse],
    [0.1, withdraw],
    [0.1, race],
    [0.05, read],
  ];
  async function client(): Promise<void> {
    while (!stopped) {
      let at = random();
      const kind = KINDS.find(([share]) => (at -= share) < 0) ?? KINDS[0]!;
      await kind[1]();
    }
  }
  async function executor(): Promise<void> {
    while (!stopped) done.guarded.push(await guarded.act(random));
  }
  const running = Promise.all(
    [...Array(clients).fill(client), ...Array(executors).fill(executor)].map((work) =>
      work().catch((error: unknown) => {
        stopped = true;
        throw error;
      }),
    ),
  );
  running.catch(() => {});
  return {
    async stop() {
      stopped = true;
      await running;
    },
  };
}
