import { isTimestamp } from '@countersign/protocol/timestamp';

import type { Answer } from './attempt.js';
import { AnswerInvalid, ConfigurationInvalid } from './errors.js';
import { exchange } from './exchange.js';
import type { AttemptNote, Line, Runtime } from './exchange.js';
import { events, status, trust as servedTrust } from './generated/operations.js';
import type {
  EventPage,
  RequestChangedEvent,
  RequestStatus,
  SignedRecord,
  TrustManifest,
} from './generated/records.js';
import { bodyText } from './input.js';
import { checkKey, newKey } from './keys.js';
import type { CallOf, Operation, OperationTypes } from './operation.js';
import { pauses } from './pauses.js';
import { newRetryBucket } from './retry.js';
import { misfit } from './shape.js';
import type { ReadPage } from './shared-reader.js';
import { unlessAborted } from './lanes.js';
import { driftOf, newVerification } from './verification.js';
import type { Approvals, AnchorStore, TrustDrift, Verification } from './verification.js';
import { newWaits } from './waiting.js';
import type { Goal, ReadStatus, WaitOptions } from './waiting.js';

export interface ClientOptions {
  /** Scheme and host of the service: https, or http on this machine. */
  readonly origin: string;
  /** The bearer token, or a function that gives it, which is asked before each attempt. */
  readonly token: string | (() => string | Promise<string>);
  /**
   * The trust manifest, which the program was given by another way than from the service; every answer is verified by it
   * before the caller sees it. `'unverified'`: an answer is what the service says, and no ground to act on.
   */
  readonly trust: TrustManifest | 'unverified';
  /** The tenant; needed with a manifest. */
  readonly tenant?: string | undefined;
  /** Id of the calling producer; answers about the requests of another one do not verify. */
  readonly producer?: string | undefined;
  /** Where the program looks up checkpoints itself; without it nobody but the service says that they are stored. */
  readonly anchorStore?: AnchorStore | undefined;
  /**
   * `approvals()` of the entry `@countersign/client/approvals`, for requests that several people decide (docs/approvals.md).
   * Without it their answers are refused: `wrong_record`.
   */
  readonly approvals?: Approvals | undefined;
  readonly fetch?: typeof fetch;
  /** Of one call: 6 attempts and 60 seconds when not given. */
  readonly budget?: { readonly attempts?: number; readonly seconds?: number };
  readonly onAttempt?: (note: AttemptNote) => void;
}

/** One event of the producer's feed. */
export interface FeedEvent {
  readonly event: RequestChangedEvent;
  readonly record: SignedRecord;
  /** A reader that starts again with this number misses nothing after this event, and may see some twice. */
  readonly after: number;
}

export interface Client {
  readonly origin: string;
  readonly tenant: string | null;
  readonly producer: string | null;
  /** Whether answers are verified. */
  readonly verifies: boolean;
  /** Whether the program looks up checkpoints itself. */
  readonly looksUpAnchors: boolean;
  /** What it was made with, for requests that several people decide. */
  readonly approvals: Approvals | undefined;
  /**
   * Epoch milliseconds by the service's clock, to the second: the time of its newest answer, and what has passed since. Null
   * before the first answer, and in browsers, which hide it.
   */
  serverTime(): number | null;
  /**
   * Makes a call, and makes it again where that is safe (docs/client.md), under the same key and with the same bytes.
   *
   * @throws ServiceRefusal, Unreachable, AnswerInvalid, VerificationFailed and the reason of `signal`; TypeError before
   *   anything is sent, for arguments that cannot be sent
   */
  call<Types extends OperationTypes>(
    operation: Operation<Types>,
    ...call: object extends CallOf<Types> ? [call?: CallOf<Types>] : [call: CallOf<Types>]
  ): Promise<Types['output']>;
  /**
   * Waits until a request is where the caller wants it, and gives its status then. A service that is away does not end the wait.
   *
   * @throws WaitEnded, ServiceRefusal, AnswerInvalid, VerificationFailed
   */
  until(id: string, goal: Goal, options?: WaitOptions): Promise<RequestStatus>;
  /**
   * The producer's feed without an end, from the event after `after`; from now on without it. The service holds the calls.
   *
   * @throws the reason of `signal`, ServiceRefusal, AnswerInvalid, VerificationFailed
   */
  events(options?: {
    readonly after?: number;
    readonly signal?: AbortSignal;
  }): AsyncIterable<FeedEvent>;
  /**
   * How the manifest that the service serves differs from the pinned one; null when it is the same. A difference is for the
   * operator to explain: what the service serves is never trusted.
   *
   * @throws TypeError without a pinned manifest
   */
  trustDrift(): Promise<TrustDrift | null>;
}

