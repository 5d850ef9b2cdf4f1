import { PREFLIGHT_SUBJECT, traceparentOf } from '@countersign/platform';
import type { Bus, BusHeaders, BusReply, CallerMinter } from '@countersign/platform';
import type { MetricsSnapshot, Operation, RequestStatus } from '@countersign/protocol';
import {
  OPERATIONS,
  Refusal,
  busSubject,
  callerKindRefusal,
  operationNamed,
  readQuery,
  textDigest,
} from '@countersign/protocol';

import type { Authenticate, Authenticated } from './authentication.js';
import { readBody } from './body.js';
import type { Call, Handler } from './call.js';
import { send } from './call.js';
import { checkCsrf } from './csrf.js';
import type { HttpCounts } from './http-counts.js';
import { readInput } from './input.js';
import type { StepUpRule } from './login/step-up.js';
import { challenge, isProved, ruleFor } from './login/step-up.js';
import type { Match } from './matcher.js';
import { compileMatcher } from './matcher.js';
import { METRICS_TYPE, metricsText } from './metrics-text.js';
import type { RateName, Rates } from './rates.js';
import { principalKey, rateHeaders } from './rates.js';

/** A body that is complete and right this soon needs no preflight: the operation checks the same. */
const QUICK_BODY_MS = 30;

const keyForm = /^[\x21-\x7e]{1,160}$/;
const identifierForm = /^[a-zA-Z0-9_.:@/-]{1,160}$/;

const metricsOperation = operationNamed('ledger.metrics');
const statusOperation = operationNamed('request.status');

export interface PipelineParts {
  readonly authenticate: Authenticate;
  readonly rates: Rates;
  readonly counts: Pick<HttpCounts, 'count'>;
  readonly bus: Bus;
  readonly minter: CallerMinter;
  readonly origin: string;
  /** How long a service may take, milliseconds. */
  readonly timeoutMs: number;
  /** Which confirmations want a fresh login. */
  readonly stepUp: readonly StepUpRule[];
}

export interface Pipeline {
  /** Everything below `/v2`, in the order of contract §6.1. */
  readonly serve: Handler;
  /** The steps before the route: rates, authentication, CSRF. `own` is the caller's own bucket. */
  admit(call: Call, own: RateName): Promise<Authenticated>;
  take(call: Call, bucket: RateName, key?: string): Promise<void>;
  /** What tells a service who calls. */
  callerToken(caller: Authenticated): Promise<string>;
  ask(call: Call, caller: Authenticated, operation: Operation, given: Given): Promise<BusReply>;
  /** Asks a service for something beside the operations. */
  forward(
    call: Call,
    caller: Authenticated,
    subject: `countersign.${string}`,
    given: Given,
  ): Promise<BusReply>;
}

interface Given {
  readonly params?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly body?: string;
}

