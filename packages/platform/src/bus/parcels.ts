import { randomUUID } from 'node:crypto';

/**
 * Carries large bodies past the message server: the sender puts one in, its id travels, the receiver takes it out.
 * What nobody takes is the store's to sweep.
 */
export interface ParcelStore {
  put(body: string): Promise<string>;
  /** Once only; throws when there is no such parcel. */
  take(id: string): Promise<string>;
}

/** Parcels within one process, for tests. */
export function createMemoryParcels(): ParcelStore {
  const bodies = new Map<string, string>();
  return {
    async put(body) {
      const id = randomUUID();
      bodies.set(id, body);
      return id;
    },
    async take(id) {
      const body = bodies.get(id);
      if (body === undefined) throw new Error('no such parcel');
      bodies.delete(id);
      return body;
    },
  };
}
