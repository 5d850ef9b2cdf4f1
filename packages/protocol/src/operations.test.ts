import type { Refusal } from './errors.js';
import {
  OPERATIONS,
  busSubject,
  callerKindRefusal,
  operationNamed,
  readQuery,
} from './operations.js';
import type { CallerKind, Operation, OperationName } from './operations.js';

/** Protocol §7: method path | security | key | body | success | answer; then the service. */
const table = `
1 GET /.well-known/proto none - - 200 Discovery gateway
2 GET /.well-known/proto-trust none - - 200 TrustManifest gateway
3 POST /v2/bundles either key BundleRegistration 201 ReviewBundle request
4 POST /v2/requests either key RequestInput 201 RequestStatus request
5 GET /v2/requests either - - 200 RequestList request
6 GET /v2/requests/{id} either - - 200 RequestStatus request
7 GET /v2/requests/{id}/material either - - 200 Material request
8 GET /v2/requests/{id}/app human - - 200 StoredApp request
9 POST /v2/requests/{id}/assignment human key EmptyInput 200 Assignment review
10 POST /v2/requests/{id}/candidates human key DecisionProposal 201 DecisionCandidate review
11 POST /v2/requests/{id}/confirm human key Confirmation 200 SignedRecord review
12 POST /v2/requests/{id}/cancel either key EmptyInput 200 RequestStatus request
13 POST /v2/requests/{id}/revoke either key EmptyInput 200 RequestStatus request
14 POST /v2/requests/{id}/remind either key EmptyInput 200 ReminderResult notifier
15 POST /v2/requests/{id}/discard either key EmptyInput 200 RequestStatus request
16 POST /v2/requests/{id}/supersede either key RequestInput 201 RequestStatus request
17 POST /v2/requests/{id}/claims either key ClaimInput 201 SignedRecord execution-authority
18 POST /v2/requests/{id}/admission either - AdmissionInput 200 SignedRecord execution-authority
19 POST /v2/requests/{id}/outcomes either key ExecutionOutcome 200 SignedRecord execution-authority
20 POST /v2/requests/{id}/reconcile either key ExecutionOutcome 200 SignedRecord execution-authority
21 GET /v2/requests/{id}/export either - - 200 AuditExport ledger
22 GET /v2/events either - - 200 EventPage ledger
23 GET /v2/hitl/{id} either - - 200,202 HitlStatus request
24 GET /v2/hitl/{id}/poll either - - 200 HitlPoll request
25 PUT /v2/admin/principals/{id} either - PrincipalInput 200 PrincipalResult request
26 PUT /v2/admin/routes/{id} either - RouteInput 200 RouteResult request
27 GET /v2/admin/ledger either - - 200 LedgerPage ledger
28 GET /v2/admin/metrics either - - 200 MetricsSnapshot ledger
29 GET /v2/admin/metrics.prom bearer - - 200 text gateway`;

const rows = table.trim().split('\n');
const KiB = 1024;

describe('the operations', () => {
  it('are 29 in the order of their numbers', () => {
    expect(OPERATIONS.map(({ number }) => number)).toEqual(rows.map((_, index) => index + 1));
  });

  test.each(rows)('agree with the interface: %s', (row) => {
    const operation = OPERATIONS[Number.parseInt(row, 10) - 1] as Operation;
    const { number, method, path, security, key, input, success, output, service } = operation;
    expect(
      [
        number,
        method,
        path,
        security,
        key ? 'key' : '-',
        input ?? '-',
        success.join(),
        output ?? 'text',
        service,
      ].join(' '),
    ).toBe(row);
  });

  test.each(OPERATIONS)('$name derives from its row', (operation) => {
    expect(operation.name.startsWith(`${operation.service}.`)).toBe(true);
    expect(busSubject(operation)).toMatch(/^countersign(\.[a-z-]+){2}$/);
    expect(operationNamed(operation.name)).toBe(operation);
    expect(operation.parameters).toEqual(
      [...operation.path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]),
    );
    expect(operation.idOf === null).toBe(operation.parameters.length === 0);
    expect(operation.bodyLimit > 0).toBe(operation.input !== null);
    expect(operation.largeBody).toBe(operation.bodyLimit > 64 * KiB);
    // Its service judges the record of such a body itself.
    if (operation.preflight) expect(operation.largeBody).toBe(true);
    expect(operation.input !== null).toBe(operation.method !== 'GET');
  });

  it('have distinct names', () => {
    expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(29);
  });

  it('limit bodies as protocol §9.3 says', () => {
    const numbersWith = (bytes: number): number[] =>
      OPERATIONS.filter(({ bodyLimit }) => bodyLimit === bytes).map(({ number }) => number);
    expect(numbersWith(22 * KiB * KiB)).toEqual([3, 4, 16]);
    expect(numbersWith(2 * KiB * KiB)).toEqual([10]);
    expect(numbersWith(KiB * KiB)).toEqual([19, 20]);
    expect(numbersWith(64 * KiB)).toEqual([9, 11, 12, 13, 14, 15, 17, 18, 25, 26]);
  });

  it('have a preflight where a body may not delay the answer', () => {
    const preflight = OPERATIONS.filter((operation) => operation.preflight);
    expect(preflight.map(({ number }) => number)).toEqual([3, 4, 16]);
  });

  it('know the kind of an id', () => {
    expect(operationNamed('request.configure-principal').idOf).toBe('principal');
    expect(operationNamed('request.configure-route').idOf).toBe('route');
    expect(operationNamed('request.hitl').idOf).toBe('request');
  });
});

