import type { Digest } from '../primitives.js';

/** The same request in all examples: bot-7 of the tenant acme asks whether to pay an invoice. */
export const ORIGIN = 'https://review.example';
export const REQUEST_ID = '0b9a6c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d';
export const CANDIDATE_ID = '6f1d0c1e-2b5a-4c7e-9a40-0d3c5b7e9f11';
export const BUNDLE_ID = '2c8e4a10-7d3b-4f5a-9c6e-1b2a3d4c5e6f';
export const NAMESPACE = '7d444840-9dc0-41d1-b245-5ffdce74fad2';
export const LEDGER_ID = '3f2504e0-4f89-41d3-9a0c-0305e82c3301';

/** A digest that is easy to tell from others. */
export function digest(pair: string): Digest {
  return `sha256:${pair.repeat(32)}`;
}
