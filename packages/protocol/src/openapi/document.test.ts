import { Ajv2020 } from 'ajv/dist/2020.js';
import { APPROVAL_CODES, ERRORS, HOLD_CODES, KEY_CODES, SENT_CODES } from '../errors.js';
import type { ErrorCode } from '../errors.js';
import { EXTENSION_PROFILES, HOLD_CAPABILITY, KEY_PROFILE } from '../constants.js';
import {
  ALL_OPERATIONS,
  APPROVAL_OPERATIONS,
  KEY_OPERATIONS,
  EXTENSION_OPERATIONS,
  HOLD_OPERATIONS,
  OPERATIONS,
} from '../operations.js';
import type { Operation } from '../operations.js';
import { EXAMPLES } from '../records/examples.js';
import {
  APPROVAL_RECORD_NAMES,
  HOLD_RECORD_NAMES,
  KEY_RECORD_NAMES,
  RECORD_NAMES,
  validate,
} from '../records/index.js';
import type { RecordName } from '../records/index.js';
import { DECLARED_ERRORS, declaredErrors, openApiDocument, openApiExtensions } from './document.js';
import { refusalCodes } from './refusals.js';

interface Described {
  operationId: string;
  security: Record<string, string[]>[];
  parameters: { name: string; in: string; required: boolean }[];
  requestBody?: { content: Record<string, { schema: { $ref: string }; example: unknown }> };
  responses: Record<
    string,
    { $ref?: string; content?: Record<string, { schema?: object; example?: unknown }> }
  >;
}
interface Document {
  openapi: string;
  servers: { url: string }[];
  'x-countersign-retry': Record<string, string>;
  paths: Record<string, Record<string, Described>>;
  components: {
    schemas: Record<string, object>;
    securitySchemes: Record<string, object>;
  };
}

const document = JSON.parse(JSON.stringify(openApiDocument('https://review.example'))) as Document;
const text = JSON.stringify(document);
const describedAs = (number: number): Described => {
  const operation = OPERATIONS[number - 1];
  return document.paths[operation?.path ?? '']?.[
    operation?.method.toLowerCase() ?? ''
  ] as Described;
};
const names = (described: Described, place: string, required?: boolean): string[] =>
  described.parameters
    .filter((each) => each.in === place && (required === undefined || each.required === required))
    .map(({ name }) => name);

