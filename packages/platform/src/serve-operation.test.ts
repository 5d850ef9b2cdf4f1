import { jsonText } from '@countersign/protocol';
import type { OperationName, PreflightedName } from '@countersign/protocol';
import { answer, storedReply } from './answer.js';
import type { Bus, BusHandler, BusHeaders, BusRequest } from './bus/types.js';
import type { Caller } from './caller.js';
import type { OperationCall, OperationHead } from './operation-call.js';
import { serveAdmin, serveOperations, servePreflights } from './serve-operation.js';
import type { AdminHandlers, OperationHandler, OperationHandlers } from './serve-operation.js';

const id = '0198c1de-0000-7000-8000-000000000001';
const caller: Caller = {
  id: 'bot',
  tenant: 'acme',
  kind: 'producer',
  credential: null,
  session: false,
};

/** The handlers on the bus, and a call to them. */
function setup(known: Caller | null = caller) {
  const served = new Map<string, BusHandler>();
  const bus = {
    serve: async (subject: string, _queue: string, handler: BusHandler) => {
      served.set(subject, handler);
    },
  } as unknown as Bus;
  const verifier = {
    verify: async ({ large }: BusRequest) => ({ caller: known, large }),
  };
  async function call(subject: string, headers: Partial<BusHeaders>, body = '') {
    const handler = served.get(`countersign.${subject}`) as BusHandler;
    const request = { subject, body, large: null, headers: { timeoutMs: 1, ...headers } };
    return handler(request as unknown as BusRequest).then(
      (reply) => reply.body,
      ({ code }: { code: string }) => code,
    );
  }
  return { runtime: { bus, verifier }, served, call };
}

async function show<Name extends OperationName>(call: OperationCall<Name>) {
  const { id, key, scope, query, input, body } = call;
  return storedReply({ status: 200, body: JSON.stringify({ id, key, scope, query, input, body }) });
}

const ledger: OperationHandlers<'ledger'> = {
  'ledger.export': show,
  'ledger.evidence': show,
  'ledger.events': show,
  'ledger.entries': show,
  'ledger.metrics': show,
  'ledger.held-export': show,
};
const notifier: OperationHandlers<'notifier'> = { 'notifier.remind': show };
const params = (of: object) => ({ params: JSON.stringify(of) });

describe('an operation', () => {
  it('gets id, key, scope and input from its row', async () => {
    const { runtime, call } = setup();
    await serveOperations(runtime, 'notifier', notifier);
    const given = await call('notifier.remind', { ...params({ id }), key: 'k' }, '{}');
    expect(JSON.parse(given)).toEqual({
      ...{ id, key: 'k', scope: `notifier.remind:${id}` },
      ...{ query: {}, input: {}, body: '{}' },
    });
  });

  it('gets its query parameters as they are to be read', async () => {
    const { runtime, call } = setup();
    await serveOperations(runtime, 'ledger', ledger);
    const given = await call('ledger.events', params({ after: '7' }));
    expect(JSON.parse(given)).toMatchObject({
      ...{ id: null, key: null, scope: 'ledger.events', input: null },
      query: { after: 7 },
    });
    expect(await call('ledger.events', params({ after: '-7' }))).toBe('invalid_offset');
  });

  it.each([undefined, 'x', id.toUpperCase(), `${id} `])('is not asked about %s', async (other) => {
    const { runtime, call } = setup();
    await serveOperations(runtime, 'ledger', ledger);
    expect(await call('ledger.export', params({ id: other }))).toBe('not_found');
  });

  it('refuses an unknown caller, and a call without the key that it takes', async () => {
    const known = setup();
    await serveOperations(known.runtime, 'notifier', notifier);
    expect(await known.call('notifier.remind', params({ id }), '{}')).toBe(
      'idempotency_key_required',
    );
    const unknown = setup(null);
    await serveOperations(unknown.runtime, 'notifier', notifier);
    expect(await unknown.call('notifier.remind', { ...params({ id }), key: 'k' }, '{}')).toBe(
      'unauthenticated',
    );
  });
});

describe('a preflight', () => {
  it('is of the operation that the gateway names', async () => {
    const { runtime, call } = setup();
    const asked: unknown[] = [];
    const note = async ({ id, scope }: OperationHead<PreflightedName>) =>
      void asked.push([id, scope]);
    await servePreflights(runtime, {
      'request.register-bundle': note,
      'request.create': note,
      'request.supersede': note,
    });
    const ask = (operation: string) =>
      call('request.preflight', { ...params({ id, operation }), key: 'k' });
    expect(await ask('16')).toBe('{}');
    expect(asked).toEqual([[id, `request.supersede:${id}`]]);
    expect([await ask('12'), await ask('99')]).toEqual(['not_found', 'not_found']);
  });
});

it('reads the input of messages beside the operations', async () => {
  const { runtime, call } = setup();
  const row = { name: 'ledger.x', query: ['id'], input: 'EmptyInput' } as const;
  const handlers: AdminHandlers<typeof row> = {
    'ledger.x': async ({ params, input }) => answer(200, jsonText({ params, input })),
  };
  await serveAdmin(runtime, 'ledger', [row], handlers);
  expect(await call('ledger.x', params({ id: 'a' }), '{}')).toBe(
    '{"params":{"id":"a"},"input":{}}',
  );
});

it('compiles only with every operation, and with answers of its row', () => {
  // @ts-expect-error: `ledger.metrics` is missing.
  const some: OperationHandlers<'ledger'> = {
    'ledger.export': show,
    'ledger.evidence': show,
    'ledger.events': show,
    'ledger.entries': show,
  };
  type Remind = OperationHandler<'notifier.remind'>;
  const reminded = jsonText({ request_id: id, notification: 'queued' as const });
  const good: Remind = async () => answer(200, reminded);
  // @ts-expect-error: another record.
  const other: Remind = async () => answer(200, jsonText({ id }));
  // @ts-expect-error: another status.
  const created: Remind = async () => answer(201, reminded);
  // @ts-expect-error: a text of which nothing is known.
  const unknown: Remind = async () => answer(200, '{}');
  // @ts-expect-error: the operation takes no query parameters.
  const after: Remind = async ({ query }) => answer(query.after, reminded);
  expect([some, good, other, created, unknown, after]).toHaveLength(6);
});
