import { list, status } from '@countersign/client';
import type { Client, RequestStatus } from '@countersign/client';

/** The requests of an occurrence, the newest first. */
export async function requestsOf(client: Client, occurrence: string): Promise<RequestStatus[]> {
  const { items } = await client.call(list, { query: { occurrence } });
  return Promise.all(items.map(({ id }) => client.call(status, { id })));
}

/** What is recorded of an occurrence that was asked for once. */
export async function recordedOf(client: Client, occurrence: string): Promise<RequestStatus> {
  const all = await requestsOf(client, occurrence);
  if (all.length !== 1) throw new Error(`${all.length} requests of ${occurrence}`);
  return all[0]!;
}
