// Tables of docs/protocol that the code knows better than prose: records, operations, codes, limits.
import {
  AGENT_UI_LIMITS,
  APPROVAL_CODES,
  APPROVAL_OPERATIONS,
  ASSERTION_REASONS,
  AUDIT_STATES,
  CALLER_RULES,
  DECISION_STATES,
  DEFAULT_CONCURRENCY,
  DEFAULT_LIMITS,
  DEFAULT_QUOTAS,
  DEFAULT_RATES,
  ERRORS,
  EXTENSION_OPERATIONS,
  EXECUTION_STATES,
  GRANT_STATES,
  INCIDENTS,
  HOLD_CODES,
  KEY_CODES,
  KEY_OPERATIONS,
  LEDGER_REASONS,
  OPERATIONS,
  PAGE_SIZES,
  PROOF_REASONS,
  RECORDS,
  SENT_CODES,
  SIGNED_RECORDS,
  SIGNING_POLICY,
  VERIFICATION_REASONS,
  statusesOf,
} from '@countersign/protocol';

const BLOCK = /<!-- table: ([^>]+?) -->\n[\s\S]*?<!-- end of table -->/g;

/** The text of a chapter with each marked table made anew. */
export function withTables(text) {
  return text.replace(BLOCK, (_, name) => {
    const [kind, ...words] = name.split(' ');
    if (!Object.hasOwn(TABLES, kind)) throw new Error(`no table is called ${name}`);
    const rows = TABLES[kind](...words);
    return `<!-- table: ${name} -->\n\n${table(rows)}\n\n<!-- end of table -->`;
  });
}

function table([head, ...rows]) {
  const line = (cells) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const code = (text) => `\`${text}\``;
const sentence = (text) => (/[.?!]$/.test(text) ? text : `${text}.`);

const TABLES = {
  record(name) {
    const schema = RECORDS[name];
    if (schema === undefined) throw new Error(`no record is called ${name}`);
    return [['Member', 'Type', 'Required'], ...memberRows(schema)];
  },
  operations: () => operationRows(OPERATIONS),
  extensions: () => operationRows(EXTENSION_OPERATIONS),
  approvals: () => operationRows(APPROVAL_OPERATIONS),
  keys: () => operationRows(KEY_OPERATIONS),
  bodies: () => {
    const limits = [...new Set(OPERATIONS.map(({ bodyLimit }) => bodyLimit))].filter(Boolean);
    return [
      ['Largest body in bytes', 'Operations'],
      ...limits
        .sort((a, b) => b - a)
        .map((limit) => [
          limit,
          OPERATIONS.filter(({ bodyLimit }) => bodyLimit === limit)
            .map(({ name }) => code(name))
            .join(', '),
        ]),
    ];
  },
  errors: () => errorRows(SENT_CODES),
  'approval-errors': () => errorRows(APPROVAL_CODES),
  'key-errors': () => errorRows(KEY_CODES),
  'hold-errors': () => errorRows(HOLD_CODES),
  incidents: () => [
    ['Code', 'Meaning'],
    ...Object.entries(INCIDENTS).map(([name, { title }]) => [code(name), sentence(title)]),
  ],
  types: () => [
    ['Type', 'Purpose', 'Audience', 'In the ledger', 'Payload', 'Signed by'],
    ...Object.entries(SIGNED_RECORDS).map(([type, { purpose, audience, ledger, payload }]) => [
      code(type),
      purpose === 'request' ? 'the request’s' : code(purpose),
      audience.includes('.') ? code(audience) : audience,
      ledger ? 'yes' : 'no',
      payload,
      Object.keys(SIGNING_POLICY)
        .filter((service) => SIGNING_POLICY[service].includes(type))
        .map(code)
        .join(', '),
    ]),
  ],
  reasons: (of) => [
    ['Reason', 'Meaning'],
    ...Object.entries(ownReasons(of)).map(([name, meaning]) => [code(name), meaning]),
  ],
  limits: () => [
    ['Limit', 'Default and maximum'],
    ...Object.entries(DEFAULT_LIMITS).map(([name, value]) => [code(name), value]),
  ],
  quotas: () => [
    ['Quota', 'Of the tenant', 'Of the owner or publisher', 'Of the route', 'Code'],
    ...quotaRows(DEFAULT_QUOTAS),
  ],
  rates: () => [
    ['Bucket', 'Calls in 60 s'],
    ...Object.entries(DEFAULT_RATES).map(([name, calls]) => [code(name), calls]),
  ],
  concurrency: () => [
    ['At the same time', 'Calls', 'Of these large'],
    ...Object.entries(DEFAULT_CONCURRENCY).map(([whose, { calls, large }]) => [
      `of one ${whose}`,
      calls,
      large,
    ]),
  ],
  pages: () => [
    ['List', 'Entries at most'],
    ...Object.entries(PAGE_SIZES).map(([name, entries]) => [name, entries]),
  ],
  profile: () => [
    ['Constant', 'Value'],
    ...Object.entries(AGENT_UI_LIMITS).map(([name, value]) => [code(name), value]),
  ],
};

function operationRows(operations) {
  return [
    ['#', 'Operation', 'Call', 'Callers', 'Key', 'Body', 'Answer'],
    ...operations.map((operation) => [
      operation.number,
      code(operation.name),
      code(`${operation.method} ${operation.path}`),
      callers(operation),
      operation.key ? 'yes' : 'no',
      operation.input ?? '',
      `${operation.success.join(' or ')} ${operation.output ?? 'text/plain'}`,
    ]),
  ];
}

function callers({ callers: rule, security }) {
  if (security === 'none') return 'anyone';
  const { kinds, humanNeeds } = CALLER_RULES[rule];
  return kinds
    .map((kind) => (kind === 'human' && humanNeeds ? `human (${humanNeeds})` : kind))
    .join(', ');
}

function ownReasons(of) {
  if (of === 'record') return VERIFICATION_REASONS;
  if (of === 'assertion') return ASSERTION_REASONS;
  const all = of === 'proof' ? PROOF_REASONS : LEDGER_REASONS;
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => !Object.hasOwn(VERIFICATION_REASONS, name)),
  );
}

