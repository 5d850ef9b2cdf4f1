import { Type } from '@sinclair/typebox';
import { SENT_CODES } from '../errors.js';
import {
  CredentialToken,
  PrincipalInput,
  ProblemDocument,
  RECORDS,
  RECORD_NAMES,
  RouteInput,
  RouteLimits,
} from '../records/index.js';
import { choice } from '../records/primitives.js';
import type { RecordName } from '../records/index.js';
import { CAPABILITY_RECORD_NAMES, partsOf } from './capability-parts.js';

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
const OF_EXTENSIONS: readonly string[] = ['Evidence', 'EvidenceLog'];

/** Records as components that refer to each other instead of repeating themselves. */
function componentSchemas(
  isPart: (name: string) => boolean,
  shapes: Partial<Record<RecordName, object>>,
): Record<string, Schema> {
  const own = RECORD_NAMES.filter((name) => titleOf(RECORDS[name]) === name && isPart(name));
  return Object.fromEntries(
    own.map((name) => [name, referring(shapes[name] ?? RECORDS[name], name) as Schema]),
  );
}

const isOfCapability = (name: string) => CAPABILITY_RECORD_NAMES.includes(name);

export const INTERFACE_SCHEMAS = componentSchemas(
  (name) => !OF_EXTENSIONS.includes(name) && !isOfCapability(name),
  described,
);

/** Of a deployment that offers these capabilities: with their records, and refusals that may have their codes. */
export function extensionComponents(
  offered: Readonly<Record<string, string>>,
): Record<string, Schema> {
  const parts = partsOf(offered);
  const records = parts.flatMap((part) => Object.keys(part.records));
  const codes = parts.flatMap((part) => part.codes);
  const refusing = {
    ...described,
    ProblemDocument: {
      ...ProblemDocument,
      properties: {
        ...ProblemDocument.properties,
        error: choice([...new Set([...SENT_CODES, ...codes])]),
      },
    },
  };
  return componentSchemas(
    (name) => !isOfCapability(name) || records.includes(name),
    parts.length === 0 ? described : refusing,
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
