import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';

import {
  PREFLIGHT_SUBJECT,
  SMALL_BODY_BYTES,
  createFurtherTries,
  untilDelivered,
  isLargeAnswer,
  sharing,
  traceparentOf,
} from '@countersign/platform';
import type {
  BodyWorkers,
  Bus,
  BusBody,
  BusReply,
  Caller,
  LargeStep,
  MessageSealer,
} from '@countersign/platform';
import type { GatewayOperation, Operation, RequestStatus } from '@countersign/protocol';
import {
  ALL_OPERATIONS,
  CUSTODY_READ,
  LARGE_BYTES,
  HISTORY_READ,
  INBOX_READ,
  OPERATIONS,
  Refusal,
  busSubject,
  callerKindRefusal,
  extensionsOf,
  isOfId,
  operationNamed,
  readQuery,
} from '@countersign/protocol';

import type { Authenticate, Authenticated } from './authentication.js';
import type { Call, Handler } from './call.js';
import { send, sendLong } from './call.js';
import { checkCsrf } from './csrf.js';
import { sendKnown } from './etag.js';
import type { HttpCounts } from './http-counts.js';
import type { LongPolls } from './long-polls.js';
import type { Offered } from './operations/discovery.js';
import type { StepUpRule } from './login/step-up.js';
import { FRESH_LOGIN, challenge, isProved, ruleFor } from './login/step-up.js';
import type { Match } from './matcher.js';
import { compileMatcher } from './matcher.js';
import type { ClientAddresses } from './client-address.js';
import type { PlaceKind, Places } from './places.js';
import { placeHeaders } from './places.js';
import type { RateName, Rates, Take } from './rates.js';
import { principalKey, rateHeaders } from './rates.js';
import { CallerGone } from './refusals.js';
import { NO_INPUT, takeInput } from './take-input.js';
import type { Input } from './take-input.js';
import type { Turns } from './turns.js';
import type { WaitPreference } from './wait-preference.js';
import { readWait } from './wait-preference.js';

const keyForm = /^[\x21-\x7e]{1,160}$/;
const identifierForm = /^[a-zA-Z0-9_.:@/-]{1,160}$/;

/** Asks the service of an operation as the call's own caller. */
export type AskOperation = (operation: Operation) => Promise<BusReply>;

/** The gateway's own operations below `/v2`: one that is missing does not compile. */
export type OwnOperations = {
  readonly [Name in GatewayOperation]: (ask: AskOperation) => Promise<BusReply>;
};

export interface PipelineParts {
  readonly authenticate: Authenticate;
  readonly rates: Rates;
  readonly places: Places;
  /** Of calls for one request, of those that read a page of many, and of held calls that look again. */
  readonly turns: { readonly calls: Turns; readonly pages: Turns; readonly looks: Turns };
  readonly longPolls: LongPolls;
  readonly offered: Offered;
  readonly addresses: ClientAddresses;
  readonly counts: Pick<HttpCounts, 'count' | 'flush'>;
  readonly bus: Bus;
  /** The operations that the gateway answers itself. */
  readonly own: OwnOperations;
  /** Read large bodies. */
  readonly bodies: Pick<BodyWorkers, 'place'>;
  readonly sealer: MessageSealer;
  readonly origin: string;
  /** How long a service may take, milliseconds. */
  readonly timeoutMs: number;
  /** The login strength that operations with `stepUp` require, by route. */
  readonly stepUp: readonly StepUpRule[];
  /** Notes for the security log that a confirmation on that route wants a fresher login. */
  readonly stepUpRequired: (caller: Authenticated, route: string) => Promise<void>;
}

