import type { Client, JsonObject, JsonValue } from '@countersign/client';

import type { NotDone, PartlyDone } from './errors.js';
import type { Journal, Seal } from './journal.js';

/** A request that people were asked with. */
export interface Asked {
  readonly id: string;
  readonly occurrence: string;
  /** Where reviewers decide. */
  readonly reviewLink: string;
}

/** The run that the function belongs to. */
export interface Run {
  /** Aborts when the function has to stop; its reason says why: `window`, `revoked`, `permit` or `caller`. */
  readonly signal: AbortSignal;
  /** The same for ever for this occurrence: the idempotency key for the outside service. */
  readonly key: string;
  readonly occurrence: string;
  readonly requestId: string;
  /** The reviewer's answer, which fits the schema that was asked with; undefined once the service has deleted it. */
  readonly response: JsonValue | undefined;
  /** The end of the window. */
  readonly deadline: Date;
  /**
   * Asks for a fresh permit before the next irreversible part of a long action; waits when the last one is younger than 5 s.
   *
   * @throws PermitRefused: stop
   */
  permit(): Promise<void>;
  /** Told to `onProgress`. */
  progress(text: string): void;
  /** Adds members to the signed details of the outcome that this process reports. Nothing private belongs there. */
  note(details: JsonObject): void;
}

export type ProbeAnswer = 'done' | 'not done' | 'partly done' | 'unknown';

export interface GuardOptions<A> {
  /** Name of the action, as people read it and as it is signed. */
  readonly name: string;
  /** Version of the action, signed too; `1` when not given. Approvals of another version do not count. */
  readonly version?: string;
  /** The route, whose reviewers decide. */
  readonly route: string;
  /**
   * Profiles that the route asks for beside `proto.execution`, such as `{ 'proto.approval': '1-draft.1' }` where several people
   * decide (docs/approvals.md). The client has to be made with `approvals` for that.
   */
  readonly profiles?: Readonly<Record<string, string>>;
  /** What an action is: the same occurrence happens at most once. An Identifier: letters, digits and `_.:@/-`, 160 at most. */
  readonly occurrence: (args: A) => string;
  /** Replaces an occurrence that is no Identifier by its digest. */
  readonly hashOccurrence?: boolean;
  /** Where later processes find what this one knew; without it a death between claim and outcome ends the occurrence. */
  readonly journal?: Journal;
  /** Encrypts arguments and results in the journal. */
  readonly seal?: Seal;
  /** One line for lists and mails. */
  readonly summary?: (args: A) => string;
  /** The text that people read and that is signed; a table of the arguments when not given. */
  readonly document?: (args: A) => string;
  /** JSON Schema of the reviewer's answer ([protocol §10]); a note that may be empty when not given. */
  readonly response?: JsonObject;
  /** Signed beside the arguments: the application, its version, the rule that wants a decision. */
  readonly context?: JsonObject;
  readonly metadata?: JsonObject;
  /** How long the function may run, reads included; 300 when not given. */
  readonly executionSeconds?: number;
  /** How long the request is of any use; a day for the decision and one for the start when not given. */
  readonly validSeconds?: number;
  /** How long people have for the decision; what the route allows when not given. */
  readonly reviewSeconds?: number;
  /** A consumed occurrence that this one makes good. */
  readonly recoveryOf?: (args: A) => string | undefined;
  /**
   * Whether the action may go on after the end of this process, as that of a child process does: a later process then waits for
   * its window before it says anything about it.
   */
  readonly outlives?: boolean;
  /** Asks the outside world whether the action happened. It may only read, has 30 s, and may be asked again. */
  readonly probe?: (
    args: A,
    about: { readonly key: string; readonly requestId: string },
  ) => ProbeAnswer | Promise<ProbeAnswer>;
  /** Says what a known error of the function means; undefined for one that it does not know. */
  readonly classify?: (error: unknown) => NotDone | PartlyDone | undefined;
  /** Keeps a completed result in the journal for later callers; JSON of up to 256 KiB. */
  readonly keepResult?: boolean;
  /** Written out where checkpoints are not looked up against a production service. */
  readonly anchor?: 'unchecked';
  /** Told once, as soon as the request is there. */
  readonly onAsked?: (asked: Asked) => void;
  readonly onProgress?: (text: string, asked: Pick<Asked, 'id' | 'occurrence'>) => void;
  /** Told of the end of a function that came after its outcome was reported. */
  readonly onLate?: (occurrence: string, end: { result: unknown } | { error: unknown }) => void;
  /** Told of an outcome that the service did not take; the journal keeps it for `resumeAll`. */
  readonly onUnreported?: (occurrence: string, error: unknown) => void;
}

export interface CallOptions {
  /** Ends the wait; aborts the function; never takes back what has started. */
  readonly signal?: AbortSignal;
  /** Of the wait for the decision, in milliseconds. */
  readonly timeout?: number;
}

export type Action<A, T> = (args: A, run: Run) => T | Promise<T>;

const IDENTIFIER = /^[a-zA-Z0-9_.:@/-]{1,160}$/;

export function isIdentifier(text: unknown): text is string {
  return typeof text === 'string' && IDENTIFIER.test(text);
}

/** @throws TypeError for options that cannot be used, which names the option and the remedy */
export function checkOptions(client: Client, options: GuardOptions<never>): void {
  const wrong = (option: string, what: string) => new TypeError(`guard: ${option} ${what}`);
  if (!client.verifies || client.tenant === null || client.producer === null)
    throw wrong(
      'client',
      'has to verify answers: make it with trust, tenant and producer, such as by connect()',
    );
  for (const name of ['name', 'route'] as const)
    if (!isIdentifier(options[name]))
      throw wrong(name, 'has to be an Identifier: letters, digits and _.:@/-, 160 at most');
  if (options.version !== undefined && !isIdentifier(options.version))
    throw wrong('version', 'has to be an Identifier: letters, digits and _.:@/-, 160 at most');
  if (typeof options.occurrence !== 'function')
    throw wrong(
      'occurrence',
      'is missing: a function that names what may happen at most once, such as (a) => `refund:${a.charge}`',
    );
  if (Object.hasOwn(options.profiles ?? {}, 'proto.approval') && client.approvals === undefined)
    throw wrong(
      'profiles',
      "has proto.approval: make the client with `approvals: approvals()` of '@countersign/client/approvals'",
    );
  for (const name of ['executionSeconds', 'validSeconds', 'reviewSeconds'] as const) {
    const seconds = options[name];
    if (seconds !== undefined && !(Number.isSafeInteger(seconds) && seconds > 0))
      throw wrong(name, 'has to be a whole number of seconds above 0');
  }
}

/** @throws TypeError for an occurrence that is none */
export function occurrenceOf<A>(
  { occurrence, hashOccurrence = false }: GuardOptions<A>,
  args: A,
  hash: (text: string) => string,
): string {
  const text: unknown = occurrence(args);
  if (typeof text !== 'string' || text === '')
    throw new TypeError('guard: occurrence has to give a text: what may happen at most once');
  if (isIdentifier(text)) return text;
  if (hashOccurrence) return hash(text);
  throw new TypeError(
    'guard: occurrence has to give letters, digits and _.:@/-, 160 at most; hashOccurrence: true takes the digest of any other text',
  );
}
