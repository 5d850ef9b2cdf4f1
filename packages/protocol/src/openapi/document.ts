import { ERRORS, SENT_CODES } from '../errors.js';
import type { ErrorCode, ErrorStatus } from '../errors.js';
import { IDEMPOTENCY_KEY, IDENTIFIER, LONG_POLLS, PROTOCOL_REVISION } from '../constants.js';
import { CALLER_RULES, OPERATIONS, extensionsOf } from '../operations.js';
import type { Operation, QueryParameter } from '../operations.js';
import { EXAMPLES } from '../records/examples.js';
import type { RecordName } from '../records/index.js';
import { SERVICES } from '../services.js';
import { partsOf } from './capability-parts.js';
import { INTERFACE_SCHEMAS, extensionComponents, schemaReference } from './components.js';
import type { Schema } from './components.js';
import { refusalCodes } from './refusals.js';

/** The errors that every operation declares (protocol §6.2); `gateway.metrics-text` declares two of them. */
export const DECLARED_ERRORS: Readonly<Record<ErrorStatus, string>> = {
  400: 'Invalid or ambiguous input',
  401: 'Authentication required',
  403: 'Operation not permitted',
  404: 'Resource not found or inaccessible',
  409: 'State, ownership or idempotency conflict',
  410: 'Private material deleted',
  413: 'Uncompressed size limit exceeded',
  422: 'Unsupported purpose, profile or renderer',
  429: 'Captured quota exceeded',
  503: 'Required authority, storage or identity unavailable',
};
const statuses = Object.keys(DECLARED_ERRORS).map(Number) as ErrorStatus[];

/** The interface declares the same statuses everywhere; not every operation has a use for each. */
const UNUSED = 'This operation has no refusal with this status.';
const NEVER: Schema = { content: { 'application/problem+json': { schema: { not: {} } } } };

/** The error statuses that an operation declares (protocol §7). */
export function declaredErrors(operation: Operation): readonly ErrorStatus[] {
  return operation.security === 'bearer' ? [401, 403] : statuses;
}

/** Of draft-ietf-httpapi-ratelimit-headers-08; each as one item, for the one limit that was reached. */
const RATE_HEADERS: Schema = {
  'RateLimit-Policy': {
    description:
      'With rate_limited: the limit that was reached, q calls in w seconds, or q calls at the same time.',
    schema: {
      type: 'string',
      pattern: '^"[a-z_]+";q=\\d+;(w=\\d+|qu="concurrent-requests")$',
    },
    example: '"principal";q=1200;w=60',
  },
  RateLimit: {
    description: 'With rate_limited: none of that limit is left for t seconds.',
    schema: { type: 'string', pattern: '^"[a-z_]+";r=0;t=\\d+$' },
    example: '"principal";r=0;t=17',
  },
};

/** `known`: the codes of the deployment, whose capabilities add some to an operation of another one. */
function problemResponse(
  operation: Operation,
  status: ErrorStatus,
  known: readonly ErrorCode[],
): Schema {
  const codes = refusalCodes(operation, status).filter((code) => known.includes(code));
  if (codes.length === 0) return { description: `${DECLARED_ERRORS[status]}. ${UNUSED}`, ...NEVER };
  const list = codes.map((code) => `- \`${code}\`: ${ERRORS[code].title}`).join('\n');
  const asksToWait = (code: ErrorCode) =>
    code === 'evidence_incomplete' || code === 'attention_required';
  const waits = status === 429 || status === 503 || codes.some(asksToWait);
  return {
    description: `${DECLARED_ERRORS[status]}.\n\n${list}`,
    ...(waits && {
      headers: {
        'Retry-After': {
          description: 'Whole seconds to wait; always with rate_limited.',
          schema: { type: 'integer', minimum: 0 },
        },
        ...(codes.includes('rate_limited') && RATE_HEADERS),
      },
    }),
    content: {
      'application/problem+json': {
        schema: {
          ...schemaReference('ProblemDocument'),
          type: 'object',
          properties: { status: { const: status }, error: { enum: codes } },
        },
      },
    },
  };
}