function errorRows(codes) {
  const rows = codes.flatMap((name) => {
    const { retry, title } = ERRORS[name];
    return statusesOf(name).map((status) => [status, code(name), code(retry), sentence(title)]);
  });
  return [['Status', 'Code', 'Retry', 'Meaning'], ...rows.sort(([a], [b]) => a - b)];
}

function quotaRows(quotas) {
  const bucket = ({ perMinute, burst }) => `${perMinute} a minute, burst ${burst}`;
  const { requestsPerDay, outstanding, creationRate, bundlesPerDay, bundleRate } = quotas;
  const row = (name, { tenant, producer, publisher, route }, show, refusal) => [
    name,
    show(tenant),
    show(producer ?? publisher),
    route === undefined ? '' : show(route),
    code(refusal),
  ];
  return [
    row('creations in a UTC day', requestsPerDay, String, 'daily_quota'),
    row('pending requests before their deadline', outstanding, String, 'outstanding_quota'),
    row('creations', creationRate, bucket, 'creation_rate'),
    row('bundles in a UTC day', bundlesPerDay, String, 'bundle_daily_quota'),
    row('bundles', bundleRate, bucket, 'bundle_rate'),
    [
      'bytes of retained bundles',
      quotas.retainedBundleBytes,
      quotas.retainedBundleBytes,
      '',
      code('retained_quota'),
    ],
  ];
}

// Types of members ---------------------------------------------------------------------------------

