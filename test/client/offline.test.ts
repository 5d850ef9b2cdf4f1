import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import * as exportOfNode from '@countersign/client/export';
import * as webhookOfNode from '@countersign/client/webhook';
import type { TrustManifest } from '@countersign/client';
import { loadTrust, verdictText, verifyDocument } from '@countersign/protocol';
import { copiesIn } from '../conformance/evidence/store.js';
import { documentOf, expectationOf } from '../conformance/vectors/vector.js';
import type { Vector } from '../conformance/vectors/vector.js';

// The client's verifiers of files and of webhook calls give what the verifier gives, in both bundles.

const neutral = (name: string): unknown =>
  // eslint-disable-next-line @typescript-eslint/no-require-imports
  require(resolve(__dirname, `../../packages/client/dist/neutral/${name}.js`));
const BUNDLES = {
  node: { ...exportOfNode, ...webhookOfNode },
  neutral: {
    ...(neutral('export') as typeof exportOfNode),
    ...(neutral('webhook') as typeof webhookOfNode),
  },
};
const VECTORS = resolve(__dirname, '../conformance/vectors');
const vectors = readdirSync(VECTORS)
  .filter((file) => file.endsWith('.json'))
  .map((file) => JSON.parse(readFileSync(join(VECTORS, file), 'utf8')) as Vector);

describe.each(Object.entries(BUNDLES))('the bundle %s', (_, bundle) => {
  it('judges every vector in the words of the verifier', () => {
    for (const vector of vectors) {
      const copies = vector.store === null ? null : copiesIn(vector.store);
      const expected = expectationOf(vector);
      const ours = verifyDocument(documentOf(vector), loadTrust(vector.trust), {
        expected,
        copies,
      });
      const theirs = bundle.verifyExport(documentOf(vector), {
        ...{ trust: vector.trust as TrustManifest, expected, copies },
      });
      expect([vector.name, theirs]).toEqual([vector.name, JSON.parse(JSON.stringify(ours))]);
      expect(bundle.verdictText(theirs)).toBe(verdictText(ours));
    }
  });

  it('takes a webhook call that is fresh and addressed to this producer, and no other', () => {
    const saidOf = (name: string): string => {
      const vector = vectors.find((each) => each.name === name)!;
      const body = documentOf(vector);
      const { protected: header, payload } = JSON.parse(Buffer.from(body).toString());
      const { tenant = header.tenant, audience: producer = header.audience } = vector.expected;
      const now = Date.parse(vector.expected['received'] ?? payload.timestamp);
      try {
        const trust = vector.trust as TrustManifest;
        const { deliveryId, event } = bundle.verifyWebhook(body, { trust, tenant, producer, now });
        expect([deliveryId, event]).toEqual([payload.delivery_id, payload.event.payload]);
        return 'ok';
      } catch (fault) {
        return (fault as { reason?: string }).reason ?? String(fault);
      }
    };
    const names = vectors.map(({ name }) => name).filter((name) => name.startsWith('webhook'));
    expect(Object.fromEntries(names.map((name) => [name, saidOf(name)]))).toEqual(
      Object.fromEntries(
        names.map((name) => {
          const { verdict, check } = vectors.find((each) => each.name === name)!;
          return [name, verdict === 'fails' ? (check.reason ?? check.code) : 'ok'];
        }),
      ),
    );
    expect(names.length).toBeGreaterThan(5);
  });
});
