import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Kinds of objects that the chart makes beside those of Kubernetes, as their projects publish them in Go modules. */
const DEFINITIONS = [
  {
    module: 'github.com/prometheus-operator/prometheus-operator@v0.84.0',
    files: ['podmonitors', 'servicemonitors', 'prometheusrules'].map(
      (kind) => `example/prometheus-operator-crd/monitoring.coreos.com_${kind}.yaml`,
    ),
  },
  {
    module: 'github.com/kedacore/keda/v2@v2.17.2',
    files: ['config/crd/bases/keda.sh_scaledobjects.yaml'],
  },
  {
    module: 'sigs.k8s.io/gateway-api@v1.4.0',
    // A Gateway wants all of them, also those that it does not use.
    files: [
      ...['backendtlspolicies', 'gatewayclasses', 'gateways', 'grpcroutes', 'httproutes'],
      'referencegrants',
    ].map((kind) => `config/crd/standard/gateway.networking.k8s.io_${kind}.yaml`),
  },
] as const;

/** What a platform has that values of ours name. */
const PLATFORM = [
  {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'business-critical' },
    value: 1000,
  },
];

/** What is there before the chart is installed. */
export function resourceDefinitions(): object[] {
  const kinds = DEFINITIONS.flatMap(({ module, files }) => {
    const answer = execFileSync('go', ['mod', 'download', '-json', module], {
      cwd: tmpdir(),
      encoding: 'utf8',
    });
    const { Dir } = JSON.parse(answer) as { Dir: string };
    return files.map((file) => parse(readFileSync(join(Dir, file), 'utf8')) as object);
  });
  return [...kinds, ...PLATFORM];
}