/** Schemas that have a name of their own in chapter 3, by their text. */
const NAMED = new Map([
  [text(RECORDS.DecisionRequest.properties.id), 'Identifier'],
  [text(RECORDS.DecisionRequest.properties.accepted_at), 'Timestamp'],
  [text(RECORDS.AgentUiBundleIdentity.properties.created_at), 'Timestamp with milliseconds'],
  [text(RECORDS.ReviewBinding.properties.payload_digest), 'Digest'],
  [text(RECORDS.RequestListItem.properties.id), 'UUID'],
  [text(RECORDS.AgentUiInput.properties.request_id), 'UUID of version 1 to 8'],
  [text(RECORDS.DecisionCandidate.properties.revision), 'Count'],
  [text(RECORDS.HitlHandover.anyOf[0].properties.review_url), 'URL, https or of the same machine'],
]);

/** Lists of words that stand elsewhere, by their text. */
const WORDS = new Map([
  [text(SENT_CODES), 'a code of §6.2'],
  [text(DECISION_STATES), 'a decision state, §5.1'],
  [text(AUDIT_STATES), 'an audit state, §5.2'],
  [text(GRANT_STATES), 'a grant state, §5.3'],
  [text(EXECUTION_STATES), 'an execution state, §5.4'],
]);

function text(schema) {
  return JSON.stringify(schema);
}

function memberRows(schema, prefix = '') {
  if (schema.anyOf) return alternativeRows(schema.anyOf, prefix);
  if (schema.properties === undefined) throw new Error(`${schema.title} has no members`);
  return Object.entries(schema.properties).flatMap(([name, member]) => {
    const path = prefix + name;
    const required = schema.required?.includes(name) ? 'yes' : 'no';
    return [[code(path), typeOf(member), required], ...innerRows(member, path)];
  });
}

function innerRows(member, path) {
  if (isPlain(member)) return memberRows(member, `${path}.`);
  return member.type === 'array' ? innerRows(member.items, `${path}[]`) : [];
}

/** Members of a union. One that not every alternative has is required in those that have it. */
function alternativeRows(alternatives, prefix) {
  const rows = new Map();
  for (const [name, type, required] of alternatives.flatMap((one) => memberRows(one, prefix))) {
    const row = rows.get(name) ?? { types: new Set(), required: new Set(), times: 0 };
    rows.set(name, row);
    row.types.add(type);
    row.required.add(required);
    row.times += 1;
  }
  return [...rows].map(([name, { types, required, times }]) => [
    name,
    [...types].join(' or '),
    times === alternatives.length ? [...required].join(' or ') : 'by form',
  ]);
}

/** An object without a name, whose members stand below it. */
function isPlain(schema) {
  return schema.type === 'object' && schema.title === undefined && schema.properties !== undefined;
}

function typeOf(schema) {
  const name = NAMED.get(text(schema)) ?? schema.title;
  if (name !== undefined) return name;
  if (schema.const !== undefined) return code(text(schema.const));
  if (schema.enum !== undefined) {
    return WORDS.get(text(schema.enum)) ?? schema.enum.map((value) => code(value)).join(', ');
  }
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' or ');
  switch (schema.type) {
    case 'array':
      return `list of ${typeOf(schema.items)}${range(schema.minItems, schema.maxItems)}`;
    case 'string':
      return `string${range(schema.minLength, schema.maxLength)}${formOf(schema)}`;
    case 'integer':
    case 'number':
      return schema.type + range(schema.minimum, schema.maximum);
    case 'object':
      return schema.properties && schema.additionalProperties !== false ? 'open object' : 'object';
    default:
      return schema.type ?? 'any JSON value';
  }
}

function formOf({ pattern, format }) {
  if (pattern !== undefined) return `, ${code(pattern)}`;
  return format === undefined ? '' : `, ${format}`;
}

function range(least, most) {
  if (least === undefined && most === undefined) return '';
  if (most === undefined) return `, ${least} at least`;
  if (least === undefined) return `, ${most} at most`;
  return most === Number.MAX_SAFE_INTEGER ? `, ${least} at least` : `, ${least} to ${most}`;
}
