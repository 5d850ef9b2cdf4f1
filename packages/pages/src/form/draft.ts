import type { FormNode } from './model.js';

/**
 * A person's input so far, in the shape of the form and not of the answer: numbers as they were typed, choices by place,
 * the members of an object by place. Null where nothing was entered.
 */
export type Draft = null | string | number | boolean | readonly Draft[] | VariantDraft;

export interface VariantDraft {
  readonly variant: number;
  readonly value: Draft;
}

/** The draft of a text that a person leaves empty on purpose. A text that was only left alone is no answer. */
export const EMPTY_ON_PURPOSE = true;

/** Whether an empty text answers this part at all. */
export function mayBeEmpty(node: FormNode): boolean {
  return node.kind === 'string' && node.minLength === 0;
}

/** Why a form cannot be sent yet: at a JSON pointer of the answer. */
export interface Fault {
  readonly place: string;
  readonly code:
    | 'missing'
    | 'too_long'
    | 'no_number'
    | 'no_integer'
    | 'too_small'
    | 'too_large'
    | 'no_json';
}

export interface Answer {
  /** Complete only when there are no faults. */
  readonly response: unknown;
  readonly faults: readonly Fault[];
}

/** The initial draft of a form: required parts are there, and nothing is chosen or filled in. */
export function emptyDraft(node: FormNode, required = true): Draft {
  switch (node.kind) {
    case 'object':
      return required ? node.fields.map((field) => emptyDraft(field.node, field.required)) : null;
    case 'list':
      return required
        ? Array.from({ length: Math.min(node.min, 20) }, () => emptyDraft(node.item))
        : null;
    case 'json':
      return required ? node.start : null;
    default:
      return null;
  }
}

/** The answer that a draft stands for. */
export function answerOf(node: FormNode, draft: Draft): Answer {
  const faults: Fault[] = [];
  const made = valueOf(node, draft, true, '', faults);
  return { response: made === ABSENT ? null : made, faults };
}

const ABSENT = Symbol('absent');

function valueOf(
  node: FormNode,
  draft: Draft,
  required: boolean,
  place: string,
  faults: Fault[],
): unknown {
  const fault = (code: Fault['code']) => {
    faults.push({ place, code });
    return ABSENT;
  };
  const absent = () => (required ? fault('missing') : ABSENT);
  switch (node.kind) {
    case 'string':
      if (typeof draft === 'string' && draft !== '') {
        return node.maxLength !== null && lengthOf(draft) > node.maxLength
          ? fault('too_long')
          : draft;
      }
      return draft === EMPTY_ON_PURPOSE && mayBeEmpty(node) ? '' : absent();
    case 'number': {
      if (typeof draft !== 'string' || draft.trim() === '') return absent();
      const value = numberOf(draft.trim(), node.integer);
      if (value === null) return fault(node.integer ? 'no_integer' : 'no_number');
      if (node.least !== null && value < node.least) return fault('too_small');
      return node.most !== null && value > node.most ? fault('too_large') : value;
    }
    case 'boolean':
      return typeof draft === 'boolean' ? draft : absent();
    case 'choice':
      return typeof draft === 'number' && draft < node.options.length
        ? node.options[draft]
        : absent();
    case 'json':
      if (typeof draft !== 'string' || draft.trim() === '') return absent();
      try {
        return JSON.parse(draft) as unknown;
      } catch {
        return fault('no_json');
      }
    case 'list':
      if (!Array.isArray(draft)) return absent();
      return (draft as readonly Draft[]).map((item, at) =>
        valueOf(node.item, item, true, `${place}/${at}`, faults),
      );
    case 'object':
      if (!Array.isArray(draft)) return absent();
      // Members by definition, not by assignment: a member may be called __proto__.
      return Object.fromEntries(
        node.fields
          .map(({ name, node: of, required: must }, at): [string, unknown] => [
            name,
            valueOf(
              of,
              (draft as readonly Draft[])[at] ?? null,
              must,
              `${place}/${escaped(name)}`,
              faults,
            ),
          ])
          .filter(([, value]) => value !== ABSENT),
      );
    case 'variants': {
      const chosen = isVariant(draft) ? node.variants[draft.variant] : undefined;
      return chosen && isVariant(draft)
        ? valueOf(chosen.node, draft.value, true, place, faults)
        : absent();
    }
  }
}

export function isVariant(draft: Draft): draft is VariantDraft {
  return typeof draft === 'object' && draft !== null && 'variant' in draft;
}

const form = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/;

function numberOf(text: string, integer: boolean): number | null {
  if (!form.test(text)) return null;
  const value = Number(text);
  if (!Number.isFinite(value)) return null;
  const whole = Number.isInteger(value);
  return (integer && !whole) || (whole && !Number.isSafeInteger(value)) ? null : value;
}

/** As JSON Schema counts characters: by code points. */
export function lengthOf(text: string): number {
  let length = 0;
  for (const _character of text) length += 1;
  return length;
}

/** One step of a JSON pointer (RFC 6901). */
export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
