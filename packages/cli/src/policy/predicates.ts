import type { JsonValue } from '@countersign/client/node';

import { isGlob } from './glob.js';
import { valueAt } from './pointer.js';

export type Scalar = string | number | boolean | null;

/** A condition on one argument. A missing value, or one of another type, makes all of them false but `absent`. */
export interface Predicate {
  /** JSON Pointer into the arguments. */
  readonly at: string;
  readonly tests: readonly Test[];
}
export type Test =
  | { readonly is: 'eq' | 'ne'; readonly than: Scalar }
  | { readonly is: 'in'; readonly than: readonly Scalar[] }
  | { readonly is: 'gt' | 'gte' | 'lt' | 'lte'; readonly than: number }
  | { readonly is: 'glob'; readonly than: string }
  | { readonly is: 'present' | 'absent'; readonly than: true };

/** Null when all conditions hold; otherwise why the first one does not. */
export function failing(predicates: readonly Predicate[], args: JsonValue): string | null {
  for (const { at, tests } of predicates) {
    const value = valueAt(args, at);
    for (const test of tests)
      if (!holds(test, value)) return `${at} ${describe(test)} does not hold`;
  }
  return null;
}

function describe({ is, than }: Test): string {
  return is === 'present' || is === 'absent' ? `is ${is}` : `${is} ${JSON.stringify(than)}`;
}

function holds(test: Test, value: JsonValue | undefined): boolean {
  if (test.is === 'absent') return value === undefined;
  if (value === undefined) return false;
  switch (test.is) {
    case 'present':
      return true;
    case 'eq':
      return value === test.than;
    case 'ne':
      return isSameType(value, test.than) && value !== test.than;
    case 'in':
      return test.than.some((each) => each === value);
    case 'glob':
      return typeof value === 'string' && isGlob(test.than, value);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return typeof value === 'number' && compares(test.is, value, test.than);
  }
}

function isSameType(value: JsonValue, than: Scalar): boolean {
  return than === null ? value === null : typeof value === typeof than;
}

function compares(is: 'gt' | 'gte' | 'lt' | 'lte', value: number, than: number): boolean {
  if (is === 'gt') return value > than;
  if (is === 'gte') return value >= than;
  return is === 'lt' ? value < than : value <= than;
}