describe('the API description', () => {
  it('describes the 29 operations at the given origin', () => {
    expect(document.openapi).toBe('3.1.0');
    expect(document.servers).toEqual([{ url: 'https://review.example' }]);
    const ids = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect([...ids].sort()).toEqual(OPERATIONS.map(({ name }) => name).sort());
  });

  it('refers only to components that exist', () => {
    const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(300);
    expect(references.length).toBe([...text.matchAll(/"\$ref"/g)].length);
    for (const [, kind, name] of references) {
      expect(document.components[kind as 'schemas']).toHaveProperty(name as string);
    }
  });

  test.each(OPERATIONS)('#$number has the parameters of the interface', (operation) => {
    const described = describedAs(operation.number);
    expect(names(described, 'path', true)).toEqual(operation.parameters);
    expect(names(described, 'query', false)).toEqual(operation.query.map(({ name }) => name));
    expect(names(described, 'header', true)).toEqual([
      ...(operation.key ? ['Idempotency-Key'] : []),
      ...([9, 10, 11].includes(operation.number) ? ['X-CSRF-Token', 'Origin'] : []),
    ]);
  });

  test.each(OPERATIONS)('#$number declares its answers and refusals', (operation) => {
    const { responses } = describedAs(operation.number);
    const errors = operation.number === 29 ? [401, 403] : Object.keys(DECLARED_ERRORS).map(Number);
    expect(declaredErrors(operation)).toEqual(errors);
    const unchanged = [23, 24].includes(operation.number) ? [304] : [];
    expect(Object.keys(responses).map(Number)).toEqual([
      ...operation.success,
      ...unchanged,
      ...errors,
    ]);
  });

  it('asks for the credentials of the interface', () => {
    const either = [{ producerBearer: [] }, { humanSession: [] }];
    expect(describedAs(1).security).toEqual([]);
    expect(describedAs(4).security).toEqual(either);
    expect(describedAs(8).security).toEqual([{ humanSession: [] }]);
    expect(describedAs(11).security).toEqual([{ humanSession: [] }]);
    expect(describedAs(29).security).toEqual([{ producerBearer: [] }]);
    expect(Object.keys(document.components.securitySchemes)).toEqual([
      'producerBearer',
      'humanSession',
    ]);
  });

  it('lists the codes of each refusal', () => {
    const refused = (number: number, status: number) =>
      describedAs(number).responses[status]?.content?.['application/problem+json']?.schema;
    expect(refused(6, 404)).toMatchObject({ properties: { error: { enum: ['not_found'] } } });
    expect(refused(12, 403)).toMatchObject({
      properties: {
        status: { const: 403 },
        error: { enum: ['csrf', 'forbidden', 'operator_required'] },
      },
    });
    expect(refused(1, 409)).toEqual({ not: {} });
    expect(text).not.toContain('invalid_bootstrap');
  });

  it('says of each code that is sent whether the call may be repeated', () => {
    const retries = document['x-countersign-retry'];
    expect(Object.keys(retries)).toEqual(SENT_CODES);
    for (const code of SENT_CODES)
      expect([code, retries[code]]).toEqual([code, ERRORS[code].retry]);
  });

  it('has an operation for each code that is not of the login', () => {
    const elsewhere: ErrorCode[] = [
      ...([
        'invalid_login',
        'login_session_changed',
        'invalid_identity',
        'invalid_logout_token',
        'invalid_notifications',
      ] as const),
      'directory_identity_unavailable',
      // Of requests that select the profile: the description of the interface stays as it is.
      ...(['approval_required', 'quorum_unsatisfiable', 'acknowledgement_unresolved'] as const),
      ...(['legal_hold'] as const),
    ];
    const sent = new Set(
      ALL_OPERATIONS.flatMap((operation) =>
        declaredErrors(operation).flatMap((status) => refusalCodes(operation, status)),
      ),
    );
    const codes = new Set([...SENT_CODES, ...APPROVAL_CODES, ...KEY_CODES, ...HOLD_CODES]);
    expect([...codes].filter((code) => !sent.has(code)).sort()).toEqual([...elsewhere].sort());
  });

  it('shows valid examples', () => {
    const examples = [...OPERATIONS].flatMap(({ number, input, output }) => {
      const { requestBody, responses } = describedAs(number);
      const shown: [RecordName | null, unknown][] = [
        [input, requestBody?.content['application/json']?.example],
        [output, Object.values(responses)[0]?.content?.['application/json']?.example],
      ];
      return shown.filter(([name]) => name !== null) as [RecordName, unknown][];
    });
    expect(examples).toHaveLength(44);
    for (const [name, example] of examples)
      expect([name, validate(name, example)]).toEqual([name, true]);
  });
});

describe('the component schemas', () => {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
  ajv.addKeyword('components');
  ajv.addSchema({ $id: 'document', components: document.components });

  const own = Object.keys(document.components.schemas) as RecordName[];

  it('are all records but second names, those of the extensions, of approvals, of keys and of holds', () => {
    const second = ['AgentUiProposeParams', 'AgentUiTeardownParams', 'Evidence', 'EvidenceLog'];
    const others = [...second, ...APPROVAL_RECORD_NAMES, ...KEY_RECORD_NAMES, ...HOLD_RECORD_NAMES];
    expect(own).toEqual(RECORD_NAMES.filter((name) => !others.includes(name)));
  });

  test.each(own)('%s accepts its example', (name) => {
    const check = ajv.compile({ $ref: `document#/components/schemas/${name}` });
    expect([check(EXAMPLES[name]), check.errors]).toEqual([true, null]);
    expect(check(undefined)).toBe(false);
  });

  it('show the rules that are checked apart from the shape', () => {
    const route = ajv.compile({ $ref: 'document#/components/schemas/RouteInput' });
    const limits = { ...EXAMPLES.RouteLimits, grant_seconds: 0 };
    expect(route({ ...EXAMPLES.RouteInput, limits })).toBe(false);
    const principal = ajv.compile({ $ref: 'document#/components/schemas/PrincipalInput' });
    expect(principal({ ...EXAMPLES.PrincipalInput, token: 'short' })).toBe(false);
  });
});

