import type { BusBody } from './types.js';

/** The taker of a parcel: a server of that subject, or for null the caller who gets an answer. */
export type ParcelTaker = string | null;

/**
 * Carries large bodies past the message server: the sender puts one in, its id travels, the receiver takes it out.
 * The store sweeps bodies that are not taken.
 */
export interface ParcelStore {
  put(body: BusBody, taker: ParcelTaker): Promise<string>;
  /** UTF-8. Once only; throws when there is no such parcel for that taker. */
  take(id: string, taker: ParcelTaker): Promise<Uint8Array>;
}

/** Of a process that has no store. */
export const NO_PARCELS: ParcelStore = {
  put: () => Promise.reject(new Error('there is no parcel store')),
  take: () => Promise.reject(new Error('there is no parcel store')),
};