export function createPipeline(parts: PipelineParts): Pipeline {
  const { authenticate, rates, counts, bus, minter, origin, timeoutMs, stepUp } = parts;
  const match = compileMatcher(OPERATIONS.filter(({ path }) => path.startsWith('/v2/')));

  async function take({ response }: Call, bucket: RateName, key?: string): Promise<void> {
    const excess = await rates.take(bucket, key);
    if (excess === null) return;
    for (const [name, value] of Object.entries(rateHeaders(excess))) {
      response.setHeader(name, value);
    }
    throw new Refusal('rate_limited', { retryAfter: excess.seconds });
  }

  async function admit(call: Call, own: RateName): Promise<Authenticated> {
    const { request, response } = call;
    await take(call, 'authenticated');
    const caller = await authenticate(request);
    response.once('finish', () => counts.count(caller.tenant, response.statusCode));
    if (caller.session) {
      const { method = '', headers } = request;
      const proof = { method, origin: headers.origin, token: headers['x-csrf-token'] };
      checkCsrf(proof, origin, caller.session.csrf);
    }
    await take(call, own, principalKey(caller.tenant, caller.principal));
    return caller;
  }

  function callerToken(caller: Authenticated): Promise<string> {
    const { tenant, principal, kind, credential } = caller;
    const session = caller.session !== null;
    return minter.mint({ id: principal, tenant, kind, credential, session });
  }

  async function headersOf(call: Call, caller: Authenticated, given: Given): Promise<BusHeaders> {
    const headers: BusHeaders = {
      caller: await callerToken(caller),
      traceparent: traceparentOf(call.trace),
      timeoutMs,
    };
    if (given.params !== undefined) headers.params = JSON.stringify(given.params);
    if (given.key !== undefined) headers.key = given.key;
    return headers;
  }

  const ask: Pipeline['ask'] = (call, caller, operation, given) =>
    forward(call, caller, busSubject(operation), given);

  async function forward(
    call: Call,
    caller: Authenticated,
    subject: `countersign.${string}`,
    given: Given,
  ): Promise<BusReply> {
    const headers = await headersOf(call, caller, given);
    return bus.call(subject, headers, given.body ?? '');
  }

  /** #29 is #28 in another form, made here; every other operation is a service's own. */
  async function reply(
    call: Call,
    caller: Authenticated,
    operation: Operation,
    given: Given,
  ): Promise<BusReply> {
    if (operation.name !== 'gateway.metrics-text') return ask(call, caller, operation, given);
    const { status, body } = await ask(call, caller, metricsOperation, given);
    const text = metricsText(JSON.parse(body) as MetricsSnapshot);
    return { status, body: text, headers: { 'content-type': METRICS_TYPE } };
  }

  /**
   * The canonical body. #3, #4 and #16 answer for key and quotas before it (contract §6.1 step 5):
   * unless the body is here at once and right, the service is asked first.
   */
  async function readGuarded(
    call: Call,
    caller: Authenticated,
    operation: Operation,
    given: Given,
  ): Promise<string> {
    const { request, response } = call;
    const { input } = operation;
    if (input === null) return '';
    const waits = request.headers.expect?.toLowerCase() === '100-continue';
    const begin = () => {
      if (waits) response.writeContinue();
    };
    const read = async () =>
      readInput(
        operation.preflight ? null : input,
        await readBody(request, operation.bodyLimit, begin),
      );
    if (!operation.preflight) return read();

    const preflight = async () => {
      const params = JSON.stringify({ ...given.params, operation: String(operation.number) });
      const headers = { ...(await headersOf(call, caller, given)), params };
      await bus.call(PREFLIGHT_SUBJECT, headers, '');
    };
    if (waits) {
      await preflight();
      return read();
    }
    const reading = read();
    if (!(await isQuick(reading))) await preflight();
    return reading;
  }

  /**
   * Before #11 on a route that wants it: a login as fresh and strong as configured. It comes before a stored answer,
   * as authentication does. Throws `fresh_login_required`, and `not_found` for a request that is not the caller's.
   */
  async function requireStrength(call: Call, caller: Authenticated, given: Given): Promise<void> {
    if (caller.session === null || !stepUp.some(({ tenant }) => tenant === caller.tenant)) return;
    const { body } = await ask(call, caller, statusOperation, given);
    const { request } = JSON.parse(body) as RequestStatus;
    const rule = ruleFor(stepUp, caller.tenant, request.route);
    if (rule === null || isProved(caller.session, rule)) return;
    call.response.setHeader('WWW-Authenticate', challenge(rule));
    throw new Refusal('fresh_login_required');
  }

  return {
    take,
    callerToken,
    admit,
    ask,
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
      // The key comes before a body that it can spare, and after any other (contract §6.1, §7 #10).
      const early = operation.preflight ? keyed() : null;
      const body = await readGuarded(call, caller, operation, early ?? { params });
      const given = early ?? keyed();
      if (operation.name === 'review.confirm') await requireStrength(call, caller, { params });
      answer(call, operation, await reply(call, caller, operation, { ...given, body }));
    },
  };
}

function readParameters({ operation, parameters }: Match, query: string): Record<string, string> {
  const params: Record<string, string> = {};
  const [id] = parameters;
  if (id !== undefined) params['id'] = readId(operation, id);
  if (operation.query.length > 0) {
    for (const [name, value] of Object.entries(readQuery(operation, new URLSearchParams(query)))) {
      params[name] = String(value);
    }
  }
  return params;
}

/** What cannot name a request is for the service to find missing; other names must be names. */
function readId(operation: Operation, sent: string): string {
  let id: string;
  try {
    id = decodeURIComponent(sent);
  } catch {
    id = sent;
  }
  if (operation.idOf !== 'request' && !identifierForm.test(id)) {
    throw new Refusal('invalid_path_parameter');
  }
  return id;
}

function readKey(header: string | readonly string[] | undefined): string {
  if (typeof header !== 'string' || !keyForm.test(header)) {
    throw new Refusal('idempotency_key_required');
  }
  return header;
}

/** Whether the body is complete and right within a moment. */
async function isQuick(reading: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const moment = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), QUICK_BODY_MS);
  });
  try {
    return await Promise.race([
      reading.then(
        () => true,
        () => false,
      ),
      moment,
    ]);
  } finally {
    clearTimeout(timer);
  }
}

/** A service's answer goes out as it is; a client that has it already is told so (R31). */
function answer(call: Call, operation: Operation, reply: BusReply): void {
  const { request, response } = call;
  const { status, body } = reply;
  let type = 'application/json';
  for (const [name, value] of Object.entries(reply.headers ?? {})) {
    if (name.toLowerCase() === 'content-type') type = value;
    else response.setHeader(name, value);
  }
  if (operation.etag && status === 200) {
    const tag = `"${textDigest(body).slice('sha256:'.length)}"`;
    response.setHeader('ETag', tag);
    if (isKnown(request.headers['if-none-match'], tag)) {
      response.statusCode = 304;
      response.end();
      return;
    }
  }
  response.statusCode = status;
  send(call, type, body);
}

/** Weak comparison, as If-None-Match wants it (RFC 9110 §13.1.2). */
export function isKnown(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  const strong = (text: string) => text.trim().replace(/^W\//, '');
  return header.trim() === '*' || header.split(',').some((one) => strong(one) === strong(tag));
}
