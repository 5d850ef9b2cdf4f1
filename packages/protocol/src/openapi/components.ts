import { Type } from '@sinclair/typebox';
import {
  APPROVAL_RECORD_NAMES,
  CredentialToken,
  PrincipalInput,
  RECORDS,
  RECORD_NAMES,
  RouteInput,
  RouteLimits,
} from '../records/index.js';
import type { RecordName } from '../records/index.js';

export type Schema = { [keyword: string]: unknown };

/**
 * Records whose shape alone is checked first and whose parts have codes of their own (R29): readers
 * of the description get the parts' rules in place.
 */
const described: Partial<Record<RecordName, object>> = {
  PrincipalInput: {
    ...PrincipalInput,
    properties: { ...PrincipalInput.properties, token: Type.Optional(CredentialToken) },
  },
  RouteInput: { ...RouteInput, properties: { ...RouteInput.properties, limits: RouteLimits } },
};

export function schemaReference(name: RecordName): Schema {
  return { $ref: `#/components/schemas/${titleOf(RECORDS[name])}` };
}

/** Two records may be one shape under two names; the title says which name the shape has. */
function titleOf(schema: object): string {
  return (schema as { title: string }).title;
}

/** Records of the extension operations alone. */
const OF_EXTENSIONS: readonly RecordName[] = ['Evidence', 'EvidenceLog'];

/** Records as components that refer to each other instead of repeating themselves; no operation has those of approvals yet. */
export function componentSchemas(extensions: boolean): Record<string, Schema> {
  const own = RECORD_NAMES.filter(
    (name) =>
      titleOf(RECORDS[name]) === name &&
      (extensions || !OF_EXTENSIONS.includes(name)) &&
      !APPROVAL_RECORD_NAMES.includes(name),
  );
  return Object.fromEntries(
    own.map((name) => [name, referring(described[name] ?? RECORDS[name], name) as Schema]),
  );
}

function referring(value: unknown, within: string | null): unknown {
  if (Array.isArray(value)) return value.map((item) => referring(item, null));
  if (value === null || typeof value !== 'object') return value;
  const title = (value as { title?: unknown }).title;
  if (typeof title === 'string' && title !== within && Object.hasOwn(RECORDS, title)) {
    return schemaReference(title as RecordName);
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, referring(part, null)]),
  );
}
