import { randomUUID } from 'node:crypto';
import { QUOTA_AMOUNTS } from '@countersign/request';

const id = randomUUID();
const digest = `sha256:${'0'.repeat(64)}`;

/** By column or parameter: the keys that statements ask for where values are made up. */
export const NAMED: Readonly<Record<string, string>> = {
  ...{ tenant: 't', id, digest, token: digest },
  ...{ owner: 'owner', principal: 'owner', reviewer: 'owner', recipient: 'p' },
  ...{ route: 'route', occurrence: 'o', identity: 'i', nonce: 'nonce', kind: 'review' },
  ...{ subject: 'owner', decision: 'pending', scope: 'owner', operation: 'operation' },
  quota_amounts: JSON.stringify(QUOTA_AMOUNTS),
  // Every service signs those.
  ...{ record_0_type: 'RequestChangedEvent', record_types: 'RequestChangedEvent' },
  ...{ key: 'key', sink: 'otlp', caller: 'owner', human: 'owner', producer: 'owner' },
  ...{ states: 'pending', after: '' },
};

/** A value of a parameter: that of its name, or one of its type. */
export function valueOf(name: string, type: string): unknown {
  if (type.endsWith('[]')) return [valueOf(name, type.slice(0, -2))];
  // At any time; one record of its id.
  if (name === 'before' || /^record_[1-9]/.test(name)) return null;
  const named = NAMED[name];
  if (
    named !== undefined &&
    (/^(text|uuid)$/.test(type) || (type === 'jsonb' && named.startsWith('{')))
  )
    return named;
  if (type === 'uuid') return NAMED['id'];
  // Pages begin with the newest: 9999-12-31.
  if (name === 'at' || name === 'until') return 253_402_300_799_999;
  if (/^(bigint|integer|smallint|double precision|numeric)$/.test(type)) return 1;
  if (type === 'boolean') return true;
  if (type.startsWith('timestamp')) return new Date(0);
  return '{}';
}
