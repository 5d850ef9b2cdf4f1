import type { JsonValue } from '@countersign/client';

/** Characters that a reader would not see, or that turn the direction of the text around them. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\u115F\u1160\u3164\uFFA0\u2800]/gu;

/**
 * The document of an action without one of its own: its name and occurrence, and one line for each value of its arguments, by
 * its JSON Pointer. All of it can be seen: other characters are written as `U+XXXX`.
 */
export function documentOf(name: string, occurrence: string, args: JsonValue): string {
  const rows = [...leavesOf(args, '')];
  const width = Math.min(40, Math.max(0, ...rows.map(([pointer]) => pointer.length)));
  return [
    `Action:     ${seen(name)}`,
    `Occurrence: ${seen(occurrence)}`,
    '',
    'Arguments',
    ...rows.map(([pointer, value]) => `  ${pointer.padEnd(width)}  ${value}`),
    '',
  ].join('\n');
}

function* leavesOf(value: JsonValue, pointer: string): Generator<[string, string]> {
  const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (!isBranch) return yield [pointer === '' ? '(all)' : pointer, seen(JSON.stringify(value))];
  for (const [name, member] of Object.entries(value))
    yield* leavesOf(
      member as JsonValue,
      `${pointer}/${seen(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
    );
}

function seen(text: string): string {
  return text.replaceAll(
    UNSEEN,
    (character) =>
      `U+${(character.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}
