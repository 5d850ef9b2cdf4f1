// The chart's values: values.yaml has the defaults and the descriptions; the schema and the README are generated from it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isMap, isScalar, parseDocument } from 'yaml';
import { ROOT } from '../root.mjs';
import { installed } from './installed.mjs';

const FILE = join(ROOT, 'helm', 'countersign', 'values.yaml');

/** Kubernetes' own objects, which Kubernetes checks, and maps whose keys are the user's. `*` stands for one key. */
const OPEN = new Set(
  `commonLabels commonAnnotations service.annotations ingress.annotations httpRoute.annotations
  monitoring.*.labels monitoring.*.annotations migration.annotations migration.podAnnotations migration.resources
  migration.nodeSelector migration.affinity service.extraSpec httpRoute.extraRule defaults.serviceAccount.annotations
  defaults.resources defaults.strategy defaults.nodeSelector defaults.affinity defaults.labels defaults.annotations
  defaults.dnsConfig
  defaults.podLabels defaults.podAnnotations defaults.podSecurityContext defaults.securityContext
  defaults.autoscaling.behavior defaults.probes.*`.split(/\s+/),
);

const string = { type: 'string' };
const reference = (description) => ({
  type: 'object',
  additionalProperties: false,
  required: ['existingSecret'],
  properties: { existingSecret: { ...string, minLength: 1 }, key: string },
  ...(description && { description }),
});
/** A URL, or user name and password, and a certificate; each may come from what all have in common. */
const login = () => ({
  type: 'object',
  additionalProperties: false,
  properties: {
    ...reference().properties,
    ...{ usernameKey: string, passwordKey: string, tlsSecret: string },
  },
});
const named = (names, of) => ({
  type: 'object',
  additionalProperties: false,
  properties: Object.fromEntries(names.map((name) => [name, of(name)])),
});
const share = { type: 'number', minimum: 0, maximum: 99.999 };
const seconds = { type: 'number', exclusiveMinimum: 0 };
const ports = { type: 'array', items: { type: 'integer', minimum: 1, maximum: 65535 } };

/** The constraints of keys that their defaults do not imply. */
const REFINED = {
  mode: { enum: ['production', 'development'] },
  'image.digest': { pattern: '^(sha256:[0-9a-f]{64})?$' },
  'image.pullPolicy': { enum: ['Always', 'IfNotPresent', 'Never'] },
  'nats.auth': { enum: ['password', 'credentials', 'none'] },
  'oidc.clientAuthentication': { enum: ['body', 'basic'] },
  'migration.mode': { enum: ['hook', 'job', 'none'] },
  'service.type': { enum: ['ClusterIP', 'NodePort', 'LoadBalancer'] },
  'monitoring.serviceMonitor.tenants': {
    items: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'existingSecret'],
      properties: { name: string, existingSecret: string, key: string },
    },
  },
  'networkPolicy.*.ports': ports,
  'networkPolicy.*.peers': {
    type: ['array', 'string'],
    if: { type: 'string' },
    then: { const: 'public' },
  },
  'monitoring.prometheusRule.objectives': { properties: { available: share, fast: share } },
  'monitoring.prometheusRule.thresholds.callSlowSeconds': seconds,
  'monitoring.prometheusRule.thresholds.eventLoopLagSeconds': seconds,
  'webhooks.hosts': { items: string },
  extraObjects: { items: { type: ['object', 'string'] } },
  'defaults.pdb': {
    properties: {
      enabled: { type: 'boolean' },
      minAvailable: { type: ['integer', 'string'] },
      maxUnavailable: { type: ['integer', 'string', 'null'] },
    },
  },
  'defaults.replicas': { minimum: 0 },
};

/** Of the table of targets and the variables that each reads. */
export function valuesSchema(table, variables) {
  const values = document().toJS();
  const all = new Map(
    Object.values(variables).flatMap((read) => read.map((setting) => [setting.name, setting])),
  );
  const free = [...all.values()].filter(({ name }) => !isManaged(name));
  const settings = (of) =>
    named(
      of.map(({ name }) => name),
      (name) => settingSchema(all.get(name)),
    );
  const secretSettings = named(
    free.map(({ name }) => name),
    (name) => ({ ...reference(all.get(name).description), required: ['existingSecret', 'key'] }),
  );

  const schema = schemaOf(values, '', descriptions());
  const { properties } = schema;
  const target = properties.defaults;
  delete target.description;
  const targetProperties = target.properties;
  delete targetProperties.settings;
  const withSettings = (of) => ({
    type: 'object',
    additionalProperties: false,
    properties: {
      enabled: { type: 'boolean' },
      ...Object.fromEntries(
        Object.keys(targetProperties).map((key) => [
          key,
          { $ref: `#/definitions/target/properties/${key}` },
        ]),
      ),
      settings: settings(of),
    },
  });
  properties.defaults = withSettings([]);
  delete properties.defaults.properties.enabled;
  properties.targets.properties = Object.fromEntries(
    [...installed(table).map(([name]) => name), 'all'].map((name) => {
      // The templates refuse settings that a target does not read, with a message.
      return [name, withSettings(free)];
    }),
  );
  properties.settings = { ...settings(free), description: properties.settings.description };
  properties.secretSettings = {
    ...secretSettings,
    description: properties.secretSettings.description,
  };
  properties.postgres.properties.roles = named(
    [...new Set(installed(table).flatMap(([, { role }]) => role ?? []))],
    () => login(),
  );
  properties.keys.properties.services = named(
    [...new Set(installed(table).flatMap(([, { key }]) => key ?? []))],
    () => reference(),
  );
  properties.global = { type: 'object', description: 'For parent charts; nothing here reads it' };
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Values of the chart countersign',
    ...schema,
    definitions: { target: { type: 'object', properties: targetProperties } },
  };
}

