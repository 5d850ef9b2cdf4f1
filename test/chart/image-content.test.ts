import { execFile, execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { startFleet } from '../fault/support/fleet.js';
import type { Fleet, FleetUser } from '../fault/support/fleet.js';
import { report } from '../fault/support/report.js';

const ROOT = resolve(__dirname, '../..');
/** Gateway, services, the worker that opens grants, and the development provider to log in with. */
const TARGETS = [
  ...['request', 'review', 'execution-authority', 'ledger', 'notifier'],
  ...['worker-anchor', 'gateway', 'development-provider', 'schema'],
];
/** Megabytes: an image that grows by a half contains something unintended. */
const MOST_MEGABYTES = 140;

// As the Dockerfile does it, by its own commands, so that the image's content is tested where no engine can build one.
describe('the content of the image', () => {
  const home = mkdtempSync(join(tmpdir(), 'countersign-image-'));
  const [out, app] = [join(home, 'out'), join(home, 'app')];
  const user = unprivileged();
  let fleet: Fleet | undefined;

  beforeAll(() => {
    chmodSync(home, 0o755);
    execFileSync(process.execPath, ['deploy/image/collect.mjs', out], { cwd: ROOT });
    cpSync(join(out, 'manifests'), app, { recursive: true });
    execFileSync('sh', ['-ec', commandsOf('packages').replaceAll('/tmp/', `${out}/`)], {
      cwd: app,
      env: { ...process.env, npm_config_prefer_offline: 'true' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    cpSync(join(out, 'app'), app, { recursive: true });
    execFileSync('chmod', ['-R', 'a-w,a+rX', app]);
  });
  afterAll(async () => {
    await fleet?.stop();
    execFileSync('chmod', ['-R', 'u+w', home]);
    rmSync(home, { recursive: true, force: true });
  });

  it('is packages for production and a bill of all of them, and has a size', () => {
    const kilobytes = Number(execFileSync('du', ['-sk', app], { encoding: 'utf8' }).split('\t')[0]);
    const bill = JSON.parse(readFileSync(join(app, 'sbom.cdx.json'), 'utf8'));
    const listed = new Set(
      bill.components.map(({ group, name }: { group?: string; name: string }) =>
        group === undefined ? name : `${group}/${name}`,
      ),
    );
    const installed = packagesIn(join(app, 'node_modules'));
    report(
      `image: ${Math.round(kilobytes / 1000)} MB beside its base, ${installed.length} packages, ` +
        `${bill.components.length} in its bill of materials`,
    );
    expect(installed.filter((name) => !listed.has(name))).toEqual([]);
    expect(installed).not.toContain('jest');
    expect(installed).not.toContain('typescript');
    const forDevelopers = [
      'tools',
      'node_modules/@countersign/tools',
      'packages/dev-servers',
      'node_modules/@countersign/dev-servers',
    ];
    expect(forDevelopers.filter((path) => existsSync(join(app, path)))).toEqual([]);
    expect(kilobytes / 1000).toBeLessThan(MOST_MEGABYTES);
  });

  it('takes a request through its whole life, as a user without rights on files that it cannot change', async () => {
    fleet = await startFleet(ROOT, { user });
    const members = await Promise.all(TARGETS.map((target) => fleet!.launch(app, target)));
    for (const member of members) await member.serving;
    await fleet.configure(ROOT);
    const command = [join(ROOT, 'tools', 'develop.mjs'), 'demo', '--data', fleet.dataDirectory];
    // Not synchronously: the address of the gateways is in this process.
    const { stdout } = await promisify(execFile)(process.execPath, command);
    expect(stdout).toMatch(/ExecutionOutcome completed/);
    expect(stdout).toMatch(/entries 1 to \d+ chain without a gap/);
  });
});

/** The RUN commands of a stage of the Dockerfile, as one script. */
function commandsOf(stage: string): string {
  const file = readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ');
  const lines =
    file
      .split(`AS ${stage}\n`)[1]
      ?.split(/^FROM /m)[0]
      ?.split('\n') ?? [];
  const commands = lines.flatMap((line) => /^RUN (.*)/.exec(line)?.[1] ?? []);
  expect(commands.length).toBeGreaterThan(0);
  // The place for data is a volume's.
  return commands.filter((command) => !command.startsWith('mkdir -p /data/')).join('\n');
}

/** The image's own user, where this one may become another; its node must be within that user's reach. */
function unprivileged(): FleetUser | null {
  const user = { uid: 65532, gid: 65532 };
  const reachable =
    process.getuid?.() === 0 && spawnSync(process.execPath, ['-e', '0'], user).status === 0;
  return reachable ? user : null;
}

/** Names of the packages of a folder, without ours, which the bill has as workspaces. */
function packagesIn(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => !name.startsWith('.') && name !== '@countersign')
    .flatMap((name) =>
      name.startsWith('@')
        ? readdirSync(join(folder, name)).map((each) => `${name}/${each}`)
        : [name],
    );
}
