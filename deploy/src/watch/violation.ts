/** What a log may do that a log must not do. */
export const VIOLATIONS = [
  'no_checkpoint',
  'not_signed',
  'other_origin',
  'rolled_back',
  'forked',
  'tile_missing',
  'truncated',
  'tampered',
  'not_included',
] as const;

export type ViolationKind = (typeof VIOLATIONS)[number];

/** The log is not what it says; the message is one sentence for a person. */
export class Violation extends Error {
  override readonly name = 'Violation';
  constructor(
    readonly kind: ViolationKind,
    sentence: string,
  ) {
    super(sentence);
  }
}
