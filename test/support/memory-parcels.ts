import { randomUUID } from 'node:crypto';
import type { ParcelStore } from '@countersign/platform';

/** Parcels within one process. */
export function createMemoryParcels(): ParcelStore {
  const bodies = new Map<string, Uint8Array>();
  return {
    async put(body) {
      const id = randomUUID();
      bodies.set(id, typeof body === 'string' ? Buffer.from(body) : body);
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