describe('the refusal that a caller kind decides', () => {
  const kinds: CallerKind[] = ['producer', 'publisher', 'operator', 'human'];
  const expected: [numbers: number[], refusals: (string | null)[]][] = [
    [
      [1, 2],
      [null, null, null, null],
    ],
    [[3], ['publisher_required', null, 'publisher_required', null]],
    [
      [4, 16, 22],
      [null, 'producer_required', 'producer_required', null],
    ],
    [
      [5, 12, 13, 14, 15],
      [null, 'forbidden', null, null],
    ],
    [
      [6, 7, 21, 23, 24],
      [null, 'not_found', null, null],
    ],
    [
      [8, 9, 10, 11],
      ['human_required', 'human_required', 'human_required', null],
    ],
    [
      [17, 18, 19],
      [null, 'forbidden', 'forbidden', null],
    ],
    [
      [20, 25, 26, 27, 28],
      ['operator_required', 'operator_required', null, null],
    ],
    [[29], ['operator_required', 'operator_required', null, 'operator_required']],
  ];
  const cases = expected.flatMap(([numbers, refusals]) =>
    numbers.flatMap((number) =>
      kinds.map((kind, index) => ({ number, kind, refusal: refusals[index] })),
    ),
  );

  it('covers all operations', () => {
    expect(cases).toHaveLength(29 * 4);
  });

  test.each(cases)('#$number by a $kind: $refusal', ({ number, kind, refusal }) => {
    expect(callerKindRefusal(OPERATIONS[number - 1] as Operation, { kind })).toBe(refusal);
  });

  const powers: [OperationName, 'operator' | 'publisher', string][] = [
    ['request.register-bundle', 'publisher', 'publisher_required'],
    ['execution-authority.reconcile', 'operator', 'operator_required'],
    ['ledger.metrics', 'operator', 'operator_required'],
  ];
  test.each(powers)('%s needs a human with the power %s', (name, power, refusal) => {
    const operation = operationNamed(name);
    expect(callerKindRefusal(operation, { kind: 'human', [power]: false })).toBe(refusal);
    expect(callerKindRefusal(operation, { kind: 'human', [power]: true })).toBeNull();
  });

  it('lets no session read the metrics text, with any power', () => {
    const operation = operationNamed('gateway.metrics-text');
    expect(callerKindRefusal(operation, { kind: 'human', operator: true })).toBe(
      'operator_required',
    );
  });
});

describe('query parameters', () => {
  const codeOf = (name: OperationName, query: string): string | null => {
    try {
      readQuery(operationNamed(name), new URLSearchParams(query));
      return null;
    } catch (error) {
      return (error as Refusal).code;
    }
  };

  it('are read with their defaults', () => {
    const list = operationNamed('request.list');
    expect(readQuery(list, new URLSearchParams())).toEqual({ offset: 0 });
    expect(readQuery(list, new URLSearchParams('offset=100000&state=expired'))).toEqual({
      offset: 100000,
      state: 'expired',
    });
    const events = operationNamed('ledger.events');
    expect(readQuery(events, new URLSearchParams('after=99999999'))).toEqual({ after: 99999999 });
  });

  it('take an empty state for no filter', () => {
    const query = readQuery(operationNamed('request.list'), new URLSearchParams('state='));
    expect(query).toEqual({ offset: 0 });
  });

  test.each([
    'offset=',
    'offset=-1',
    'offset=100001',
    'offset=1e3',
    'offset=000000001',
    'offset=1&offset=2',
  ])('refuse %s', (query) => {
    expect(codeOf('request.list', query)).toBe('invalid_offset');
  });

  test.each(['after=', 'after=100000000', 'after=+1', 'after=%D9%A1'])('refuse %s', (query) => {
    expect(codeOf('ledger.entries', query)).toBe('invalid_offset');
  });

  test.each(['state=open', 'state=Pending', 'state=pending&state=pending'])(
    'refuse %s',
    (query) => {
      expect(codeOf('request.list', query)).toBe('invalid_state');
    },
  );

  it('are ignored where an operation has none of that name', () => {
    expect(codeOf('request.status', 'offset=x&state=y')).toBeNull();
  });
});
