import { rulesetOf } from './support/own/policies.js';
import type { Pod, Policy, Surroundings } from './support/own/policies.js';

const NAMESPACES = ['ours', 'stores'].map((name) => ({
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
}));
const pod = (
  namespace: string,
  name: string,
  podIP: string,
  ports: Pod['spec']['containers'][0] = {},
): Pod => ({
  metadata: { name, namespace, labels: { app: name } },
  spec: { containers: [ports] },
  status: { podIP, phase: 'Running' },
});
const GATEWAY = pod('ours', 'gateway', '10.244.1.2', {
  ports: [{ name: 'http', containerPort: 8080 }],
});
const POSTGRES = pod('stores', 'postgres', '10.244.2.3');

/** The rules with one policy for the gateway. */
function rulesWith(spec: Partial<Policy['spec']>, more: Partial<Surroundings> = {}): string {
  const metadata = { name: 'policy', namespace: 'ours' };
  const podSelector = { matchLabels: { app: 'gateway' } };
  const policy: Policy = {
    metadata,
    spec: { podSelector, policyTypes: ['Ingress', 'Egress'], ...spec },
  };
  return rulesetOf({
    policies: [policy],
    pods: [GATEWAY, POSTGRES],
    namespaces: NAMESPACES,
    ...more,
  });
}

const chainOf = (rules: string, name: string): string[] =>
  new RegExp(`chain ${name} \\{\\n([^]*?)\\n\\}`).exec(rules)?.[1]?.split('\n') ?? [];
const egress = (rules: string): string[] => chainOf(rules, 'egress-10-244-1-2');
const ingress = (rules: string): string[] => chainOf(rules, 'ingress-10-244-1-2');

describe('rules of nftables from NetworkPolicies', () => {
  it('refuse everything to a selected pod without rules, and nothing to others', () => {
    const rules = rulesWith({});
    expect(egress(rules)).toEqual(['reject']);
    expect(ingress(rules)).toEqual(['reject']);
    expect(rules).not.toContain('10-244-2-3');
  });

  it('hold for connections to nodes as for those to pods', () => {
    const rules = rulesWith({});
    for (const hook of ['forward', 'input'])
      expect(chainOf(rules, hook)).toContain('ip saddr 10.244.1.2 jump egress-10-244-1-2');
  });

  it('leave the direction free that no policy names', () => {
    expect(ingress(rulesWith({ policyTypes: ['Egress'] }))).toEqual([]);
  });

  it('allow a port of the pods of a namespace', () => {
    const to = [
      {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'stores' } },
        podSelector: { matchLabels: { app: 'postgres' } },
      },
    ];
    const rules = rulesWith({ egress: [{ ports: [{ port: 5432 }], to }] });
    expect(egress(rules)).toEqual(['ip daddr 10.244.2.3 tcp dport 5432 return', 'reject']);
  });

  it('allow nothing to peers that are not there', () => {
    const to = [{ podSelector: { matchLabels: { app: 'postgres' } } }];
    expect(egress(rulesWith({ egress: [{ to }] }))).toEqual(['reject']);
  });

  it('allow all callers where a rule has no peers, on the named port', () => {
    const rules = rulesWith({ ingress: [{ ports: [{ port: 'http' }] }] });
    expect(ingress(rules)).toEqual(['tcp dport 8080 return', 'reject']);
  });

  it('allow a range of addresses without others', () => {
    const to = [{ ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '127.0.0.0/8'] } }];
    expect(egress(rulesWith({ egress: [{ to }] }))).toEqual([
      'ip daddr 0.0.0.0/0 ip daddr != { 10.0.0.0/8, 127.0.0.0/8 } return',
      'reject',
    ]);
  });

  it('are refused where a policy says more than they can', () => {
    const podSelector = { matchExpressions: [{ key: 'app', operator: 'Exists' }] } as object;
    expect(() => rulesWith({ podSelector })).toThrow('matchExpressions');
  });
});
