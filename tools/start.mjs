#!/usr/bin/env node
// The first command, `npm start`: installs and builds missing parts, then hands over to src/launcher. Plain Node without
// dependencies, because it runs on a clone with nothing installed.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { Missing, ROOT, endWithNpm, prepare } from './prepare.mjs';

const HELP = `Starts Countersign on this machine, for development: npm start -- [options]

  --port PORT           where it serves (default 8080; 0 takes a free one)
  --sandbox-port PORT   where frames of apps are served, an origin of its own (default 8081; 0 takes a free one)
  --data DIR            where its data are kept (default .countersign in the project)
  --no-demo             do not drive a demonstration through it
  --no-quotas           lift the quotas and rates
  --split               one process per service and worker, over NATS and Redis
  --replicas N|LIST     with --split: N processes of each; or of some, such as gateway=2,worker-delivery=0
  --no-build            start what is built already
  --install-packages    install servers that are missing as Debian packages without asking (as root)
  --help                this text

The development login takes a third port, two above --port.
DATABASE_URL, NATS_URL and REDIS_URL name running servers; without them it starts its own below the data directory.
Ctrl-C stops all that it started; the next start finds its data again.`;

const OPTIONS = {
  port: { type: 'string' },
  'sandbox-port': { type: 'string' },
  data: { type: 'string' },
  'no-demo': { type: 'boolean', default: false },
  'no-quotas': { type: 'boolean', default: false },
  split: { type: 'boolean', default: false },
  replicas: { type: 'string' },
  'no-build': { type: 'boolean', default: false },
  'install-packages': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
};

endWithNpm();
try {
  const options = read(process.argv.slice(2));
  if (options === null) {
    console.log(HELP);
  } else {
    if (options.build) await prepare();
    const { launch } = await import(
      pathToFileURL(join(ROOT, 'tools', 'dist', 'launcher', 'index.js')).href
    );
    await launch(options);
  }
} catch (error) {
  if (!(error instanceof Missing)) throw error;
  console.error(error.message);
  process.exit(1);
}

/** The options of the command line, null for --help. Throws Missing with one line that names the fault. */
function read(args) {
  const values = parsed(args);
  if (values.help) return null;
  if (values.replicas !== undefined && !values.split)
    throw new Missing('--replicas needs --split: npm start -- --split --replicas 2');
  return {
    port: port('port', values.port),
    sandboxPort: port('sandbox-port', values['sandbox-port']),
    data: values.data,
    demo: !values['no-demo'],
    quotas: !values['no-quotas'],
    split: values.split,
    replicas: replicas(values.replicas ?? '1'),
    build: !values['no-build'],
    installPackages: values['install-packages'],
  };
}

function parsed(args) {
  try {
    return parseArgs({ args, options: OPTIONS }).values;
  } catch (error) {
    throw new Missing(
      `${error.message.split('. ')[0]}. \`npm start -- --help\` lists the options.`,
    );
  }
}

function port(name, text) {
  return text === undefined ? undefined : whole(name, text, 0, 65_535);
}

/** A number for each target, or numbers by target; the launcher knows the targets' names. */
function replicas(text) {
  if (!text.includes('=')) return whole('replicas', text, 1, 16);
  return Object.fromEntries(
    text.split(',').map((entry) => {
      const [target, count = ''] = entry.split('=');
      return [target, whole(`replicas ${target}`, count, 0, 16)];
    }),
  );
}

function whole(name, text, least, most) {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw new Missing(`--${name} must be a whole number from ${least} to ${most}, not "${text}".`);
}