const REAL: Runtime = {
  now: () => performance.now(),
  sleep: async (ms, signal) => {
    let timer;
    const rest = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)));
    try {
      await unlessAborted(rest, signal);
    } finally {
      clearTimeout(timer);
    }
  },
  chance: () => Math.random(),
};

const ATTEMPT_MS = 10_000;
/** Calls that bring or take material. */
const LONG_ATTEMPT_MS = 30_000;
/** How long the service is asked to hold a read until something is new (protocol §6.5). */
const HELD_SECONDS = 25;
/** Beyond every event: asked for, it gives the number of the newest one. */
const FAR = 99_999_999;
const LONG: ReadonlySet<number> = new Set([3, 4, 16, 21]);

/** A call without its types. */
interface LooseCall {
  readonly id?: string | undefined;
  readonly body?: unknown;
  readonly query?: object;
  readonly key?: string;
  readonly signal?: AbortSignal | undefined;
}

/**
 * A client of one service. `runtime` is for tests.
 *
 * @throws ConfigurationInvalid for options that cannot be used
 */
export function countersign(options: ClientOptions, runtime: Runtime = REAL): Client {
  const origin = checkedOrigin(options.origin);
  const verification = verificationOf(origin, options);
  const { token, onAttempt, approvals, budget = {}, fetch: send = fetch } = options;
  const line: Line = {
    send,
    token: typeof token === 'string' ? () => token : token,
    attempts: checkedCount('budget.attempts', budget.attempts ?? 6),
    budgetMs: checkedCount('budget.seconds', budget.seconds ?? 60) * 1_000,
    bucket: newRetryBucket(),
    onAttempt,
    runtime,
  };
  let newest: { readonly time: number; readonly at: number } | null = null;
  async function answerTo(
    operation: Operation,
    { id, body, query, key: own, signal }: LooseCall,
    prefer?: string,
  ): Promise<Answer> {
    const key = keyFor(operation, own);
    const text = body === undefined ? undefined : bodyText(body);
    const { number } = operation;
    const readFirst = async (answered: unknown): Promise<void> => {
      const first = verification?.restsOn(number, id, answered);
      if (first) await answerTo(first, { id, signal });
    };
    await readFirst(null);
    const knownRevision = verification?.revisionOf(id) ?? 0;
    const sentAt = Date.now();
    const usual = LONG.has(number) ? LONG_ATTEMPT_MS : ATTEMPT_MS;
    const answer = await exchange(line, {
      operation,
      url: origin + pathOf(operation, id) + queryOf(operation, query),
      key,
      headers: {
        accept: 'application/json, application/problem+json',
        ...(text !== undefined && { 'content-type': 'application/json' }),
        ...(key !== null && { 'idempotency-key': key }),
        ...(prefer !== undefined && { prefer }),
      },
      body: text,
      attemptMs: prefer === undefined ? usual : HELD_SECONDS * 1_000 + usual,
      signal,
    });
    const time = Date.parse(answer.headers.get('date') ?? '');
    if (!Number.isNaN(time)) newest = { time, at: runtime.now() };
    const shape = approvals?.shapeOf(operation, answer.body) ?? operation.output ?? true;
    const pointer = misfit(shape, answer.body, { isTimestamp });
    if (pointer !== null) throw new AnswerInvalid('wrong_record', pointer);
    if (verification === null) return answer;
    await readFirst(answer.body);
    const { after = 0 } = (query ?? {}) as { after?: number };
    await verification.verify({
      ...{ number, id, body: answer.body, after, knownRevision, sentAt, receivedAt: Date.now() },
      input: text === undefined ? undefined : (JSON.parse(text) as unknown),
    });
    return answer;
  }

  /** One page of the feed; without `after` an empty one, at its end. */
  async function pageOf(after: number | null, signal: AbortSignal | undefined) {
    const prefer = after === null ? undefined : `wait=${HELD_SECONDS}`;
    const { body, headers } = await answerTo(
      events,
      { query: { after: after ?? FAR }, signal },
      prefer,
    );
    const { items, next } = body as EventPage;
    return {
      items,
      next: after === null ? Number(headers.get('event-head') ?? 0) : next,
      wasHeld: headers.has('preference-applied'),
    };
  }

  async function* feed(after: number | undefined, signal: AbortSignal | undefined) {
    const wait = pauses(line.runtime);
    let from = after ?? (await pageOf(null, signal)).next;
    for (;;) {
      const { items, next, wasHeld } = await pageOf(from, signal);
      for (const [at, record] of items.entries())
        yield { event: eventIn(record), record, after: at === items.length - 1 ? next : from };
      if (items.length > 0) wait.reset();
      else if (!wasHeld) await wait.pause(signal);
      from = next;
    }
  }

  const read: ReadStatus = async (id, revision, signal) => {
    const prefer = revision === null ? undefined : `wait=${HELD_SECONDS}; revision=${revision}`;
    const { body, headers } = await answerTo(status, { id, signal }, prefer);
    return { status: body as RequestStatus, wasHeld: headers.has('preference-applied') };
  };

  const readPage: ReadPage = async (after, signal) => {
    const { items, ...page } = await pageOf(after, signal);
    return { ...page, ids: items.map((record) => eventIn(record).request_id) };
  };
  const waits = newWaits(read, readPage, runtime);

  const { trust, tenant = null, producer = null } = options;
  return {
    ...{ origin, tenant, producer, approvals, verifies: verification !== null },
    looksUpAnchors: options.anchorStore !== undefined,
    serverTime: () => (newest === null ? null : newest.time + runtime.now() - newest.at),
    async call(operation, ...[given]) {
      return (await answerTo(operation, (given ?? {}) as LooseCall)).body;
    },
    until: (id, goal, options = {}) => waits.until(id, goal, options),
    events: ({ after, signal } = {}) => feed(after, signal),
    async trustDrift() {
      if (trust === 'unverified') throw new TypeError('this client has no pinned manifest');
      return driftOf(trust, (await answerTo(servedTrust, {})).body as TrustManifest);
    },
  };
}

