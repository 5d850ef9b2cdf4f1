import type { JsonValue } from '@countersign/client/node';

import { stepsOf, valueAt } from './pointer.js';

/** A text with values of the arguments in it, such as `transfer:{/invoice}`. */
export type Template = readonly (string | { readonly at: string })[];

/** Null for a text whose braces hold no JSON Pointer. */
export function templateOf(text: string): Template | null {
  const parts: (string | { at: string })[] = [];
  for (const [index, part] of text.split(/\{([^{}]*)\}/).entries()) {
    if (index % 2 === 0) {
      if (/[{}]/.test(part)) return null;
      if (part !== '') parts.push(part);
    } else if (part !== '' && stepsOf(part) !== null) {
      parts.push({ at: part });
    } else {
      return null;
    }
  }
  return parts;
}

/** @throws TypeError for an argument that is not there, or is no text, number or truth value; its message names it */
export function filled(template: Template, args: JsonValue): string {
  return template
    .map((part) => {
      if (typeof part === 'string') return part;
      const value = valueAt(args, part.at);
      if (value !== undefined && value !== null && typeof value !== 'object') return String(value);
      throw new TypeError(`the argument ${part.at} has to be a text, a number or a truth value`);
    })
    .join('');
}
