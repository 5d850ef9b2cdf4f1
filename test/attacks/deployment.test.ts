import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PUBLIC_ADDRESSES } from '@countersign/notifier';
import { parse } from 'yaml';
import { rendered, shape } from '../chart/objects.js';
import type { Manifest } from '../chart/objects.js';
import { CHART, ROOT } from '../chart/tools.js';
import { BUILD_MS, obtainedTool } from '../support/programs/obtained.js';

describe('a neighbour on the network of a developer’s machine', () => {
  const { services } = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'));

  it('reaches no port of docker compose: all are published on 127.0.0.1', () => {
    const published = Object.values(services as Record<string, { ports?: string[] }>).flatMap(
      ({ ports = [] }) => ports,
    );
    expect(published.length).toBeGreaterThan(4);
    for (const port of published) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  });
});

describe('a compromised pod', () => {
  beforeAll(() => obtainedTool('helm'), BUILD_MS);

  it.each(['minimal', 'production-ha', 'external', 'openshift', 'all-in-one'])(
    'opens no connection to an arbitrary address with the values %s',
    (values) => {
      const rules = rendered(shape(values))
        .filter(({ kind }: Manifest) => kind === 'NetworkPolicy')
        .flatMap(({ metadata, spec }) =>
          (spec.egress ?? []).map((rule: object) => ({ policy: metadata.name, ...rule })),
        );
      expect(rules.length).toBeGreaterThan(0);
      for (const rule of rules)
        expect(rule).toEqual(expect.objectContaining({ to: expect.anything() }));
    },
  );

  it('reaches the same public addresses that the webhook sender accepts, and no others', () => {
    const { networkPolicy } = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8'));
    expect(networkPolicy.webhooks.peers).toBe('public');
    expect(networkPolicy.publicAddresses).toEqual(
      [PUBLIC_ADDRESSES.ipv4, PUBLIC_ADDRESSES.ipv6].map(({ allowed, except }) => ({
        ipBlock: { cidr: allowed, except },
      })),
    );
  });
});
