import { parseAllDocuments } from 'yaml';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { obtainedTool } from '../support/programs/obtained.js';
import { CHART, KUBERNETES, run } from './tools.js';
import type { Outcome } from './tools.js';

/** As much of a Kubernetes object as the tests look at. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec: any;
  readonly data?: Readonly<Record<string, string>>;
  readonly automountServiceAccountToken?: boolean;
}

/** The values of shapes that people run. */
export const SHAPES = [
  ...readdirSync(join(CHART, 'ci')).map((file) => join(CHART, 'ci', file)),
  cell('a'),
  cell('b'),
];

const known = new Map<string, Outcome>();

/** The output of `helm template` for values: a path, and settings of single keys. Asked once for the same. */
export function template(values: string, ...settings: readonly string[]): Outcome {
  const asked = JSON.stringify([values, ...settings]);
  const found = known.get(asked) ?? templateAnew(values, settings);
  known.set(asked, found);
  return found;
}

function templateAnew(values: string, settings: readonly string[]): Outcome {
  const set = settings.flatMap((setting) => ['--set-json', setting]);
  return run(obtainedTool('helm'), [
    'template',
    'review',
    CHART,
    ...['--namespace', 'countersign', '--kube-version', KUBERNETES, '-f', values],
    ...set,
  ]);
}

export function rendered(values: string, ...settings: readonly string[]): Manifest[] {
  const { code, stdout, stderr } = template(values, ...settings);
  if (code !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

export function shape(name: string): string {
  return join(CHART, 'ci', `${name}-values.yaml`);
}

/** The values of one of two cells. */
export function cell(name: 'a' | 'b'): string {
  return join(CHART, 'examples', `cells-${name}-values.yaml`);
}

export function component({ metadata }: Manifest): string {
  return metadata.labels['app.kubernetes.io/component'] ?? '';
}