export interface Pipeline {
  /** Everything below `/v2`, in the order of protocol §6.1. */
  readonly serve: Handler;
  /** The steps before the route: authentication, CSRF, rates, concurrency. `own` is the caller's own bucket. */
  admit(call: Call, own: RateName): Promise<Authenticated>;
  /** Counts a call of an unknown caller: in its address's bucket of that name, and in others. */
  takeOfAddress(call: Call, bucket: RateName, others?: readonly Take[]): Promise<void>;
  ask(call: Call, caller: Authenticated, operation: Operation, given: Given): Promise<BusReply>;
  /**
   * What `look` gets, once that is new for a caller that prefers to wait for it (protocol §6.5), and at once for others. `look`
   * is called again for a held call, with the caller as it then is.
   */
  whenNew(
    call: Call,
    caller: Authenticated,
    wait: WaitPreference | null,
    look: Look,
  ): Promise<BusReply>;
  /** Calls a service beside the operations; without a caller for public reads. */
  forward(
    call: Call,
    caller: Authenticated | null,
    subject: `countersign.${string}`,
    given: Given,
  ): Promise<BusReply>;
}

/** A caller on its way through one call. */
interface Admitted {
  readonly tenant: string;
  /** See principalKey. */
  readonly principal: string;
  readonly buckets: readonly Take[];
  /** Its place among the calls under way. */
  leavePlace: () => void;
  isLarge: boolean;
}

/** As long as no call takes on a machine that keeps up, and well within a caller's patience. */
const SILENT_MS = 800;

/** Of the reads of the pages, which are no operations (decisions/0025, 0028). */
export const INBOX_SUBJECT = `countersign.${INBOX_READ.name}` as const;
export const HISTORY_SUBJECT = `countersign.${HISTORY_READ.name}` as const;

/** Answered twice they change nothing. Calls that change something may be sent again under their key (protocol §6.3). */
const READS: ReadonlySet<string> = new Set([
  PREFLIGHT_SUBJECT,
  INBOX_SUBJECT,
  HISTORY_SUBJECT,
  `countersign.${CUSTODY_READ.name}`,
  ...ALL_OPERATIONS.filter(({ method }) => method === 'GET').map(busSubject),
]);

/** Without a key; a further try is known as one by a key of the gateway's own, the same for all tries of a call. */
const ONCE_EACH: ReadonlySet<string> = new Set([
  busSubject(operationNamed('execution-authority.admit')),
]);

const PAGES: ReadonlySet<string> = new Set([
  INBOX_SUBJECT,
  ...OPERATIONS.filter(({ query }) => query.length > 0).map(busSubject),
]);

const UNAUTHENTICATED: Take = { bucket: 'unauthenticated' };

function refusedBy(
  response: ServerResponse,
  headers: Record<string, string>,
  retryAfter: number,
): Refusal {
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  return new Refusal('rate_limited', { retryAfter });
}

type Look = (caller: Authenticated, again: boolean) => Promise<BusReply>;

interface Given {
  readonly params?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly body?: BusBody;
  readonly large?: LargeStep;
  /** A held call looks again. */
  readonly again?: boolean;
}

