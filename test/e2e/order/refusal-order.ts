import { randomUUID } from 'node:crypto';
import type { ErrorCode } from '@countersign/protocol';
import type { Answer, Client } from '../../support/client.js';

/** A fault of a call, and the answer to it while there is no earlier fault. */
export interface RefusalCase {
  readonly answer: `${number} ${ErrorCode}`;
  /** Adds the fault, which then stays. */
  readonly apply: () => unknown;
}

/** A call without other faults than its cases, which stand in the order in which the protocol tests them. */
export interface RefusalOrder {
  readonly call: () => Promise<Answer>;
  readonly cases: readonly RefusalCase[];
}

/**
 * Adds one fault after the other, beginning with the one tested last, and calls each time: a fault that is tested later must not
 * show. Returns the answers in the order of the cases.
 */
export async function answersOf({ call, cases }: RefusalOrder): Promise<string[]> {
  const answers: string[] = [];
  for (const { apply } of cases.toReversed()) {
    await apply();
    const { status, body } = await call();
    answers.unshift(`${status} ${body?.error ?? 'no refusal'}`);
  }
  return answers;
}

/** A call that can be changed step by step. */
export class Draft {
  key: string | null = randomUUID();
  readonly headers: Record<string, string> = {};
  /** Appended to the JSON of the body. */
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
export function bodyCases(draft: Draft, limit: number | null): RefusalCase[] {
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
