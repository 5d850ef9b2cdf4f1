#!/usr/bin/env node
// Files that are made from declarations and committed, so that a change of the interface shows in its review.
// `npm run generate` writes them; `--check` (part of `npm run check`) only says which of them are out of date.
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format } from 'oxfmt';
import {
  EXTENSION_PROFILES,
  HOLD_CAPABILITY,
  KEY_PROFILE,
  openApiDocument,
  openApiExtensions,
} from '@countersign/protocol';
import { HINTS } from '@countersign/platform';
import { dashboard } from './dashboards/countersign.mjs';
import { LOGINS, TABLE, TARGETS, databaseRolesSql, settingsOf } from './dist/index.js';
import {
  chartReadme,
  chartTargets,
  cellsNatsValues,
  natsValues,
  settingReaders,
  settingsPage,
} from './generate/chart-files.mjs';
import { valuesSchema } from './generate/chart-values.mjs';
import {
  clientErrors,
  clientOperations,
  clientReasons,
  clientRecords,
  clientVerdict,
} from './generate/client-files.mjs';
import { clientReference } from './generate/client-reference.mjs';
import {
  composeFile,
  databaseLogins,
  natsConfig,
  composeAlerts,
  scrapeConfig,
} from './generate/compose-files.mjs';
import { withTables } from './generate/protocol-tables.mjs';
import { typeReferences } from './generate/type-references.mjs';
import { parse } from 'yaml';
import { ROOT } from './root.mjs';

const CHART = 'helm/countersign';
const PROTOCOL = 'docs/protocol';
const CLIENT = 'packages/client/src/generated';
/** `{name: variables}` of every target. */
const settings = Object.fromEntries(
  await Promise.all(TARGETS.map(async (target) => [target, await settingsOf(target)])),
);
const read = (file) => readFileSync(join(ROOT, file), 'utf8');

/** To generate another file, add a line: its path, and the function that makes its content. */
const GENERATED = [
  {
    file: 'docs/openapi.json',
    make: () => JSON.stringify(openApiDocument('https://review.example')),
  },
  {
    file: 'docs/openapi-extensions.json',
    make: () =>
      JSON.stringify(
        openApiExtensions('https://review.example', {
          ...EXTENSION_PROFILES,
          ...KEY_PROFILE,
          ...HOLD_CAPABILITY,
        }),
      ),
  },
  { file: 'docs/settings.md', make: () => settingsPage(settings) },
  { file: `${CHART}/files/settings.json`, make: () => settingReaders(settings) },
  { file: `${CHART}/files/targets.yaml`, make: () => chartTargets(TABLE) },
  { file: `${CHART}/files/dashboard.json`, make: () => JSON.stringify(dashboard) },
  {
    file: `${CHART}/values.schema.json`,
    make: () => JSON.stringify(valuesSchema(TABLE, settings)),
  },
  { file: `${CHART}/examples/nats-values.yaml`, make: () => natsValues(TABLE, HINTS) },
  { file: `${CHART}/examples/cells-nats-values.yaml`, make: () => cellsNatsValues(TABLE, HINTS) },
  {
    file: 'docker-compose.yml',
    make: () => composeFile(read('docker-compose.yml'), TABLE, settings, LOGINS),
  },
  { file: 'deploy/compose/nats.conf', make: () => natsConfig(TABLE, HINTS) },
  {
    file: 'deploy/compose/database-logins.sql',
    make: () => databaseLogins(databaseRolesSql({ queues: false }), LOGINS),
  },
  { file: 'deploy/compose/prometheus.yml', make: () => scrapeConfig(TABLE) },
  {
    file: 'deploy/compose/alerts.yaml',
    make: () => {
      const { monitoring } = parse(read(`${CHART}/values.yaml`));
      return composeAlerts(read(`${CHART}/files/alerts.yaml`), monitoring.prometheusRule);
    },
  },
  { file: `${CLIENT}/operations.ts`, make: clientOperations },
  { file: `${CLIENT}/records.ts`, make: clientRecords },
  { file: `${CLIENT}/errors.ts`, make: clientErrors },
  { file: `${CLIENT}/reasons.ts`, make: clientReasons },
  { file: `${CLIENT}/verdict.ts`, make: clientVerdict },
  { file: 'docs/client-operations.md', make: clientReference },
  // After the values that it is made of.
  { file: `${CHART}/README.md`, make: () => chartReadme(settings) },
  // Written by hand but for their tables.
  ...readdirSync(join(ROOT, PROTOCOL)).map((name) => {
    const file = `${PROTOCOL}/${name}`;
    return { file, make: () => withTables(read(file)) };
  }),
  // Written by hand but for their references.
  ...typeReferences(),
];

const stale = [];
for (const { file, make } of GENERATED) {
  const path = join(ROOT, file);
  const content = await formatted(file, await make());
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  stale.push(file);
  if (process.argv.includes('--check')) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  console.log(`wrote ${file}`);
}
if (process.argv.includes('--check') && stale.length > 0) {
  console.error(
    `Out of date: ${stale.join(', ')}. Run \`npm run generate\` and commit what it writes.`,
  );
  process.exit(1);
}

/** As `npm run format` would leave it, but for files of which the formatter knows nothing. Throws an Error with its fault. */
async function formatted(file, text) {
  if (/\.(conf|sql)$/.test(file)) return text;
  const { code, errors } = await format(file, text, JSON.parse(read('.oxfmtrc.json')));
  if (errors.length > 0)
    throw new Error(`${file}: ${errors.map(({ message }) => message).join('; ')}`);
  return code;
}