function header(name: string, required: boolean, description: string, schema: Schema): Schema {
  return { name, in: 'header', required, description, schema };
}

const idempotencyKey = header(
  'Idempotency-Key',
  true,
  'One fresh key per intended effect; the same key and body get the same answer again.',
  { type: 'string', minLength: 1, maxLength: 160, pattern: IDEMPOTENCY_KEY.source },
);

const NEWS = {
  revision: ['the request has a revision above R (`wait=N; revision=R`)', 'wait=25; revision=2'],
  event: ['there is an event above `after`', 'wait=25'],
  etag: ['the answer differs from the one named by If-None-Match', 'wait=25'],
} as const;

/** RFC 7240; any other value has no effect. */
function preferHeader(waits: keyof typeof NEWS): Schema {
  const { least, most } = LONG_POLLS.seconds;
  const [news, example] = NEWS[waits];
  return {
    ...header(
      'Prefer',
      false,
      `\`wait=N\`, N from ${least} to ${most}: the answer comes once ${news}, after N seconds at the latest.`,
      { type: 'string' },
    ),
    example,
  };
}

/** Session calls that change something prove their origin (protocol §8.4); bearer calls need not. */
function sessionHeaders(required: boolean): Schema[] {
  const when = required ? '' : ' Required with a session.';
  return [
    header('X-CSRF-Token', required, `The session's token, from GET /auth/session.${when}`, {
      type: 'string',
    }),
    header('Origin', required, `The origin of this service, exactly.${when}`, {
      type: 'string',
      format: 'uri',
    }),
  ];
}

function queryParameter(parameter: QueryParameter): Schema {
  return { name: parameter.name, in: 'query', required: false, ...queryValue(parameter) };
}

function queryValue(parameter: QueryParameter): Schema {
  switch (parameter.name) {
    case 'state':
      return { schema: { type: 'string', enum: parameter.values } };
    case 'occurrence':
      return {
        description:
          'Of a producer or human: only their own requests of that action occurrence. Other values filter nothing.',
        schema: { type: 'string', pattern: IDENTIFIER.source },
      };
    case 'offset':
    case 'after':
      return { schema: { type: 'integer', minimum: 0, maximum: parameter.maximum } };
  }
}

