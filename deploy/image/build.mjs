#!/usr/bin/env node
// Builds the image and says how large it is: node deploy/image/build.mjs [--tag NAME] [--base IMAGE] [--runtime IMAGE]
//
// With --try it also runs one target in it as a cluster would (read-only root, no capabilities, no new privileges), and
// checks that it logs its missing settings. Bases are pulled as usual; where no registry can be reached, import one:
//   debootstrap --variant=minbase bookworm base http://deb.debian.org/debian
//   cp $(which node) base/usr/local/bin/ && cp -a $(npm root -g)/npm base/usr/local/lib/node_modules/   # and links for npm, npx
//   tar -C base -c . | docker import - node:24-bookworm-slim
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';
import { ROOT } from '../root.mjs';

const { values } = parseArgs({
  options: {
    tag: { type: 'string', default: 'countersign:dev' },
    base: { type: 'string' },
    runtime: { type: 'string' },
    network: { type: 'string' },
    try: { type: 'boolean', default: false },
  },
});
const { tag } = values;

if (docker(['info']).status !== 0) {
  console.error('No container engine answers. Start Docker (dockerd), or set DOCKER_HOST.');
  process.exit(1);
}
const start = performance.now();
const given = (flag, value) => (value === undefined ? [] : [flag, value]);
const built = docker(
  [
    'build',
    ...['-f', 'deploy/Dockerfile', '-t', tag],
    ...given('--network', values.network),
    ...(values.base === undefined ? [] : ['--build-arg', `BASE=${values.base}`]),
    ...(values.runtime === undefined ? [] : ['--build-arg', `RUNTIME=${values.runtime}`]),
    '.',
  ],
  'inherit',
);
if (built.status !== 0) process.exit(1);
const size = Number(docker(['image', 'inspect', tag, '--format', '{{.Size}}']).stdout);
console.log(
  `${tag}: ${Math.round(size / 1e6)} MB, built in ${Math.round((performance.now() - start) / 1000)} s`,
);
if (values.try) tryIt();

function tryIt() {
  const safely = ['--read-only', '--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'];
  const user = docker([
    'run',
    '--rm',
    ...safely,
    '--entrypoint',
    'node',
    tag,
    '-p',
    'process.getuid()',
  ]);
  if (Number(user.stdout) === 0) fail('it runs as root');
  const bom = docker([
    'run',
    '--rm',
    ...safely,
    '--entrypoint',
    'node',
    tag,
    '-p',
    "JSON.parse(require('fs').readFileSync('/app/sbom.cdx.json')).components.length",
  ]);
  if (!(Number(bom.stdout) > 50)) fail(`its bill of materials cannot be read: ${bom.stderr}`);
  const id = docker([
    'run',
    '--detach',
    ...safely,
    '--env',
    'MODE=production',
    tag,
    '--target=ledger',
  ]).stdout.trim();
  try {
    // It lacks every setting: it logs that and waits.
    let said = '';
    for (const end = Date.now() + 20_000; !said.includes('cannot start') && Date.now() < end;) {
      said = docker(['logs', id]).stdout;
    }
    if (!said.includes('ORIGIN is missing')) fail(`it does not say what it lacks: ${said}`);
    if (docker(['inspect', id, '--format', '{{.State.Running}}']).stdout.trim() !== 'true')
      fail('it ended');
    console.log(`${tag}: runs read-only as ${user.stdout.trim()}, ${bom.stdout.trim()} components`);
  } finally {
    docker(['rm', '--force', id]);
  }
}

function docker(args, output = 'pipe') {
  return spawnSync('docker', args, {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', output, output],
  });
}

function fail(why) {
  console.error(`${tag}: ${why}`);
  process.exit(1);
}
