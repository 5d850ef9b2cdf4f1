import { createHash } from 'node:crypto';
import type { SchemaJob } from '@countersign/protocol';

/** One key per tenant and job: a tenant learns nothing of another's schemas from how long its own take. */
export function jobKey(tenant: string, { schemaText, responseText }: SchemaJob): string {
  const hash = createHash('sha256');
  for (const part of [tenant, schemaText, responseText ?? '']) {
    hash.update(`${part.length}:`).update(part);
  }
  return hash.update(responseText === null ? '-' : '+').digest('base64');
}

/** Does the same work once for all who want it while it is under way. */
export function sharedWork(): (key: string, work: () => Promise<void>) => Promise<void> {
  const underWay = new Map<string, Promise<void>>();
  return (key, work) => {
    const begun = underWay.get(key);
    if (begun !== undefined) return begun;
    const outcome = work().finally(() => underWay.delete(key));
    underWay.set(key, outcome);
    return outcome;
  };
}
