import { Refusal } from '../errors.js';
import type { JsonObject, JsonValue } from '../json/value.js';
import { isJsonObject } from '../json/value.js';
import { DIALECT, FORBIDDEN_KEYWORDS, FORBIDDEN_REFERENCES, KEYWORDS } from './keywords.js';
import type { Reach } from './keywords.js';
import { SCHEMA_LIMITS } from './limits.js';

export interface SchemaEdge {
  /** Index of the position that is checked next. */
  readonly target: number;
  readonly reach: 'in-place' | 'child';
}

/** A place of the document where a schema stands. */
export interface SchemaPosition {
  readonly schema: JsonValue;
  readonly edges: SchemaEdge[];
}

export interface SchemaStructure {
  /** JSON values of the document, counted as `SCHEMA_LIMITS.syntaxNodes` says. */
  readonly nodes: number;
  /** The root is the first. */
  readonly positions: readonly SchemaPosition[];
  /** For each schema with `$ref`, the same reference in the one spelling that no reader mistakes. */
  readonly references: ReadonlyMap<JsonObject, string>;
  /** A use of 2020-12 that no schema may make; the last of the rules to be answered for. */
  readonly invalid: boolean;
  readonly usesUnevaluatedProperties: boolean;
}

interface Walk {
  nodes: number;
  positions: SchemaPosition[];
  byPointer: Map<string, number>;
  references: { schema: JsonObject; position: SchemaPosition; text: string }[];
  forbiddenReference: boolean;
  remoteReference: boolean;
  forbiddenKeyword: boolean;
  invalid: boolean;
  usesUnevaluatedProperties: boolean;
}

/**
 * Takes a response schema apart and refuses the structures that protocol §10 forbids, in the order of its table, up to and
 * including the targets of references.
 */
export function schemaStructure(schema: JsonValue): SchemaStructure {
  const walk: Walk = {
    nodes: 0,
    positions: [],
    byPointer: new Map(),
    references: [],
    forbiddenReference: false,
    remoteReference: false,
    forbiddenKeyword: false,
    invalid: !isJsonObject(schema),
    usesUnevaluatedProperties: false,
  };
  visitSchema(walk, schema, '', 0, null, 'none');
  if (walk.forbiddenReference) throw new Refusal('unsupported_schema_reference');
  if (walk.remoteReference) throw new Refusal('remote_schema_reference');
  if (walk.forbiddenKeyword) throw new Refusal('unsupported_schema_keyword');
  const { nodes, positions, invalid, usesUnevaluatedProperties } = walk;
  const references = resolveReferences(walk);
  return { nodes, positions, references, invalid, usesUnevaluatedProperties };
}

function visitSchema(
  walk: Walk,
  schema: JsonValue,
  pointer: string,
  depth: number,
  parent: SchemaPosition | null,
  reach: Reach,
): void {
  if (!isJsonObject(schema) && typeof schema !== 'boolean') {
    walk.invalid = true;
    visitSetting(walk, schema, depth);
    return;
  }
  countNode(walk, depth);
  const position: SchemaPosition = { schema, edges: [] };
  const index = walk.positions.push(position) - 1;
  walk.byPointer.set(pointer, index);
  if (parent !== null && reach !== 'none') parent.edges.push({ target: index, reach });
  if (!isJsonObject(schema)) return;
  for (const keyword of Object.keys(schema)) {
    visitKeyword(walk, schema, position, keyword, pointer, depth + 1);
  }
}

function visitKeyword(
  walk: Walk,
  schema: JsonObject,
  position: SchemaPosition,
  keyword: string,
  schemaPointer: string,
  depth: number,
): void {
  const value = schema[keyword] as JsonValue;
  const pointer = `${schemaPointer}/${escapeToken(keyword)}`;
  if (FORBIDDEN_REFERENCES.has(keyword)) walk.forbiddenReference = true;
  else if (FORBIDDEN_KEYWORDS.has(keyword)) walk.forbiddenKeyword = true;
  else if (!KEYWORDS.has(keyword)) walk.invalid = true;
  if (keyword === 'unevaluatedProperties') walk.usesUnevaluatedProperties = true;
  if (keyword === '$schema' && !(typeof value === 'string' && DIALECT.test(value))) {
    walk.invalid = true;
  }
  if (keyword === '$ref') {
    if (typeof value === 'string' && value.startsWith('#/')) {
      walk.references.push({ schema, position, text: value });
    } else {
      walk.remoteReference = true;
    }
  }

  const role = KEYWORDS.get(keyword) ?? { holds: 'setting' };
  if (role.holds === 'data') {
    countNode(walk, depth);
  } else if (role.holds === 'schema') {
    visitSchema(walk, value, pointer, depth, position, role.reach);
  } else if (role.holds === 'schemas' && Array.isArray(value)) {
    countNode(walk, depth);
    for (const [i, item] of value.entries()) {
      visitSchema(walk, item, `${pointer}/${i}`, depth + 1, position, role.reach);
    }
  } else if (role.holds === 'named-schemas' && isJsonObject(value)) {
    countNode(walk, depth);
    for (const [name, item] of Object.entries(value)) {
      // Keys are the user's names here. The compiler passes over one of them as if it were not there.
      if (name === '__proto__' && (keyword === 'properties' || keyword === 'dependencies')) {
        walk.invalid = true;
      }
      if (keyword === 'dependencies' && Array.isArray(item)) {
        visitSetting(walk, item, depth + 1);
      } else {
        const itemPointer = `${pointer}/${escapeToken(name)}`;
        visitSchema(walk, item, itemPointer, depth + 1, position, role.reach);
      }
    }
  } else {
    visitSetting(walk, value, depth);
  }
}

function visitSetting(walk: Walk, value: JsonValue, depth: number): void {
  countNode(walk, depth);
  if (typeof value !== 'object' || value === null) return;
  for (const item of Object.values(value)) visitSetting(walk, item, depth + 1);
}

function countNode(walk: Walk, depth: number): void {
  walk.nodes++;
  if (walk.nodes > SCHEMA_LIMITS.syntaxNodes || depth > SCHEMA_LIMITS.depth) {
    throw new Refusal('schema_complexity');
  }
}

/** Follows every `$ref` (RFC 6901 in a URI fragment) to a schema; anything else is no schema. */
function resolveReferences(walk: Walk): Map<JsonObject, string> {
  const references = new Map<JsonObject, string>();
  for (const { schema, position, text } of walk.references) {
    const pointer = decodeFragment(text.slice(1));
    const target = pointer === null ? undefined : walk.byPointer.get(pointer);
    if (pointer === null || target === undefined) throw new Refusal('invalid_response_schema');
    position.edges.push({ target, reach: 'in-place' });
    references.set(schema, `#${pointer.split('/').map(encodeURIComponent).join('/')}`);
  }
  return references;
}

function decodeFragment(fragment: string): string | null {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return null;
  }
}

function escapeToken(token: string): string {
  return token.replaceAll('~', '~0').replaceAll('/', '~1');
}