export function createPipeline(parts: PipelineParts): Pipeline {
  const { authenticate, rates, places, turns, addresses, counts, bus, bodies, sealer, own } = parts;
  const { longPolls, offered, origin, timeoutMs, stepUp, stepUpRequired } = parts;
  const operations = [...OPERATIONS, ...extensionsOf(offered)];
  const match = compileMatcher(operations.filter(({ path }) => path.startsWith('/v2/')));
  const admitted = new WeakMap<Call, Admitted>();
  const repeated = createFurtherTries({ afterMs: SILENT_MS });

  async function take({ response }: Call, takes: readonly Take[]): Promise<void> {
    const excess = await rates.take(takes);
    if (excess !== null) throw refusedBy(response, rateHeaders(excess), excess.seconds);
  }

  const takeOfAddress: Pipeline['takeOfAddress'] = (call, bucket, others = []) =>
    take(call, [{ bucket, key: addresses.of(call.request) }, ...others]);

  /** Only calls of unknown callers are counted before authentication, and never against the rates of known callers. */
  async function recognise(call: Call): Promise<Authenticated> {
    const { request } = call;
    const mayLookUp = async () => {
      const isGreedy = rates.isEmpty('address', addresses.of(request));
      if (isGreedy) await take(call, [UNAUTHENTICATED]);
    };
    try {
      return await authenticate(request, mayLookUp);
    } catch (fault) {
      if (fault instanceof Refusal && fault.code === 'unauthenticated')
        await takeOfAddress(call, 'address', [UNAUTHENTICATED]);
      throw fault;
    }
  }

  async function admit(call: Call, own: RateName): Promise<Authenticated> {
    const { request, response } = call;
    const caller = await recognise(call);
    const { tenant } = caller;
    response.once('finish', () => counts.count(tenant, response.statusCode));
    if (caller.session) {
      const { method = '', headers } = request;
      const proof = { method, origin: headers.origin, token: headers['x-csrf-token'] };
      checkCsrf(proof, origin, caller.session.csrf);
    }
    const principal = principalKey(tenant, caller.principal);
    const buckets: Take[] = [
      { bucket: own, key: principal },
      { bucket: 'tenant', key: tenant },
    ];
    await take(call, buckets);
    const about: Admitted = { tenant, principal, buckets, leavePlace: () => {}, isLarge: false };
    admitted.set(call, about);
    about.leavePlace = holdPlace(call, 'calls');
    weighBody(call);
    return caller;
  }

  /** Until the answer has gone out, the caller has, or the returned function is called. Throws `rate_limited`. */
  function holdPlace(call: Call, kind: PlaceKind): () => void {
    const { response } = call;
    if (response.destroyed) throw new CallerGone();
    const { tenant, principal } = admitted.get(call) as Admitted;
    const place = places.take(kind, tenant, principal);
    if (typeof place !== 'function') throw refusedBy(response, placeHeaders(place), 1);
    const leave = () => {
      response.off('close', leave);
      place();
    };
    response.once('close', leave);
    return leave;
  }

  /** As soon as a call is known to be large, and before anything large is held for it. Throws `rate_limited`. */
  function beLarge(call: Call): void {
    const about = admitted.get(call) as Admitted;
    if (about.isLarge) return;
    holdPlace(call, 'large');
    about.isLarge = true;
  }

  /** One call more for each MiB of a large body or answer. Never refuses the call itself. */
  function weigh(call: Call, bytes: number): void {
    if (bytes <= LARGE_BYTES) return;
    const calls = Math.floor(bytes / LARGE_BYTES);
    const { buckets } = admitted.get(call) as Admitted;
    void rates.take(buckets.map((bucket) => ({ ...bucket, calls })));
  }

  /** By the bytes that came through the connection, also when the body was refused. */
  function weighBody(call: Call): void {
    const { response } = call;
    const { socket } = call.request;
    const before = socket.bytesRead;
    response.once('close', () => weigh(call, socket.bytesRead - before));
  }

  const ask: Pipeline['ask'] = async (call, caller, operation, given) => {
    const subject = busSubject(operation);
    if (!operation.sized) return forward(call, caller, subject, given);
    const small = await forward(call, caller, subject, { ...given, large: 'ask' });
    if (!isLargeAnswer(small)) return small;
    beLarge(call);
    return forward(call, caller, subject, { ...given, large: 'taken' });
  };

  async function forward(
    call: Call,
    caller: Authenticated | null,
    subject: `countersign.${string}`,
    { params, key: given, body = '', large, again }: Given,
  ): Promise<BusReply> {
    // Nothing is lost within a process, and bytes are given away with the first try.
    const canSendAgain = bus.local !== true && typeof body === 'string';
    const key = given ?? (canSendAgain && ONCE_EACH.has(subject) ? randomUUID() : undefined);
    const send = async (leftMs: number): Promise<BusReply> => {
      const sealed = await sealer.seal(caller && callerOf(caller), {
        subject,
        params: params && JSON.stringify(params),
        key,
        body,
      });
      const traceparent = traceparentOf(call.trace);
      return bus.call(subject, { ...sealed, traceparent, timeoutMs: leftMs, large }, body);
    };
    // A large answer is worth more than the wait.
    const mayRepeat =
      canSendAgain && large !== 'taken' && (key !== undefined || READS.has(subject));
    const trying = (leftMs: number) => (mayRepeat ? repeated(leftMs, send) : send(leftMs));
    const work = () =>
      canSendAgain ? untilDelivered(timeoutMs, { mayRepeat }, trying) : send(timeoutMs);
    const usual = PAGES.has(subject) ? turns.pages : turns.calls;
    const inTurn = again ? turns.looks : usual;
    if (caller !== null && !again) sharing.note(caller.tenant);
    const reply = await (caller === null ? work() : inTurn.of(caller.tenant, work));
    const { length } = reply.bytes ?? reply.body;
    if (length > LARGE_BYTES && admitted.has(call)) {
      weigh(call, length);
      beLarge(call);
    }
    return reply;
  }

  async function reply(
    call: Call,
    caller: Authenticated,
    operation: Operation,
    given: Given,
  ): Promise<BusReply> {
    if (operation.counts) await counts.flush();
    if (operation.service !== 'gateway') return ask(call, caller, operation, given);
    return own[operation.name as GatewayOperation]((other) => ask(call, caller, other, given));
  }

  const whenNew: Pipeline['whenNew'] = async (call, caller, wait, look) => {
    const { request, response } = call;
    const first = () => look(caller, false);
    if (wait === null) return first();
    const { tenant, principal, leavePlace } = admitted.get(call) as Admitted;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const { reply: found, applied } = await longPolls.answer({
      tenant,
      principal,
      hint: wait.hint,
      ms: wait.seconds * 1000,
      ...(wait.pace && { pace: wait.pace }),
      gone: gone.signal,
      isNew: wait.isNew,
      first,
      begin: leavePlace,
      look: async () => {
        const now = await authenticate(request, async () => {});
        if (principalKey(now.tenant, now.principal) !== principal)
          throw new Refusal('unauthenticated');
        return look(now, true);
      },
      waited: (ms) => (call.heldMs += ms),
    });
    if (applied) response.setHeader('Preference-Applied', `wait=${wait.seconds}`);
    return found;
  };

  function replyWhenNew(
    call: Call,
    caller: Authenticated,
    operation: Operation,
    given: Given,
  ): Promise<BusReply> {
    const wait = readWait(operation, call.request.headers, given.params ?? {});
    return whenNew(call, caller, wait, (now, again) =>
      again ? ask(call, now, operation, { ...given, again }) : reply(call, now, operation, given),
    );
  }

  /**
   * The body in canonical form. Before it is read the service of an operation with `preflight` is asked (protocol §6.1 step
   * 5), unless a small body has come with its head: then the operation itself refuses for the same, once the body is right.
   */
  async function readGuarded(
    call: Call,
    caller: Authenticated,
    operation: Operation,
    given: Given,
  ): Promise<Input> {
    const { request, response } = call;
    if (operation.input === null) return NO_INPUT;
    const waits = request.headers.expect?.toLowerCase() === '100-continue';
    const begin = () => {
      if (waits) response.writeContinue();
    };
    const { tenant, principal: id } = caller;
    const large = () => beLarge(call);
    const take = () => takeInput(call, { tenant, id }, operation, bodies, { begin, large });
    if (!operation.preflight) return take();

    const preflight = async () => {
      const params = { ...given.params, operation: String(operation.number) };
      await forward(call, caller, PREFLIGHT_SUBJECT, { ...given, params });
    };
    // Node emits a request before it parses the data that came with its head.
    await setImmediate();
    if (!hasSmallBody(request)) {
      await preflight();
      return take();
    }
    try {
      return await take();
    } catch (fault) {
      // A refusal by a preflight comes before faults of the body.
      await preflight();
      throw fault;
    }
  }

  /**
   * Before an operation with `freshLogin`: a login of the last minutes. Before one with `stepUp`, on a route that wants it: a
   * login as fresh and strong as configured. It comes before a stored answer, as authentication does. Throws `fresh_login_required`, and `not_found` for a request that is not the
   * caller's.
   */
  async function requireStrength(
    call: Call,
    caller: Authenticated,
    { stepUp: routeOf, freshLogin }: Operation,
    given: Given,
  ): Promise<void> {
    if (freshLogin) requireFreshLogin(call, caller);
    if (routeOf === null) return;
    if (caller.session === null || !stepUp.some(({ tenant }) => tenant === caller.tenant)) return;
    const { body } = await ask(call, caller, operationNamed(routeOf), given);
    const { request } = JSON.parse(body) as RequestStatus;
    const rule = ruleFor(stepUp, caller.tenant, request.route);
    if (rule === null || isProved(caller.session, rule)) return;
    await stepUpRequired(caller, request.route);
    call.response.setHeader('WWW-Authenticate', challenge(rule));
    throw new Refusal('fresh_login_required');
  }

  return {
    takeOfAddress,
    admit,
    ask,
    whenNew,
    forward,
    async serve(call) {
      const { request } = call;
      const caller = await admit(call, 'principal');
      const found = match(request.method ?? '', call.path);
      if (!found) throw new Refusal('not_found');
      const { operation } = found;
      call.route = operation.path;
      const refusal = callerKindRefusal(operation, caller);
      if (refusal !== null) throw new Refusal(refusal);
      const params = readParameters(found, call.query);
      const keyed = (): Given =>
        operation.key ? { params, key: readKey(request.headers['idempotency-key']) } : { params };
      // The key comes before a body that it can spare, and after any other (protocol §6.1, §7 review.propose).
      const early = operation.preflight ? keyed() : null;
      const { body, leave } = await readGuarded(call, caller, operation, early ?? { params });
      try {
        const given = early ?? keyed();
        await requireStrength(call, caller, operation, { params });
        const whole = { ...given, body };
        await answer(call, operation, await replyWhenNew(call, caller, operation, whole));
      } finally {
        leave();
      }
    },
  };
}

