import type { Shape } from './shape.js';

/** The types of one operation; null stands for nothing. */
export interface OperationTypes {
  readonly id: string | null;
  readonly input: unknown;
  readonly output: unknown;
  readonly query: object | null;
}

declare const types: unique symbol;

/** One operation as the service declares it (generated/operations.ts). */
export interface Operation<Types extends OperationTypes = OperationTypes> {
  readonly number: number;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  /** Takes an Idempotency-Key. */
  readonly key: boolean;
  readonly preflight: boolean;
  readonly query: readonly string[];
  readonly success: readonly number[];
  /** The record of the answer; null for text. */
  readonly output: Shape | null;
  readonly etag: boolean;
  readonly [types]?: Types;
}

/** The arguments of a call: those that the operation has, and no others. */
export type CallOf<Types extends OperationTypes> = ([Types['id']] extends [null]
  ? { readonly id?: never }
  : { readonly id: string }) &
  ([Types['query']] extends [null]
    ? { readonly query?: never }
    : { readonly query?: Types['query'] }) &
  ([Types['input']] extends [null]
    ? { readonly body?: never }
    : { readonly body: Types['input'] }) & {
    /** Of an operation with a key: yours, for calls that outlive a crash. Otherwise the client makes one. */
    readonly key?: string;
    /** Ends the call, between attempts and within one. */
    readonly signal?: AbortSignal;
  };