describe.each<[string, Record<string, string>, readonly Operation[]]>([
  ['of a deployment without capabilities', {}, EXTENSION_OPERATIONS],
  [
    'of a deployment with approvals',
    EXTENSION_PROFILES,
    [...EXTENSION_OPERATIONS, ...APPROVAL_OPERATIONS],
  ],
  [
    'of a deployment with keys of people',
    { ...EXTENSION_PROFILES, ...KEY_PROFILE },
    [...EXTENSION_OPERATIONS, ...APPROVAL_OPERATIONS, ...KEY_OPERATIONS],
  ],
  [
    'of a deployment with legal holds',
    { ...EXTENSION_PROFILES, ...HOLD_CAPABILITY },
    [...EXTENSION_OPERATIONS, ...APPROVAL_OPERATIONS, ...HOLD_OPERATIONS],
  ],
])('the description of the extensions, %s,', (_, offered, operations) => {
  const extensions = JSON.parse(
    JSON.stringify(openApiExtensions('https://review.example', offered)),
  ) as Document;

  it('has no operation of the interface', () => {
    const described = Object.entries(extensions.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const paths = operations.map(({ method, path }) => `${method.toLowerCase()} ${path}`);
    expect(described.sort()).toEqual(paths.sort());
    for (const { path } of operations) expect(document.paths).not.toHaveProperty([path]);
  });

  it('has schemas that accept the examples of its records, and all codes of its refusals', () => {
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
    ajv.addKeyword('components');
    ajv.addSchema({ $id: 'extensions', components: extensions.components });
    const compiled = (name: string) =>
      ajv.compile({ $ref: `extensions#/components/schemas/${name}` });
    for (const { input, output } of operations) {
      for (const name of [input, output].filter((one) => one !== null)) {
        const check = compiled(name);
        expect([name, check(EXAMPLES[name]), check.errors]).toEqual([name, true, null]);
        expect(check({ ...(EXAMPLES[name] as object), more: 1 })).toBe(false);
      }
    }
    const problem = compiled('ProblemDocument');
    const codes = operations
      .flatMap((operation) =>
        declaredErrors(operation).flatMap((status) => refusalCodes(operation, status)),
      )
      // Signatures of votes are refused only where there are keys.
      .filter(
        (code) =>
          Object.hasOwn(offered, 'proto.human-key') ||
          HOLD_CODES.includes(code as never) ||
          !KEY_CODES.includes(code as never),
      );
    for (const error of codes) expect(problem({ ...EXAMPLES.ProblemDocument, error })).toBe(true);
  });
});

it('a deployment without capabilities describes nothing of approvals', () => {
  const text = JSON.stringify(openApiExtensions('https://review.example', {}));
  for (const word of [...APPROVAL_RECORD_NAMES, ...APPROVAL_CODES])
    expect(text).not.toContain(word);
});

it('a deployment without legal holds describes nothing of them', () => {
  const text = JSON.stringify(
    openApiExtensions('https://review.example', { ...EXTENSION_PROFILES, ...KEY_PROFILE }),
  );
  const codes = HOLD_CODES.filter((code) => !KEY_CODES.includes(code as never));
  for (const word of [...HOLD_RECORD_NAMES, ...codes]) expect(text).not.toContain(word);
});

it('a deployment with approvals alone describes nothing of the keys of people', () => {
  const text = JSON.stringify(openApiExtensions('https://review.example', EXTENSION_PROFILES));
  for (const word of [...KEY_RECORD_NAMES, ...KEY_CODES]) expect(text).not.toContain(word);
});
