import type { Caller } from '../caller.js';
import type { MessageSealer } from './sealer.js';
import type { MessageVerifier } from './verifier.js';

/**
 * Messages on a bus that is the process itself ({@link Bus.local}): no other process can put one there, change it or read it, so
 * the caller travels as it is, without a token and a code (decisions/0021).
 */
export const LOCAL_SEALER: MessageSealer = {
  async seal(caller, { params, key }) {
    return { token: caller === null ? '' : JSON.stringify(caller), params, key };
  },
};

/** Only for a bus that is {@link Bus.local}: it believes every message. */
export const LOCAL_VERIFIER: MessageVerifier = {
  async verify({ headers: { token = '' }, large }) {
    return { caller: token === '' ? null : (JSON.parse(token) as Caller), large };
  },
};
