import { Type } from '@sinclair/typebox';
import type { Static } from '@sinclair/typebox';
import { MillisecondTimestamp, choice, closed, text } from './primitives.js';

const count = (least: number, most: number) => Type.Integer({ minimum: least, maximum: most });
const Pointer = Type.String({ pattern: '^(?:/(?:[^~/]|~0|~1)*)*$', maxLength: 500 });

/** From the least attention to the most. */
export const TIERS = ['low', 'standard', 'high', 'critical'] as const;
export const Tier = choice(TIERS);
export type Tier = Static<typeof Tier>;

/** How a yes is given (protocol §18.12). */
export const AttentionPolicy = closed({
  tier: Tier,
  read_seconds: count(0, 3600),
  /** Characters a second; 0: the length of the document does not count. */
  reading_rate: Type.Union([Type.Literal(0), count(10, 200)]),
  cool_down_seconds: count(0, 3600),
  typed: Type.Array(closed({ label: text(1, 60), pointer: Pointer }), { maxItems: 3 }),
  open: Type.Array(choice(['document', 'payload']), { maxItems: 2, uniqueItems: true }),
  /** 0: no limit. */
  per_hour: count(0, 500),
  per_day: count(0, 2000),
});
export type AttentionPolicy = Static<typeof AttentionPolicy>;

/** What the page says of itself; no service can check it. */
export const ClientWord = closed({ document_end: Type.Boolean(), payload_opened: Type.Boolean() });
export type ClientWord = Static<typeof ClientWord>;

/** The most characters of a value that a person types. */
export const TYPED_CHARACTERS = 1000;

/** A value as a person typed it. Private: it is compared and dropped. */
export const TypedValue = closed({ pointer: Pointer, value: text(1, TYPED_CHARACTERS) });
export type TypedValue = Static<typeof TypedValue>;

/** Of a vote: when its giver first had the material and the candidate, and how long before the offer. */
export const Attention = closed({
  tier: Tier,
  material_first_read_at: MillisecondTimestamp,
  candidate_first_read_at: MillisecondTimestamp,
  read_ms: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
  /** Pointers of the values that were typed; never the values. */
  typed: Type.Array(Type.String(), { maxItems: 3 }),
  client: ClientWord,
});
export type Attention = Static<typeof Attention>;
