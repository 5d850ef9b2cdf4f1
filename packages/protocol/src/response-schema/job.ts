import type { ErrorCode } from '../errors.js';
import { Refusal } from '../errors.js';
import { textDigest } from '../json/canonical.js';
import type { JsonValue } from '../json/value.js';
import type { CompiledSchema, SchemaCompiler } from './compile.js';
import { compileResponseSchema, createSchemaCompiler } from './compile.js';
import { SCHEMA_LIMITS } from './limits.js';

/** What a worker thread is given; both are canonical texts of values that were read strictly. */
export interface SchemaJob {
  readonly schemaText: string;
  /** null: the schema alone is to be judged, as when a request is created. */
  readonly responseText: string | null;
}

export type SchemaJobResult =
  { readonly ok: true } | { readonly ok: false; readonly code: ErrorCode };

/** Compiled schemas of one worker, by the digest of their text. */
export interface SchemaCache {
  compiler: SchemaCompiler;
  readonly compiled: Map<string, CompiledSchema>;
  attempts: number;
  bytes: number;
}

/** The compiler keeps all it ever compiled, so cache and compiler are renewed together. */
const CACHE_ATTEMPTS = 256;
const CACHE_BYTES = 1_048_576;

export function createSchemaCache(): SchemaCache {
  return { compiler: createSchemaCompiler(), compiled: new Map(), attempts: 0, bytes: 0 };
}

/**
 * Judges a schema and, when there is one, a response (contract §10). Runs inside a worker thread,
 * whose owner bounds its time and memory; it works on copies of its own.
 */
export function runSchemaJob(job: SchemaJob, cache: SchemaCache): SchemaJobResult {
  try {
    const bytes = Buffer.byteLength(job.schemaText);
    if (bytes + Buffer.byteLength(job.responseText ?? '') > SCHEMA_LIMITS.jobBytes) {
      throw new Refusal('schema_validation_too_large');
    }
    const schema = compiledSchema(job.schemaText, bytes, cache);
    if (job.responseText !== null) schema.check(JSON.parse(job.responseText) as JsonValue);
    return { ok: true };
  } catch (error) {
    if (error instanceof Refusal) return { ok: false, code: error.code };
    throw error;
  }
}

function compiledSchema(text: string, bytes: number, cache: SchemaCache): CompiledSchema {
  const digest = textDigest(text);
  const known = cache.compiled.get(digest);
  if (known !== undefined) return known;
  if (cache.attempts >= CACHE_ATTEMPTS || cache.bytes + bytes > CACHE_BYTES) {
    Object.assign(cache, { compiler: createSchemaCompiler(), attempts: 0, bytes: 0 });
    cache.compiled.clear();
  }
  cache.attempts++;
  cache.bytes += bytes;
  const schema = compileResponseSchema(JSON.parse(text) as JsonValue, cache.compiler);
  cache.compiled.set(digest, schema);
  return schema;
}
