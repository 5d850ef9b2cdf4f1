import { Ajv2020 } from 'ajv/dist/2020.js';
import { ERRORS, SENT_CODES } from '../errors.js';
import type { ErrorCode } from '../errors.js';
import { EXTENSION_OPERATIONS, OPERATIONS } from '../operations.js';
import { EXAMPLES } from '../records/examples.js';
import { APPROVAL_RECORD_NAMES, RECORD_NAMES, validate } from '../records/index.js';
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
    ];
    const sent = new Set(
      [...OPERATIONS, ...EXTENSION_OPERATIONS].flatMap((operation) =>
        declaredErrors(operation).flatMap((status) => refusalCodes(operation, status)),
      ),
    );
    expect(SENT_CODES.filter((code) => !sent.has(code)).sort()).toEqual([...elsewhere].sort());
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

  it('are all records but second names, those of the extensions and those of approvals', () => {
    const second = ['AgentUiProposeParams', 'AgentUiTeardownParams', 'Evidence', 'EvidenceLog'];
    const others = [...second, ...APPROVAL_RECORD_NAMES];
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

describe('the description of the extensions', () => {
  const extensions = JSON.parse(
    JSON.stringify(openApiExtensions('https://review.example')),
  ) as Document;

  it('has no operation of the interface, and its own schemas', () => {
    const paths = EXTENSION_OPERATIONS.map(({ path }) => path);
    expect(Object.keys(extensions.paths)).toEqual(paths);
    for (const path of paths) expect(document.paths).not.toHaveProperty([path]);
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: false });
    ajv.addKeyword('components');
    ajv.addSchema({ $id: 'extensions', components: extensions.components });
    const check = ajv.compile({ $ref: 'extensions#/components/schemas/Evidence' });
    expect([check(EXAMPLES.Evidence), check.errors]).toEqual([true, null]);
    expect(check({ ...EXAMPLES.Evidence, log: undefined })).toBe(false);
  });
});
