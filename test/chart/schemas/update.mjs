#!/usr/bin/env node
// Writes the schemas beside it, which the chart's objects are checked with: of each kind that the chart makes, from the
// OpenAPI document of Kubernetes and the CustomResourceDefinitions of the others, as Go's module proxy has them. Keys
// that a schema does not know are refused. Run it when a version below changes: node test/chart/schemas/update.mjs
import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

const HERE = dirname(fileURLToPath(import.meta.url));
const MODULES = {
  kubernetes: 'k8s.io/kubernetes@v1.34.4',
  operator: 'github.com/prometheus-operator/prometheus-operator@v0.85.0',
  keda: 'github.com/kedacore/keda/v2@v2.17.2',
  secrets: 'github.com/external-secrets/external-secrets@v0.16.2',
  gateway: 'sigs.k8s.io/gateway-api@v1.3.0',
};
const KINDS = {
  ConfigMap: 'io.k8s.api.core.v1.ConfigMap',
  Pod: 'io.k8s.api.core.v1.Pod',
  Service: 'io.k8s.api.core.v1.Service',
  ServiceAccount: 'io.k8s.api.core.v1.ServiceAccount',
  Deployment: 'io.k8s.api.apps.v1.Deployment',
  Job: 'io.k8s.api.batch.v1.Job',
  CronJob: 'io.k8s.api.batch.v1.CronJob',
  HorizontalPodAutoscaler: 'io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler',
  Ingress: 'io.k8s.api.networking.v1.Ingress',
  NetworkPolicy: 'io.k8s.api.networking.v1.NetworkPolicy',
  PodDisruptionBudget: 'io.k8s.api.policy.v1.PodDisruptionBudget',
};
const CUSTOM = [
  [
    MODULES.operator,
    'example/prometheus-operator-crd/monitoring.coreos.com_podmonitors.yaml',
    'v1',
  ],
  [
    MODULES.operator,
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
    'v1',
  ],
  [
    MODULES.operator,
    'example/prometheus-operator-crd/monitoring.coreos.com_prometheusrules.yaml',
    'v1',
  ],
  [MODULES.keda, 'config/crd/bases/keda.sh_scaledobjects.yaml', 'v1alpha1'],
  [MODULES.secrets, 'config/crds/bases/external-secrets.io_externalsecrets.yaml', 'v1'],
  [MODULES.gateway, 'config/crd/standard/gateway.networking.k8s.io_httproutes.yaml', 'v1'],
];

for (const file of readdirSync(HERE)) if (file.endsWith('.json')) rmSync(join(HERE, file));
const { definitions } = JSON.parse(
  readFileSync(join(folderOf(MODULES.kubernetes), 'api/openapi-spec/swagger.json'), 'utf8'),
);
for (const [kind, name] of Object.entries(KINDS)) {
  const [{ group, version }] = definitions[name]['x-kubernetes-group-version-kind'];
  const used = {};
  const root = closed(definitions[name], used);
  write(kind, group, version, { ...root, definitions: used });
}
for (const [module, path, version] of CUSTOM) {
  const { spec } = parse(readFileSync(join(folderOf(module), path), 'utf8'));
  const { schema } = spec.versions.find(({ name }) => name === version);
  const root = closed(schema.openAPIV3Schema, {});
  root.properties.metadata = { type: 'object' };
  write(spec.names.kind, spec.group, version, root);
}

function folderOf(module) {
  const options = { encoding: 'utf8', cwd: tmpdir() };
  return JSON.parse(execFileSync('go', ['mod', 'download', '-json', module], options)).Dir;
}

/** The schema without descriptions, refusing unknown keys; its references go to `used`. */
function closed(schema, used) {
  if (schema === null || typeof schema !== 'object') return schema;
  if (Array.isArray(schema)) return schema.map((one) => closed(one, used));
  if (schema.$ref !== undefined) {
    const name = schema.$ref.replace('#/definitions/', '');
    if (!(name in used)) {
      used[name] = {};
      used[name] = closed(definitions[name], used);
    }
    return { $ref: `#/definitions/${name}` };
  }
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string') {
    return { type: ['integer', 'string'] };
  }
  const kept = {};
  for (const key of [
    'type',
    'enum',
    'required',
    'items',
    'properties',
    'additionalProperties',
    'pattern',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
  ]) {
    if (schema[key] === undefined) continue;
    kept[key] =
      key === 'properties'
        ? Object.fromEntries(
            Object.entries(schema[key]).map(([name, of]) => [name, closed(of, used)]),
          )
        : closed(schema[key], used);
  }
  if (
    kept.properties &&
    kept.additionalProperties === undefined &&
    !schema['x-kubernetes-preserve-unknown-fields']
  ) {
    kept.additionalProperties = false;
  }
  // Quantities may be written as numbers.
  if (schema.description?.startsWith('Quantity is a fixed-point'))
    return { type: ['string', 'number'] };
  return kept;
}

/** As kubeconform asks for it; the core group goes by its version. */
function write(kind, group, version, schema) {
  const name = `${group || version}_${kind}_${version}.json`.toLowerCase();
  writeFileSync(join(HERE, name), `${JSON.stringify(schema)}\n`);
  console.log(`wrote ${name}`);
}
