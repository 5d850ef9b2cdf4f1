import { EXAMPLES, Refusal, canonicalText } from '@countersign/protocol';
import type { ErrorCode } from '@countersign/protocol';
import { faultOf, inputFault } from './openapi.js';
import type { Exchange } from './openapi.js';

const id = '0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
const bytes = (text: string) => new TextEncoder().encode(text);

function answered(given: {
  method?: string;
  path?: string;
  status?: number;
  type?: string | null;
  headers?: Record<string, string>;
  body: unknown;
}): Exchange {
  const { method = 'GET', path = `/v2/requests/${id}`, status = 200, headers, body } = given;
  const type = given.type === undefined ? 'application/json' : given.type;
  return {
    method,
    path,
    status,
    headers: new Headers({ ...(type === null ? {} : { 'content-type': type }), ...headers }),
    body: body instanceof Uint8Array ? body : bytes(typeof body === 'string' ? body : text(body)),
  };
}

/** Signed records in their own bytes, as services answer. */
const text = (value: unknown) => canonicalText(value);

function refused(code: ErrorCode, given: Partial<Parameters<typeof answered>[0]> = {}): Exchange {
  const problem = new Refusal(code).toProblem('https://review.example', 'trace');
  const body = { ...problem, ...(given.body as object | undefined) };
  return answered({ type: 'application/problem+json', status: problem.status, ...given, body });
}

const status = EXAMPLES.RequestStatus;
const POLL = `/v2/hitl/${id}/poll`;
const METRICS = { path: '/v2/admin/metrics.prom', headers: { 'retry-after': '1' } };
const etag = { etag: `"${'a'.repeat(64)}"` };

describe('the published description allows', () => {
  test.each<[string, Exchange]>([
    ['the answer of an operation', answered({ body: status })],
    ['what a query asks for', answered({ path: '/v2/events?after=3', body: EXAMPLES.EventPage })],
    [
      'the other success of a handover',
      answered({
        path: `/v2/hitl/${id}`,
        status: 202,
        headers: { 'retry-after': '30' },
        body: EXAMPLES.HumanInputRequired,
      }),
    ],
    [
      'an answer that the caller has already',
      answered({ path: `/v2/hitl/${id}/poll`, status: 304, type: null, body: '' }),
    ],
    ['a refusal of the operation', refused('not_found')],
    [
      'text with its version',
      answered({
        path: '/v2/admin/metrics.prom',
        type: 'text/plain; version=0.0.4; charset=utf-8',
        body: '# nothing\n',
      }),
    ],
    ['a refusal of what is no operation', refused('not_found', { path: '/v2/nothing' })],
    [
      'pages of their own kind',
      answered({ path: '/docs', type: 'text/html; charset=utf-8', body: '' }),
    ],
  ])('%s', (_, exchange) => {
    expect(faultOf(exchange)).toBeNull();
  });
});

describe('the published description forbids', () => {
  const claims = { method: 'POST', path: `/v2/requests/${id}/claims` };
  const { receipt, ...rest } = status;
  test.each<[string, Exchange]>([
    ['a status that is not declared', answered({ status: 500, body: status })],
    ['a success that is another operation’s', answered({ status: 201, body: status })],
    ['a refusal that gateway.metrics-text does not declare', refused('rate_limited', METRICS)],
    ['a code of another operation', refused('request_not_pending')],
    ['a code under another status', refused('not_found', { status: 409 })],
    ['a body that tells of another status', refused('not_found', { body: { status: 410 } })],
    ['a type that leads to another code', refused('not_found', { body: { type: '/errors/x' } })],
    ['a refusal without the members of a problem', refused('not_found', { body: { title: '' } })],
    ['a refusal with more members', refused('not_found', { body: { stack: 'at' } })],
    ['plain JSON for a refusal', refused('not_found', { type: 'application/json' })],
    [
      'an excess without Retry-After',
      refused('rate_limited', { status: 429, path: '/v2/requests' }),
    ],
    ['another content type', answered({ type: 'application/json; charset=utf-8', body: status })],
    ['a missing content type', answered({ type: null, body: status })],
    ['a missing member', answered({ body: rest })],
    ['an unknown member', answered({ body: { ...status, more: 1 } })],
    [
      'a time of another form',
      answered({
        body: {
          ...status,
          request: { ...status.request, accepted_at: '2026-05-01T09:00:00Z' },
        },
      }),
    ],
    ['a body where none is declared', answered({ path: POLL, status: 304, body: '{}' })],
    ['an answer without the ETag that it needs', answered({ path: POLL, body: EXAMPLES.HitlPoll })],
    ['a body that is no JSON', answered({ body: '{' })],
    ['a body that is not UTF-8', answered({ body: new Uint8Array([0x22, 0xff, 0x22]) })],
    [
      'a signed record in other bytes',
      answered({ ...claims, status: 201, body: JSON.stringify(receipt, null, 1) }),
    ],
    ['a signed record in other bytes inside', answered({ body: JSON.stringify(status, null, 1) })],
    [
      'a ledger entry whose record is not canonical',
      answered({
        path: '/v2/admin/ledger',
        body: [{ ...EXAMPLES.LedgerPage[0], record: JSON.stringify(receipt, null, 1) }],
      }),
    ],
    ['success where nothing is described', answered({ path: '/v2/nothing', body: {} })],
    ['a refusal of no kind', answered({ path: '/v2/nothing', status: 404, body: {} })],
    ['statuses that the interface does not know', answered({ path: '/x', status: 500, body: {} })],
  ])('%s', (_, exchange) => {
    expect(faultOf(exchange)).not.toBeNull();
  });

  it('bodies that the schema of the operation refuses', () => {
    const { RequestInput } = EXAMPLES;
    expect(inputFault('POST', '/v2/requests', RequestInput)).toBeNull();
    expect(inputFault('POST', '/v2/requests', { ...RequestInput, summary: '' })).not.toBeNull();
    expect(inputFault('POST', `/v2/requests/${id}/cancel`, { a: 1 })).not.toBeNull();
  });

  it('nothing of an ETag when it is there', () => {
    const poll = { path: POLL, body: EXAMPLES.HitlPoll };
    expect(faultOf(answered({ ...poll, headers: etag }))).toBeNull();
    expect(faultOf(answered({ ...poll, headers: { etag: 'W/"x"' } }))).not.toBeNull();
  });
});
