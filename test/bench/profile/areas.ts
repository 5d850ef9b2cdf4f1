/** A frame of V8's CPU profile. */
export interface Frame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

export const IDLE = '(idle)';

/** Each with the pattern of its frames' addresses; the first match counts. */
const AREAS: readonly (readonly [area: string, url: RegExp])[] = [
  ['database client', /node_modules\/(pg|pg-[\w-]+|postgres-[\w-]+)\/|database\/src\/pool\.ts/],
  ['signing', /protocol\/src\/signing\/|platform\/src\/notary\.ts/],
  ['json and digests', /protocol\/src\/json\/|node_modules\/canonicalize\//],
  [
    'record and response schemas',
    /protocol\/src\/(records|response-schema)\/|schema-workers\/|node_modules\/ajv/,
  ],
  [
    'authentication and rates',
    /gateway\/src\/(authentication|cookies|csrf|secrets|rates|store)\.ts|platform\/src\/caller\.ts|node_modules\/jose\//,
  ],
  [
    'bus and trace',
    /platform\/src\/(bus\/|telemetry\.ts|serve-operation\.ts)|node_modules\/(@nats-io|@opentelemetry)\//,
  ],
  ['ledger and anchor', /services\/ledger\/src\//],
  [
    'http',
    /services\/gateway\/src\/|node_modules\/(express|router|finalhandler|parseurl|encodeurl)\/|^node:(_http|internal\/http|http)/,
  ],
  [
    'operations',
    /services\/[\w-]+\/src\/|packages\/(database|protocol|platform)\/src\/|deploy\/src\//,
  ],
];

/** Node's own frames on the way to a socket and back, and frames that V8 cannot name. */
export const RUNTIME = 'node: sockets and event loop';

/** The area of a stack, leaf first: that of its innermost frame of a known area. */
export function areaOf(stack: readonly Frame[]): string {
  const [leaf] = stack;
  if (leaf?.functionName === IDLE) return IDLE;
  if (leaf?.functionName === '(garbage collector)') return 'garbage collection';
  for (const { url } of stack) {
    const found = AREAS.find(([, form]) => form.test(url));
    if (found !== undefined) return found[0];
  }
  return RUNTIME;
}