function parametersOf(operation: Operation): Schema[] {
  const changes = operation.method !== 'GET';
  return [
    ...operation.parameters.map((name) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...operation.query.map(queryParameter),
    ...(operation.key ? [idempotencyKey] : []),
    ...(operation.waits === null ? [] : [preferHeader(operation.waits)]),
    ...(changes && operation.security !== 'bearer'
      ? sessionHeaders(operation.security === 'human')
      : []),
  ];
}

function content(name: RecordName): Schema {
  return { 'application/json': { schema: schemaReference(name), example: EXAMPLES[name] } };
}

const EVENT_HEADERS: Schema = {
  'Event-Head': {
    description:
      'Number of the caller’s newest event, 0 before the first; `after` with it starts at the end.',
    // Not while a version answers that does not have it.
    required: false,
    schema: { type: 'integer', minimum: 0 },
    example: 42,
  },
};

const WAITED: Schema = {
  'Preference-Applied': {
    description:
      'The preference `wait` was followed. Without it a caller pauses before it asks again.',
    required: false,
    schema: { type: 'string', pattern: '^wait=\\d{1,2}$' },
    example: 'wait=25',
  },
};

function successHeaders(operation: Operation, status: number): Schema {
  return {
    ...(operation.waits !== null && WAITED),
    ...(operation.name === 'ledger.events' && EVENT_HEADERS),
    ...(operation.etag &&
      status === 200 && {
        ETag: { required: true, schema: { type: 'string', pattern: '^"[a-f0-9]{64}"$' } },
      }),
    ...(operation.etag && {
      'Retry-After': {
        description: 'Seconds until the next poll, while the review is pending.',
        required: status === 202,
        schema: { type: 'integer', minimum: 0 },
      },
    }),
  };
}

function successResponses(operation: Operation): Record<string, Schema> {
  const body =
    operation.output === null
      ? { 'text/plain': { schema: { type: 'string' } } }
      : content(operation.output);
  const answers = operation.success.map((status): [string, Schema] => {
    const headers = successHeaders(operation, status);
    return [
      String(status),
      {
        description: status === 202 ? 'Human review is pending' : operation.summary,
        ...(Object.keys(headers).length > 0 && { headers }),
        content: body,
      },
    ];
  });
  if (operation.etag) {
    const waits = operation.waits !== null && { headers: WAITED };
    answers.push(['304', { description: 'Unchanged since the given ETag', ...waits }]);
  }
  return Object.fromEntries(answers);
}

function securityOf(operation: Operation): Schema[] {
  switch (operation.security) {
    case 'none':
      return [];
    case 'human':
      return [{ humanSession: [] }];
    case 'bearer':
      return [{ producerBearer: [] }];
    case 'either':
      return [{ producerBearer: [] }, { humanSession: [] }];
  }
}

function tagOf({ path, service }: Operation): string {
  if (path.startsWith('/v2/admin/')) return 'Administration';
  return path.startsWith('/v2/hitl/') ? 'Human in the loop' : SERVICES[service];
}

function descriptionOf(operation: Operation): string {
  const rule = CALLER_RULES[operation.callers];
  const callers =
    operation.security === 'none'
      ? 'Open to everyone.'
      : `Callers: ${rule.kinds.join(', ')}${'humanNeeds' in rule ? ` (a human with the power ${rule.humanNeeds})` : ''}; others get \`${rule.refusal}\`.`;
  const body = operation.bodyLimit > 0 ? ` Body: at most ${operation.bodyLimit} bytes.` : '';
  return callers + body;
}

function describe(operation: Operation, known: readonly ErrorCode[]): Schema {
  const refusals = declaredErrors(operation).map((status): [string, Schema] => [
    String(status),
    problemResponse(operation, status, known),
  ]);
  return {
    operationId: operation.name,
    summary: operation.summary,
    description: descriptionOf(operation),
    tags: [tagOf(operation)],
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...(operation.input !== null && {
      requestBody: { required: true, content: content(operation.input) },
    }),
    responses: { ...successResponses(operation), ...Object.fromEntries(refusals) },
  };
}

/** The API description of all 29 operations, OpenAPI 3.1; `origin` without a trailing slash. */
export function openApiDocument(origin: string): Schema {
  return documentOf('Countersign', origin, {
    operations: OPERATIONS,
    codes: SENT_CODES,
    schemas: INTERFACE_SCHEMAS,
  });
}

/**
 * The same of the operations beside the interface in a deployment that offers these capabilities, a document of its own: the
 * interface's stays as it is.
 */
export function openApiExtensions(
  origin: string,
  offered: Readonly<Record<string, string>>,
): Schema {
  return documentOf('Countersign, extensions', origin, {
    operations: extensionsOf(offered),
    codes: [...new Set([...SENT_CODES, ...partsOf(offered).flatMap(({ codes }) => codes)])],
    schemas: extensionComponents(offered),
  });
}

interface Described {
  readonly operations: readonly Operation[];
  readonly codes: readonly ErrorCode[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

function documentOf(
  title: string,
  origin: string,
  { operations, codes, schemas }: Described,
): Schema {
  const paths: Record<string, Schema> = {};
  for (const operation of operations) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation, codes);
  }
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title,
      version: PROTOCOL_REVISION,
      summary: 'A human countersigns before a machine acts',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: origin }],
    'x-countersign-retry': Object.fromEntries(codes.map((code) => [code, ERRORS[code].retry])),
    paths,
    components: {
      securitySchemes: {
        producerBearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'Credential of a producer, publisher or operator, chosen by the operator.',
        },
        humanSession: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-proto',
          description: 'Session of a human who signed in at /auth/login.',
        },
      },
      schemas,
    },
  };
}
