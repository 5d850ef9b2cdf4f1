import type { ErrorCode } from '../errors.js';
import { Refusal } from '../errors.js';
import { textDigest } from '../json/canonical.js';
import type { JsonValue } from '../json/value.js';
import { analyseSchema } from './check.js';
import type { CompiledSchema, SchemaCompiler } from './compile.js';
import { compileChecked, createSchemaCompiler } from './compile.js';
import { SCHEMA_LIMITS } from './limits.js';

/** The input of a worker thread; both are canonical texts of values that were read strictly. */
export interface SchemaJob {
  readonly schemaText: string;
  /** null: the schema alone is to be checked, as when a request is created. */
  readonly responseText: string | null;
}

export type SchemaJobResult =
  | { readonly ok: true }
  | { readonly ok: false; readonly code: ErrorCode };

/** Compiled schemas of one worker, by the digest of their text. */
export interface SchemaCache {
  compiler: SchemaCompiler;
  readonly compiled: Map<string, CompiledSchema>;
  weight: number;
}

/**
 * Syntax nodes that one compiler gets to see, a schema by itself weighing as ten. It keeps all that it
 * ever compiled, some 5 KB a node, so it is renewed together with the cache.
 */
const CACHE_WEIGHT = 3000;
const SCHEMA_WEIGHT = 10;

export function createSchemaCache(): SchemaCache {
  return { compiler: createSchemaCompiler(), compiled: new Map(), weight: 0 };
}

/**
 * Checks a schema and, when there is one, a response (protocol §10). Runs inside a worker thread,
 * whose owner bounds its time and memory; it works on copies of its own.
 */
export function runSchemaJob(job: SchemaJob, cache: SchemaCache): SchemaJobResult {
  try {
    const bytes = Buffer.byteLength(job.schemaText) + Buffer.byteLength(job.responseText ?? '');
    if (bytes > SCHEMA_LIMITS.jobBytes) throw new Refusal('schema_validation_too_large');
    const schema = compiledSchema(job.schemaText, cache);
    if (job.responseText !== null) schema.check(JSON.parse(job.responseText) as JsonValue);
    return { ok: true };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, code: error.code };
    throw error;
  }
}

function compiledSchema(text: string, cache: SchemaCache): CompiledSchema {
  const digest = textDigest(text);
  const known = cache.compiled.get(digest);
  if (known !== undefined) return known;
  const checked = analyseSchema(JSON.parse(text) as JsonValue);
  const weight = checked.nodes + SCHEMA_WEIGHT;
  if (cache.weight > 0 && cache.weight + weight > CACHE_WEIGHT) {
    cache.compiler = createSchemaCompiler();
    cache.compiled.clear();
    cache.weight = 0;
  }
  cache.weight += weight;
  const schema = compileChecked(checked, cache.compiler);
  cache.compiled.set(digest, schema);
  return schema;
}
