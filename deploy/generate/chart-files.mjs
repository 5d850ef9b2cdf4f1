// Files of the chart that follow from the code: its targets, the NATS permissions of each, the settings that each reads,
// README.
import { stringify } from 'yaml';
import { isManaged, valuesRows } from './chart-values.mjs';
import { installed } from './installed.mjs';
import { natsUsers } from './nats-users.mjs';

/** `{NAME: [targets]}`, which the chart routes settings by. */
export function settingReaders(settings) {
  const readers = {};
  for (const [target, variables] of Object.entries(settings)) {
    for (const { name } of variables) (readers[name] ??= []).push(target);
  }
  return JSON.stringify(
    Object.fromEntries(Object.entries(readers).sort(([a], [b]) => (a < b ? -1 : 1))),
  );
}

/**
 * The facts about each target that the chart's templates need: its secrets, its ports, and the destinations of its network
 * policy.
 */
export function chartTargets(table) {
  const targets = installed(table).map(([name, row]) => [
    name,
    {
      ...(row.role && { role: row.role }),
      ...(row.key && { key: row.key }),
      ...(row.messages.length > 0 && { messages: row.messages }),
      ...(row.listens && { listens: true }),
      reaches: [
        ...(row.role ? ['postgres'] : []),
        'nats',
        ...(row.queues ? ['redis'] : []),
        ...row.reaches,
        ...(row.key && row.key !== 'caller' ? ['signer'] : []),
        ...(row.traced ? ['telemetry'] : []),
      ],
      installed: row.installed,
    },
  ]);
  return `# Made of deploy/src/targets.ts by \`npm run generate\`.
${stringify(Object.fromEntries(targets), { lineWidth: 0, aliasDuplicateObjects: false })}`;
}

/** Values for the nats chart: a user for each target, with the rights of that target only. */
export function natsValues(table, hints) {
  const users = natsUsers(table, hints).map(({ user, permissions }) => ({
    user,
    password: `<< $NATS_PASSWORD_${user.toUpperCase().replaceAll('-', '_')} >>`,
    permissions,
  }));
  const environment = Object.fromEntries(
    users.map(({ user, password }) => [
      password.slice(4, -3),
      { valueFrom: { secretKeyRef: { name: 'countersign-nats', key: user } } },
    ]),
  );
  const values = {
    container: { image: { tag: '2.12.3-alpine' }, env: environment },
    config: {
      cluster: { enabled: true, replicas: 3 },
      jetstream: { enabled: false },
      nats: { tls: { enabled: true, secretName: 'nats-server-tls' } },
      merge: { max_payload: '<< 1MB >>', authorization: { users } },
    },
    podTemplate: {
      topologySpreadConstraints: {
        'kubernetes.io/hostname': { maxSkew: 1, whenUnsatisfiable: 'DoNotSchedule' },
      },
    },
  };
  return `# Values for the chart nats (https://nats-io.github.io/k8s), 1.x: a user for each target of Countersign that has the rights of
# the target and no others. Generated from deploy/src/targets.ts by \`npm run generate\`.
#
# Passwords come from the Secret that nats.existingSecret names, a key for each target. "<subject> <queue>" allows a
# subscription in that queue group only. Nothing is kept in streams: messages are hints, so JetStream is off. If you
# share this server and switch it on, set sync_interval to always. The server's certificate, for the name in nats.url, is in
# the Secret nats-server-tls; its authority is what NATS_CA of the chart countersign names.
${stringify(values, { lineWidth: 0 })}`;
}

/** Every variable, for people. */
export function settingsPage(settings) {
  const all = new Map();
  for (const [target, variables] of Object.entries(settings)) {
    for (const setting of variables) {
      const known = all.get(setting.name) ?? { ...setting, targets: [] };
      known.targets.push(target);
      all.set(setting.name, known);
    }
  }
  const readers = (targets) => {
    const others = Object.keys(settings).filter((target) => !targets.includes(target));
    if (others.length > 3) return targets.join(', ');
    return others.length === 0 ? 'all' : `all but ${others.join(', ')}`;
  };
  const row = ({ name, description, fallback, targets }) =>
    `| \`${name}\` | ${cell(description)} | ${fallback === null ? '' : `\`${fallback}\``} | ${readers(targets)} |`;
  return `# Settings

Every variable that a target reads, generated from the code (\`npm run generate\`). Each may also be given as
\`<NAME>_FILE\`, the path of a file that holds the value: the way for secrets. An empty value counts as absent.

| variable | meaning | default | read by |
| --- | --- | --- | --- |
${[...all.values()]
  .sort((a, b) => (a.name < b.name ? -1 : 1))
  .map(row)
  .join('\n')}
`;
}

export function chartReadme(settings) {
  const free = new Set(
    Object.values(settings)
      .flatMap((variables) => variables.map(({ name }) => name))
      .filter((name) => !isManaged(name)),
  );
  const rows = valuesRows().map(
    ({ key, fallback, about }) =>
      `| \`${key}\` | ${cell(about)} | ${fallback === '' || fallback === '""' ? '' : `\`${fallback.replaceAll('|', '\\|')}\``} |`,
  );
  return `# The chart countersign

The chart makes one Deployment for each target, all from one image and one set of keys. It does not include a database, NATS,
Redis or Secrets: create them, and name them in the values. Recommended: CloudNativePG, the nats chart (values for it in
\`examples/nats-values.yaml\`, with the permissions of each target), Valkey or Redis with a replica.

\`\`\`sh
countersign keygen --dir keys --issuer https://review.example
kubectl create namespace countersign
kubectl -n countersign create secret generic countersign-keys --from-file=keys/
# … the other Secrets: docs/operations.md, "Install"
helm -n countersign install countersign helm/countersign -f values.yaml
\`\`\`

\`ci/\` has values for common installations: minimal, production with high availability, everything external, all in one pod,
OpenShift. \`values-dev.yaml\` is for development only. \`UPGRADING.md\` describes upgrades, docs/operations.md everything
else.

\`helm template\` refuses invalid values with a message that names the key and the remedy. It also refuses keys that are not
listed here, except those below \`global\`.

## Values

| key | meaning | default |
| --- | --- | --- |
${rows.join('\n')}

## Settings

\`settings\` and \`secretSettings\`, for all targets, and \`targets.<name>.settings\` take these variables; docs/settings.md
describes them: ${[...free]
    .sort()
    .map((name) => `\`${name}\``)
    .join(', ')}.
`;
}

function cell(text) {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('{', '&#123;');
}
