import type { DecisionRequest } from '@countersign/protocol';

import { formOf } from '../form/model.js';
import type { FormField } from '../form/model.js';
import type { Proposal } from '../review/proposal-slot.js';

/** Refused at once at most: as many as a person can read in one list. */
export const MOST_REFUSED = 20;

const REASON = /\b(reason|comment|note|why|remark|explanation)\b/i;

/**
 * The refusal of a request with a reason; null where its questions ask for more than one text, so that it has to be refused on
 * its own page. The service judges the answer as any other.
 */
export function refusalOf(
  purpose: DecisionRequest['purpose'],
  schema: unknown,
  reason: string,
): Proposal | null {
  const node = formOf(schema);
  if (node.kind !== 'object') return null;
  const required = node.fields.filter((field) => field.required);
  const field = required[0] ?? node.fields.find(isReason);
  if (required.length > 1 || (required.length === 1 && !takes(required[0], reason))) return null;
  const response = field && takes(field, reason) ? { [field.name]: reason } : {};
  return { response, decision: purpose === 'review' ? 'reject' : 'refuse' };
}

function isReason({ name, title }: FormField): boolean {
  return REASON.test(name.replaceAll(/[_-]/g, ' ')) || REASON.test(title);
}

function takes(field: FormField | undefined, text: string): boolean {
  if (field?.node.kind !== 'string') return false;
  const { minLength, maxLength } = field.node;
  const length = [...text].length;
  return length >= minLength && (maxLength === null || length <= maxLength);
}