function eventIn(record: SignedRecord): RequestChangedEvent {
  return record.payload as unknown as RequestChangedEvent;
}

function verificationOf(
  origin: string,
  { trust, tenant, producer, anchorStore, approvals }: ClientOptions,
): Verification | null {
  if (trust === 'unverified') return null;
  const verify = approvals?.newVerification ?? newVerification;
  const verification = verify({ origin, trust, tenant, producer, anchorStore });
  if (tenant !== undefined) return verification;
  throw new ConfigurationInvalid('tenant', 'is needed to verify answers: name the tenant');
}

function keyFor({ key, method, path }: Operation, own: string | undefined): string | null {
  if (key) return own === undefined ? newKey() : checkKey(own);
  if (own !== undefined) throw new TypeError(`${method} ${path} takes no key`);
  return null;
}

function pathOf({ path }: Operation, id: string | undefined): string {
  if (!path.includes('{id}')) {
    if (id !== undefined) throw new TypeError(`${path} takes no id`);
    return path;
  }
  // An empty part, `.` and `..` would make it another path.
  if (typeof id !== 'string' || /^\.{0,2}$/.test(id)) throw new TypeError(`${path} wants an id`);
  return path.replace('{id}', () => encodeURIComponent(id));
}

function queryOf({ query: names, path }: Operation, query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  for (const [name] of given)
    if (!names.includes(name)) throw new TypeError(`${path} takes no parameter ${name}`);
  if (given.length === 0) return '';
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

function checkedOrigin(origin: string): string {
  if (!URL.canParse(origin)) throw new ConfigurationInvalid('origin', 'is no address');
  const url = new URL(origin);
  if (url.origin !== origin)
    throw new ConfigurationInvalid('origin', 'has to be a scheme and a host, without a path');
  const isLocal = url.protocol === 'http:' && LOOPBACK.test(url.hostname);
  if (url.protocol !== 'https:' && !isLocal)
    throw new ConfigurationInvalid('origin', 'has to be https, but on this machine');
  return origin;
}

function checkedCount(field: string, count: number): number {
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw new ConfigurationInvalid(field, 'has to be a whole number above 0');
}
