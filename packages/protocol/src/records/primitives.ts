import { Type } from '@sinclair/typebox';
import type { Static, TNull, TObject, TProperties, TSchema, TUnion } from '@sinclair/typebox';
import type { JsonObject, JsonValue } from '../json/value.js';
import { PROTOCOL_REVISION } from '../constants.js';
import { DECISIONS, PURPOSES } from './vocabulary.js';

/** A closed object: unknown members are invalid (protocol §3). */
export function closed<Properties extends TProperties>(
  properties: Properties,
  rules: Record<string, unknown> = {},
): TObject<Properties> {
  return Type.Object(properties, { ...rules, additionalProperties: false });
}

/** A closed object with a name of its own in the API description. */
export function named<Properties extends TProperties>(
  title: string,
  properties: Properties,
  rules: Record<string, unknown> = {},
): TObject<Properties> {
  return closed(properties, { ...rules, title });
}

export function nullable<Schema extends TSchema>(schema: Schema): TUnion<[Schema, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

export function choice<const Values extends readonly string[]>(values: Values) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values] });
}

export function text(minLength: number, maxLength: number) {
  return Type.String({ minLength, maxLength });
}

export const Identifier = Type.String({
  minLength: 1,
  maxLength: 160,
  pattern: '^[a-zA-Z0-9_.:@/-]+$',
});
export const Digest = Type.Unsafe<`sha256:${string}`>({
  type: 'string',
  pattern: '^sha256:[a-f0-9]{64}$',
});
export type Digest = Static<typeof Digest>;
/** RFC 3339 with a real calendar day, see `parseTimestamp`. */
export const Timestamp = Type.String({ format: 'date-time' });
/** The form this service emits: UTC and exactly three fractional digits. */
export const MillisecondTimestamp = Type.String({
  format: 'date-time',
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:[0-5]\\d\\.\\d{3}Z$',
});
export const Uuid = Type.String({
  format: 'uuid',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
});
/** Version 1 to 8 of the RFC variant; the nil UUID is invalid (protocol §3.9). */
export const StandardUuid = Type.String({
  format: 'uuid',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
});
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });
export const AnyJson = Type.Unsafe<JsonValue>({});
export const AnyObject = Type.Unsafe<JsonObject>({ type: 'object' });
export const Revision = Type.Literal(PROTOCOL_REVISION);
export const PurposeName = choice(PURPOSES);
export const DecisionName = choice(DECISIONS);

export const Profiles = Type.Unsafe<Record<string, string>>({
  title: 'Profiles',
  type: 'object',
  maxProperties: 10,
  additionalProperties: { type: 'string', minLength: 1, maxLength: 100 },
});
export type Profiles = Static<typeof Profiles>;

export const Metadata = Type.Unsafe<JsonObject>({ title: 'Metadata', type: 'object' });
export type Metadata = Static<typeof Metadata>;

/** Demands, inside a rule, that `profiles` select one version of a profile. */
export function selectsProfile(name: string, version: string) {
  return {
    properties: {
      profiles: {
        type: 'object',
        required: [name],
        properties: { [name]: { const: version } },
      },
    },
  };
}

export const SignedRecord = named('SignedRecord', {
  protected: closed({
    type: Identifier,
    protocol_revision: Revision,
    purpose: choice([...PURPOSES, 'service']),
    profiles: Profiles,
    issuer: Type.String(),
    audience: Type.String(),
    tenant: Identifier,
    key_id: Identifier,
    issued_at: Timestamp,
  }),
  payload: AnyJson,
  signature: Type.String({ pattern: '^[A-Za-z0-9_-]{86}$' }),
});
export type SignedRecord = Static<typeof SignedRecord>;
