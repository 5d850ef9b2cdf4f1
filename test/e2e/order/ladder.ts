import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '@countersign/protocol';
import type { Answer, Client } from '../../support/client.js';

/** One thing that can be wrong with a call, and what the call is answered as long as nothing earlier is wrong. */
export interface Rung {
  readonly answer: `${number} ${ErrorCode}`;
  /** Makes it wrong; it stays so. */
  readonly apply: () => unknown;
}

/** A call that is right but for its rungs, which stand in the order in which the protocol tests them. */
export interface Ladder {
  readonly call: () => Promise<Answer>;
  readonly rungs: readonly Rung[];
}

/**
 * Makes one thing after the other wrong, the last test first, and calls each time: whatever is tested later must not show.
 * Gives the answers in the order of the rungs.
 */
export async function answersOf({ call, rungs }: Ladder): Promise<string[]> {
  const answers: string[] = [];
  for (const { apply } of rungs.toReversed()) {
    await apply();
    const { status, body } = await call();
    answers.unshift(`${status} ${body?.error ?? 'no refusal'}`);
  }
  return answers;
}

/** A call that can be changed bit by bit. */
export class Draft {
  key: string | null = randomUUID();
  readonly headers: Record<string, string> = {};
  /** Stands behind the JSON of the body. */
  tail = '';

  constructor(
    public client: Client,
    readonly method: 'GET' | 'POST' | 'PUT',
    public path: string,
    public body: any = undefined,
  ) {
    if (method !== 'POST') this.key = null;
  }

  send(): Promise<Answer> {
    const { method, path, key, headers, body } = this;
    const raw = body === undefined ? {} : { raw: JSON.stringify(body) + this.tail };
    return this.client.call(method, path, body, { key, headers, ...raw });
  }
}

/** Protocol §6.1 step 6; `limit` bytes, or null to leave the size alone. */
export function bodyRungs(draft: Draft, limit: number | null): Rung[] {
  const type = (value: string) => () => (draft.headers['content-type'] = value);
  return [
    { answer: '400 json_required', apply: type('text/plain; charset=latin1') },
    {
      answer: '400 unsupported_encoding',
      apply: () => (draft.headers['content-encoding'] = 'gzip'),
    },
    { answer: '400 utf8_required', apply: type('application/json; charset=latin1') },
    ...(limit === null
      ? []
      : [
          { answer: '413 body_too_large', apply: () => (draft.tail += ' '.repeat(limit)) } as const,
        ]),
    { answer: '400 invalid_json', apply: () => (draft.tail += 'x') },
  ];
}
