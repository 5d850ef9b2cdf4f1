interface Selector {
  readonly matchLabels?: Readonly<Record<string, string>>;
}

interface Peer {
  readonly podSelector?: Selector;
  readonly namespaceSelector?: Selector;
  readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
}

interface Rule {
  readonly ports?: readonly { readonly port: number | string; readonly protocol?: string }[];
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
}

interface Metadata {
  readonly name: string;
  readonly labels?: Readonly<Record<string, string>>;
}

interface Namespaced extends Metadata {
  readonly namespace: string;
}

/** A NetworkPolicy, as far as the chart uses them: selectors by labels, named ports of the selected pod. */
export interface Policy {
  readonly metadata: Namespaced;
  readonly spec: {
    readonly podSelector: Selector;
    readonly policyTypes: readonly string[];
    readonly ingress?: readonly Rule[];
    readonly egress?: readonly Rule[];
  };
}

export interface Pod {
  readonly metadata: Namespaced;
  readonly spec: {
    readonly containers: readonly {
      readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
    }[];
  };
  readonly status: { readonly podIP?: string; readonly phase: string };
}

export interface Namespace {
  readonly metadata: Metadata;
}

/** The objects that a filter is made of. */
export interface Surroundings {
  readonly policies: readonly Policy[];
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
}

/**
 * What a network plugin makes of NetworkPolicies, as a ruleset of nftables: a pod that a policy selects may do what one of its
 * policies allows, and nothing else; others may do anything. Answers come back. IPv4 only; what it refuses, it refuses at once.
 */
export function rulesetOf(surroundings: Surroundings): string {
  const { policies } = surroundings;
  const pods = surroundings.pods.filter(
    ({ status }) => status.podIP !== undefined && ['Pending', 'Running'].includes(status.phase),
  );
  const chains: string[] = [];
  const jumps: string[] = [];
  for (const pod of pods) {
    const own = policies.filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace && selects(spec.podSelector, pod),
    );
    for (const [type, mine, other] of [
      ['Egress', 'saddr', 'daddr'],
      ['Ingress', 'daddr', 'saddr'],
    ] as const) {
      const restricting = own.filter(({ spec }) => spec.policyTypes.includes(type));
      if (restricting.length === 0) continue;
      const ip = pod.status.podIP as string;
      const chain = `${type.toLowerCase()}-${ip.replaceAll('.', '-')}`;
      const rules = restricting.flatMap(
        (policy) => (type === 'Egress' ? policy.spec.egress : policy.spec.ingress) ?? [],
      );
      const allowed = rules.flatMap((rule) => allowing(rule, other, pod));
      chains.push(`chain ${chain} {\n${[...allowed, 'reject'].join('\n')}\n}`);
      jumps.push(`ip ${mine} ${ip} jump ${chain}`);
    }
  }
  // What pods send to other pods is forwarded, and what they send to their node or the API server is not.
  const hooks = ['forward', 'input'].map((hook) =>
    [
      `chain ${hook} {`,
      `type filter hook ${hook} priority 10;`,
      'ct state established,related accept',
      ...jumps,
      '}',
    ].join('\n'),
  );
  return ['table ip policies {', ...chains, ...hooks, '}'].join('\n');

  function allowing(rule: Rule, other: string, pod: Pod): string[] {
    const peers = rule.from ?? rule.to ?? [];
    const addresses = peers.flatMap((peer) => addressesOf(peer, other, pod.metadata.namespace));
    // No peers at all: everybody. Peers that are not there: none of them.
    const whom = peers.length === 0 ? [''] : addresses.map((address) => `ip ${other} ${address}`);
    const ports = (rule.ports ?? []).map(
      ({ port, protocol = 'TCP' }) => `${protocol.toLowerCase()} dport ${portOf(port, pod)}`,
    );
    const what = ports.length === 0 ? [''] : ports;
    return whom.flatMap((who) => what.map((how) => [who, how, 'return'].filter(Boolean).join(' ')));
  }

  /** As nftables writes them: an address, a range, or a range without others. */
  function addressesOf(
    { ipBlock, podSelector, namespaceSelector }: Peer,
    other: string,
    namespace: string,
  ): string[] {
    if (ipBlock !== undefined) {
      if (ipBlock.cidr.includes(':')) return [];
      const except = (ipBlock.except ?? []).filter((range) => !range.includes(':'));
      return [
        except.length === 0
          ? ipBlock.cidr
          : `${ipBlock.cidr} ip ${other} != { ${except.join(', ')} }`,
      ];
    }
    const places = surroundings.namespaces
      .filter((place) =>
        namespaceSelector === undefined
          ? place.metadata.name === namespace
          : selects(namespaceSelector, place),
      )
      .map(({ metadata }) => metadata.name);
    return pods
      .filter((pod) => places.includes(pod.metadata.namespace) && selects(podSelector ?? {}, pod))
      .map(({ status }) => status.podIP as string);
  }
}

function portOf(port: number | string, { spec }: Pod): number {
  if (typeof port === 'number') return port;
  const named = spec.containers
    .flatMap(({ ports = [] }) => ports)
    .find(({ name }) => name === port);
  // A port that no container has: nothing comes through.
  return named?.containerPort ?? 0;
}

function selects(selector: Selector, { metadata }: { metadata: Metadata }): boolean {
  const { matchLabels = {}, ...others } = selector;
  // Rather no rule than one that is wrong.
  if (Object.keys(others).length > 0)
    throw new Error(`a selector by ${Object.keys(others).join(', ')} is not translated`);
  return Object.entries(matchLabels).every(([name, value]) => metadata.labels?.[name] === value);
}
