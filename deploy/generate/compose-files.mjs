// Files of `docker compose` that follow from the table of targets.
import { parse, stringify } from 'yaml';
import { installed } from './installed.mjs';
import { natsUsers } from './nats-users.mjs';

/** Where a target has its own files, in a volume that no other target has. */
const KEYS = '/data/keys';
/** Where the service that hands them out has these volumes. */
const HANDED = '/handed';

const VOLUMES = /( {2}# Keys of each target[^\n]*\n)[\s\S]*$/;
const SERVICES = /(# Targets: [^\n]*\n)[\s\S]*?(\n {2}# End of targets\.)/;

/** The label of its metrics, as if it ran in one of Kubernetes. */
const NAMESPACE = 'compose';

/** The values of variables in containers; each target gets those that it reads. */
const VALUES = {
  MODE: 'development',
  ORIGIN: 'http://localhost:8080',
  SANDBOX_ORIGIN: 'http://localhost:8081',
  OIDC_ISSUER: 'http://localhost:8082',
  HOST: '0.0.0.0',
  NATS_URL: 'nats://nats:4222',
  REDIS_URL: 'redis://redis:6379',
  TRUST_FILE: `${KEYS}/trust.json`,
  MAIL_FROM: 'countersign@localhost',
  SMTP_URL: 'smtp://mailpit:1025',
  ANCHOR_DIR: '/data/anchor',
  AUTO_REMINDER_SECONDS: '3600',
  SECURITY_LOG_LINES: 'stdout',
  // Nothing is sent without it: `OTEL_EXPORTER_OTLP_ENDPOINT=http://jaeger:4318 docker compose --profile observability up`.
  OTEL_EXPORTER_OTLP_ENDPOINT: '${OTEL_EXPORTER_OTLP_ENDPOINT:-}',
};

/** The text of docker-compose.yml with the services of the targets made anew. */
export function composeFile(text, table, settings, logins) {
  if (!SERVICES.test(text) || !VOLUMES.test(text))
    throw new Error('docker-compose.yml has no place for the targets');
  const targets = Object.fromEntries(
    installed(table).map(([target, row]) => [
      target,
      serviceOf(target, row, settings[target], logins),
    ]),
  );
  const holders = Object.keys(targets).filter((target) => filesOf(targets[target]).length > 0);
  const services = { 'hand-out-keys': handingOut(targets, holders), ...targets };
  const lines = stringify(services, { lineWidth: 0, aliasDuplicateObjects: false })
    .replaceAll(/<<: ["'](\*\w+)["']/g, '<<: $1')
    .replaceAll(/^(?=.)/gm, '  ');
  return text
    .replace(SERVICES, (_, head, end) => `${head}${lines}${end.replace(/^\n/, '')}`)
    .replace(VOLUMES, (_, head) => `${head}${holders.map((of) => `  keys-${of}:\n`).join('')}`);
}

function filesOf({ environment }) {
  return Object.values(environment).filter((value) => value.startsWith(`${KEYS}/`));
}

/** Copies to each target what its variables name, and nothing else. */
function handingOut(targets, holders) {
  const copies = holders.map((target) => {
    const files = filesOf(targets[target]).map((file) =>
      // It is beside the keys there.
      file === VALUES.TRUST_FILE ? '/data/trust.json' : file,
    );
    return `cp ${files.join(' ')} ${HANDED}/${target}/`;
  });
  return {
    '<<': '*tools',
    entrypoint: ['sh', '-ec'],
    command: [`${copies.join('\n')}\n`],
    volumes: ['data:/data:ro', ...holders.map((target) => `keys-${target}:${HANDED}/${target}`)],
    healthcheck: { disable: true },
    depends_on: { 'set-up': { condition: 'service_completed_successfully' } },
  };
}

function serviceOf(target, row, settings, logins) {
  const names = new Set(settings.map(({ name }) => name));
  const reads = (variable) => names.has(variable.replace(/_FILE$/, ''));
  return {
    '<<': '*countersign',
    command: [`--target=${target}`],
    environment: Object.fromEntries([
      ...Object.entries(VALUES).filter(([variable]) => reads(variable)),
      ...(row.role === null ? [] : [['DATABASE_URL', databaseUrl(logins[row.role])]]),
      ['NATS_USER', target],
      ['NATS_PASSWORD', target],
      ...keyFiles(row),
    ]),
    // Without a role it has neither keys nor trust.
    ...(row.role === null
      ? { volumes: [], depends_on: { nats: { condition: 'service_healthy' } } }
      : {
          volumes: [
            `keys-${target}:${KEYS}:ro`,
            ...(reads('ANCHOR_DIR') ? [`anchor:${VALUES.ANCHOR_DIR}`] : []),
          ],
        }),
    // 8082 is the development provider's, which shares this network.
    ...(row.listens && {
      ports: ['127.0.0.1:8080:8080', '127.0.0.1:8081:8081', '127.0.0.1:8082:8082'],
    }),
  };
}

function databaseUrl(login) {
  return `postgres://${login}:${login}@postgres:5432/countersign`;
}

function keyFiles({ key, messages }) {
  const upper = (name) => name.toUpperCase().replaceAll('-', '_');
  const file = (variable, name) => [`${variable}_FILE`, `${KEYS}/${name}`];
  return [
    ...(key === 'caller'
      ? [file('CALLER_PRIVATE_KEY', 'caller.pem')]
      : key === null
        ? []
        : [file(`${upper(key)}_SIGNING_KEY`, `${key}.pem`)]),
    ...messages.map((service) => file(`${upper(service)}_MESSAGE_KEYS`, `${service}.message-keys`)),
    ...(messages.length > 0 && key !== 'caller'
      ? [file('CALLER_PUBLIC_KEY', 'caller.pub.pem')]
      : []),
  ];
}

/** The server's configuration, with the name of each user as its password. */
export function natsConfig(table, hints) {
  const users = natsUsers(table, hints).map(({ user, permissions }) => {
    const { allow_responses: answers, ...rest } = permissions;
    const responses = answers && { allow_responses: { max: answers.max, expires: answers.ttl } };
    return JSON.stringify({ user, password: user, permissions: { ...rest, ...responses } });
  });
  return `# NATS of docker-compose.yml: a user for each target, with the rights of the target and no others. Made of deploy/src/targets.ts
# by \`npm run generate\`.
port: 4222
# For the health check.
http: "127.0.0.1:8222"
max_payload: 1MB
ping_interval: "3s"
ping_max: 2
# Messages are hints and none of ours is in streams; one that is put here is on disk before it is answered.
jetstream {
  store_dir: /data
  sync_interval: always
}
authorization {
  users: [
${users.map((user) => `    ${user}`).join('\n')}
  ]
}
`;
}

/** The logins of the targets, with the name of each as its password: Postgres runs this when its volume is new. */
export function databaseLogins(sql, logins) {
  return `-- Logins of docker-compose.yml. Made by \`npm run generate\`: \`countersign database-roles\`, and passwords for development.
${sql}
${Object.values(logins)
  .map((login) => `ALTER ROLE "${login}" PASSWORD '${login}';`)
  .join('\n')}
`;
}

/** The chart's alerts with the chart's numbers, without those that need Kubernetes. */
export function composeAlerts(template, { objectives, thresholds }) {
  const said = {
    ORIGIN: 'http://localhost:8080',
    RUNBOOK: 'docs/operations.md',
    '%in%': `namespace="${NAMESPACE}"`,
    '%namespace%': NAMESPACE,
    ...Object.fromEntries(
      Object.entries({ ...objectives, ...thresholds }).map(([name, number]) => [
        `%${name}%`,
        number,
      ]),
    ),
  };
  const text = Object.entries(said).reduce(
    (made, [name, by]) => made.replaceAll(name, by),
    template,
  );
  const { groups } = parse(text);
  return `# Made of helm/countersign/files/alerts.yaml by \`npm run generate\`.
${stringify({ groups: groups.filter(({ name }) => name !== 'countersign-kubernetes') })}`;
}

/** Prometheus' configuration beside them. */
export function scrapeConfig(table) {
  const targets = installed(table).map(([target]) => `${target}:9090`);
  return `# Made of deploy/src/targets.ts by \`npm run generate\`.
${stringify({
  global: { scrape_interval: '5s', evaluation_interval: '5s' },
  rule_files: ['/etc/prometheus/alerts.yaml'],
  scrape_configs: [
    {
      job_name: 'countersign',
      static_configs: [{ targets, labels: { namespace: NAMESPACE } }],
    },
  ],
})}`;
}