function callerOf({ tenant, principal, kind, credential, session }: Authenticated): Caller {
  return { id: principal, tenant, kind, credential, session: session !== null };
}

function readParameters({ operation, parameters }: Match, query: string): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [at, name] of operation.parameters.entries()) {
    params[name] = readId(operation, parameters[at] as string);
  }
  if (operation.query.length > 0) {
    for (const [name, value] of Object.entries(readQuery(operation, new URLSearchParams(query)))) {
      params[name] = String(value);
    }
  }
  return params;
}

/** An id that cannot name a request is left to the service, which answers that it is missing; other names must be names. */
function readId(operation: Operation, sent: string): string {
  let id: string;
  try {
    id = decodeURIComponent(sent);
  } catch {
    id = sent;
  }
  if (!isOfId(operation) && !identifierForm.test(id)) {
    throw new Refusal('invalid_path_parameter');
  }
  return id;
}

function requireFreshLogin({ response }: Call, { session }: Authenticated): void {
  if (session !== null && isProved(session, FRESH_LOGIN)) return;
  response.setHeader('WWW-Authenticate', challenge(FRESH_LOGIN));
  throw new Refusal('fresh_login_required', { detail: 'Sign in once more, and add the key then.' });
}

function readKey(header: string | readonly string[] | undefined): string {
  if (typeof header !== 'string' || !keyForm.test(header)) {
    throw new Refusal('idempotency_key_required');
  }
  return header;
}

/** Whether the body declares that it is small, and all of it is here: with its head, mostly. */
function hasSmallBody({ complete, headers }: IncomingMessage): boolean {
  const declared = headers['content-length'];
  return complete && declared !== undefined && Number(declared) <= SMALL_BODY_BYTES;
}

/** A service's answer is sent unchanged; a client that has it already gets 304 (R31). */
async function answer(call: Call, operation: Operation, reply: BusReply): Promise<void> {
  const { response } = call;
  const { status, body, bytes } = reply;
  let type = 'application/json';
  for (const [name, value] of Object.entries(reply.headers ?? {})) {
    if (name.toLowerCase() === 'content-type') type = value;
    else response.setHeader(name, value);
  }
  if (operation.etag && status === 200 && sendKnown(call, body)) return;
  response.statusCode = status;
  if (bytes === undefined) send(call, type, body);
  else await sendLong(call, type, bytes);
}
