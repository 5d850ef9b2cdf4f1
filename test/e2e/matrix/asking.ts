import { randomUUID } from 'node:crypto';
import type { Answer, Client } from '../../support/client.js';
import type { Built } from './building.js';
import { admissionOf, claimOf, newNonce, outcomeOf, patiently, successorOf } from './building.js';

const REPORTS = ['completed', 'failed', 'failed_partial', 'uncertain', 'cancelled_before_dispatch'];
const READS: Readonly<Record<string, string>> = {
  status: '/v2/requests/{id}',
  material: '/v2/requests/{id}/material',
  app: '/v2/requests/{id}/app',
  export: '/v2/requests/{id}/export',
  hitl: '/v2/hitl/{id}',
  'hitl poll': '/v2/hitl/{id}/poll',
};

/** One call, and its reported outcome, if any. */
export interface Asked {
  readonly answer: Answer;
  readonly reported: string | null;
}

/** The call's input is valid: only state and caller can cause a refusal. */
export async function ask(
  built: Built,
  operation: string,
  caller: { readonly name: string; readonly client: Client },
  turn: number,
): Promise<Asked> {
  const { client } = caller;
  const read = READS[operation];
  if (read !== undefined)
    return { answer: await client.get(read.replace('{id}', built.id)), reported: null };
  const { path, body, key, reported } = commandOf(built, operation, caller.name, turn);
  const answer = await patiently(() =>
    client.post(`/v2/requests/${built.id}/${path}`, body, {
      key: key === false ? null : randomUUID(),
    }),
  );
  return { answer, reported: reported ?? null };
}

interface Command {
  readonly path: string;
  readonly body: unknown;
  readonly key?: false;
  readonly reported?: string;
}

function commandOf(built: Built, operation: string, caller: string, turn: number): Command {
  const { claim, input } = built;
  const identity = claim?.identity ?? 'executor/nobody';
  switch (operation) {
    case 'candidates': {
      const decision = built.situation.purpose === 'review' ? 'reject' : 'refuse';
      return { path: operation, body: { response: { note: 'other' }, decision } };
    }
    case 'confirm': {
      const own = built.candidates[caller === 'reviewer, not assigned' ? 1 : 0];
      const none = { candidate_id: randomUUID(), candidate_digest: `sha256:${'0'.repeat(64)}` };
      return { path: operation, body: own ?? none };
    }
    case 'supersede':
      return { path: operation, body: successorOf(input) };
    case 'claims':
      return { path: operation, body: claimOf(input, `executor/${randomUUID()}`) };
    case 'admission':
      return { path: operation, body: admissionOf(claim, newNonce()), key: false };
    case 'outcomes': {
      const reported = REPORTS[turn % REPORTS.length] ?? '';
      const body = { ...outcomeOf(identity, reported), details: { seen: 'otherwise' } };
      return { path: operation, body, reported };
    }
    case 'outcomes again':
      return { path: 'outcomes', body: built.outcome };
    case 'outcomes abandoned': {
      const body = { ...outcomeOf(identity, 'abandoned'), details: { seen: 'never' } };
      return { path: 'outcomes', body };
    }
    case 'reconcile': {
      const all = [...REPORTS, 'abandoned'];
      const reported = all[turn % all.length] ?? '';
      return { path: operation, body: outcomeOf(identity, reported), reported };
    }
    default:
      return { path: operation, body: {} };
  }
}
