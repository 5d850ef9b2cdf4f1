import { Type } from '@sinclair/typebox';
import { APPROVAL_CODES, HOLD_CODES, KEY_CODES, SENT_CODES } from '../errors.js';
import type { ErrorCode } from '../errors.js';
import {
  APPROVAL_RECORD_NAMES,
  CredentialToken,
  HOLD_RECORD_NAMES,
  KEY_RECORD_NAMES,
  PrincipalInput,
  ProblemDocument,
  RECORDS,
  RECORD_NAMES,
  RouteInput,
  RouteLimits,
} from '../records/index.js';
import { choice } from '../records/primitives.js';
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

const isOfApprovals = (name: string) => APPROVAL_RECORD_NAMES.includes(name);
const isOfKeys = (name: string) => KEY_RECORD_NAMES.includes(name);
const isOfHolds = (name: string) => HOLD_RECORD_NAMES.includes(name);

export const INTERFACE_SCHEMAS = componentSchemas(
  (name) =>
    !OF_EXTENSIONS.includes(name) && !isOfApprovals(name) && !isOfKeys(name) && !isOfHolds(name),
  described,
);
export const EXTENSION_SCHEMAS = componentSchemas(
  (name) => !isOfApprovals(name) && !isOfKeys(name) && !isOfHolds(name),
  described,
);

/** With other codes of refusals beside those that are always sent. */
const refusing = (codes: readonly ErrorCode[]) => ({
  ...described,
  ProblemDocument: {
    ...ProblemDocument,
    properties: { ...ProblemDocument.properties, error: choice([...SENT_CODES, ...codes]) },
  },
});

/** With approvals; a refusal may have their codes. */
export const APPROVAL_SCHEMAS = componentSchemas(
  (name) => !isOfKeys(name) && !isOfHolds(name),
  refusing(APPROVAL_CODES),
);

/** With approvals and the keys of people. */
export const KEY_SCHEMAS = componentSchemas(
  (name) => !isOfHolds(name),
  refusing([...APPROVAL_CODES, ...KEY_CODES, ...HOLD_CODES]),
);

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