/** Variables that the chart sets by keys of its own. */
const MANAGED =
  /^(MODE|ORIGIN|SANDBOX_ORIGIN|HEALTH_PORT|HOST|PORT|SANDBOX_PORT|TRUST|CALLER_(PUBLIC|PRIVATE)_KEY|[A-Z_]+_(SIGNING_KEY|MESSAGE_KEYS)|DATABASE_(URL|USERNAME|PASSWORD)(_[A-Z_]+)?|NATS_(URL|USER|PASSWORD|CREDENTIALS)|REDIS_URL|OIDC_.*|SMTP_URL|MAIL_FROM|WEBHOOK_HOSTS|ANCHOR_DIR|ANCHOR_S3_(BUCKET|PREFIX|REGION|ENDPOINT|PATH_STYLE|ACCESS_KEY_ID|SECRET_ACCESS_KEY))$/;

export function isManaged(name) {
  return MANAGED.test(name);
}

function settingSchema({ description, choices }) {
  return {
    type: ['string', 'number', 'boolean'],
    description,
    ...(choices && {
      enum: [
        ...choices,
        ...choices.filter((of) => /^(true|false)$/.test(of)).map((of) => of === 'true'),
      ],
    }),
  };
}

function schemaOf(value, path, described) {
  const extra = REFINED[path] ?? REFINED[path.replace(/\.[^.]+\.(?=[^.]+$)/, '.*.')] ?? {};
  const about = described.get(path);
  const common = { ...(about && { description: about }) };
  if (Array.isArray(value)) return { type: 'array', ...extra, ...common };
  if (value !== null && typeof value === 'object') {
    if (isOpen(path)) return { type: 'object', ...textsOf(path), ...extra, ...common };
    const properties = Object.fromEntries(
      Object.entries(value).map(([key, of]) => [
        key,
        schemaOf(of, path === '' ? key : `${path}.${key}`, described),
      ]),
    );
    return { type: 'object', additionalProperties: false, properties, ...extra, ...common };
  }
  return { type: typeof value === 'number' ? 'integer' : typeof value, ...extra, ...common };
}

/** Kubernetes takes only texts there, and says so for each object by pages: `--set` makes numbers of digits. */
function textsOf(path) {
  return /(annotations|labels|nodeSelector)$/i.test(path) ? { additionalProperties: string } : {};
}

function isOpen(path) {
  const parts = path.split('.');
  return [...OPEN].some((open) => {
    const of = open.split('.');
    return of.length === parts.length && of.every((part, i) => part === '*' || part === parts[i]);
  });
}

function document() {
  return parseDocument(readFileSync(FILE, 'utf8'));
}

/** By path: the comments that begin with `--`, joined. */
function descriptions() {
  const found = new Map();
  const walk = (node, path, inherited) => {
    if (!isMap(node)) return;
    node.items.forEach((pair, index) => {
      const key = String(isScalar(pair.key) ? pair.key.value : pair.key);
      const at = path === '' ? key : `${path}.${key}`;
      const comment = pair.key.commentBefore ?? (index === 0 ? inherited : null);
      const text = described(comment);
      if (text !== null) found.set(at, text);
      walk(pair.value, at, pair.value?.commentBefore ?? null);
    });
  };
  const whole = document();
  walk(whole.contents, '', whole.contents.commentBefore ?? null);
  return found;
}

function described(comment) {
  if (!comment) return null;
  const lines = comment.split('\n').map((line) => line.trim());
  const start = lines.findLastIndex((line) => line.startsWith('-- '));
  if (start < 0) return null;
  return lines.slice(start).join(' ').replace(/^-- /, '');
}

/** Rows of a table: every key with its default and its meaning. */
export function valuesRows() {
  const described_ = descriptions();
  const rows = [];
  const walk = (value, path) => {
    const leaf = value === null || typeof value !== 'object' || Array.isArray(value);
    if (leaf || isOpen(path) || Object.keys(value).length === 0) {
      rows.push({ key: path, fallback: JSON.stringify(value), about: described_.get(path) ?? '' });
      return;
    }
    if (described_.has(path)) rows.push({ key: path, fallback: '', about: described_.get(path) });
    for (const [key, of] of Object.entries(value)) walk(of, path === '' ? key : `${path}.${key}`);
  };
  walk(document().toJS(), '');
  return rows;
}
