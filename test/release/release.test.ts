import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { CHART, KUBERNETES, ROOT } from '../chart/tools.js';
import { newFolder } from '../support/folder.js';
import { BUILD_MS, obtainedTool } from '../support/programs/obtained.js';
import { startRegistry, writeLayout } from './support.js';

// `npm run release` into a real registry, and what somebody with the public key finds there by the usual tools. No other
// server can be reached meanwhile.

const folder = newFolder('release');
/** As much of a checkout as the command reads, with one commit. */
const checkout = join(folder, 'checkout');
const bin = join(folder, 'bin');
const key = join(folder, 'release.key');
const layout = join(folder, 'image');
const BILL = { bomFormat: 'CycloneDX', specVersion: '1.5', components: [{ name: 'express' }] };
const { version } = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as { version: string };

let registry: Awaited<ReturnType<typeof startRegistry>>;

/** Runs a program with the tools on its PATH and no way out of this machine. */
function ran(command: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(command, args, {
    cwd: checkout,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: folder,
      COSIGN_PASSWORD: 'of the key',
      HTTPS_PROXY: 'http://127.0.0.1:9',
      HTTP_PROXY: 'http://127.0.0.1:9',
    },
  });
  return { code: status, stdout, stderr };
}

function output(command: string, ...args: string[]): string {
  const { code, stdout, stderr } = ran(command, ...args);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
  return stdout.trim();
}

const git = (...args: string[]) =>
  output('git', '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args);

function release(...more: string[]) {
  return ran(
    process.execPath,
    ...['tools/release.mjs', '--registry', registry.address, '--image', layout, '--key', key],
    ...['--repository', 'https://somebody:token@git.example/countersign', ...more],
  );
}

function verified(of: string, command = 'verify', ...more: string[]) {
  return ran(
    'cosign',
    ...[command, '--key', join(folder, 'release.pub'), '--insecure-ignore-tlog', ...more, of],
  );
}

/** The predicate of an attestation that was verified. */
function attested(of: string, type: string): any {
  const { code, stdout, stderr } = verified(of, 'verify-attestation', '--type', type);
  if (code !== 0) throw new Error(stderr);
  const { payload } = JSON.parse(stdout) as { payload: string };
  return JSON.parse(Buffer.from(payload, 'base64').toString()).predicate;
}

beforeAll(async () => {
  mkdirSync(bin, { recursive: true });
  for (const tool of ['helm', 'crane', 'cosign'] as const)
    symlinkSync(obtainedTool(tool), join(bin, tool));
  for (const part of [
    'helm',
    'package.json',
    'tools/release.mjs',
    'tools/prepare.mjs',
    'deploy/root.mjs',
  ]) {
    mkdirSync(dirname(join(checkout, part)), { recursive: true });
    cpSync(join(ROOT, part), join(checkout, part), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  writeFileSync(join(checkout, '.gitignore'), 'node_modules\n');
  git('init', '--quiet');
  git('add', '.');
  git('commit', '--quiet', '--message', 'all');
  const files = join(folder, 'files');
  mkdirSync(join(files, 'app'), { recursive: true });
  writeFileSync(join(files, 'app', 'sbom.cdx.json'), JSON.stringify(BILL));
  writeLayout(layout, files, git('rev-parse', 'HEAD'));
  output('cosign', 'generate-key-pair', '--output-key-prefix', join(folder, 'release'));
  output('cosign', 'generate-key-pair', '--output-key-prefix', join(folder, 'other'));
  registry = await startRegistry();
}, 4 * BUILD_MS);

afterAll(async () => {
  await registry.stop();
  rmSync(folder, { recursive: true, force: true });
});

const tags = (repository: string) =>
  ran('crane', 'ls', `${registry.address}/${repository}`).stdout.split('\n').filter(Boolean);

describe('before anything is released', () => {
  it('names options that are missing', () => {
    expect(
      ran(process.execPath, 'tools/release.mjs', '--registry', 'https://registry.example'),
    ).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--image, --key: missing'),
    });
  });

  it('refuses changes that no commit has', () => {
    writeFileSync(join(checkout, 'LICENSE'), 'another');
    expect(release()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('commit or remove'),
    });
    rmSync(join(checkout, 'LICENSE'));
  });

  it('refuses an image of another commit', () => {
    const old = join(folder, 'old');
    writeLayout(old, join(folder, 'files'), 'f00d');
    const { code, stderr } = release('--image', old);
    expect([code, stderr]).toEqual([1, expect.stringContaining('was built from f00d')]);
    expect(tags('countersign')).toEqual(['candidate']);
  });

  it('releases nothing without a key that signs', () => {
    const { code, stderr } = release('--key', join(folder, 'none.key'));
    expect([code, stderr]).toEqual([1, expect.stringContaining('cosign sign')]);
    expect(tags('countersign')).not.toContain(version);
    expect(tags('charts/countersign')).toEqual([]);
  });
});

describe('a release', () => {
  let image: string;
  let chart: string;
  beforeAll(() => {
    const { code, stdout, stderr } = release();
    expect([code, stderr]).toEqual([0, '']);
    [image = '', chart = ''] = stdout.trim().split('\n');
  });

  it('is an image and a chart under the version, told by digest', () => {
    const digest = (of: string) =>
      output('crane', 'digest', `${registry.address}/${of}:${version}`);
    expect(image).toBe(`${registry.address}/countersign@${digest('countersign')}`);
    expect(chart).toBe(`${registry.address}/charts/countersign@${digest('charts/countersign')}`);
  });

  it('is signed by the key, and by no other', () => {
    for (const artefact of [image, chart]) {
      expect([artefact, verified(artefact).code]).toEqual([artefact, 0]);
      const { code, stderr } = verified(artefact, 'verify', '--key', join(folder, 'other.pub'));
      expect([code === 0, stderr]).toEqual([false, expect.stringMatching(/signature/)]);
    }
  });

  it('tells where both come from, and what is in the image', () => {
    for (const artefact of [image, chart]) {
      expect(attested(artefact, 'slsaprovenance1').buildDefinition.resolvedDependencies).toEqual([
        {
          uri: `git+https://git.example/countersign@${git('rev-parse', 'HEAD')}`,
          digest: { gitCommit: git('rev-parse', 'HEAD') },
        },
      ]);
    }
    expect(attested(image, 'cyclonedx')).toMatchObject(BILL);
  });

  it('installs that image without values about it', () => {
    const { image: _, ...values } = parse(
      readFileSync(join(CHART, 'ci/minimal-values.yaml'), 'utf8'),
    ) as { image: object };
    writeFileSync(join(folder, 'values.json'), JSON.stringify(values));
    const rendered = output(
      'helm',
      ...[
        'template',
        'review',
        `oci://${registry.address}/charts/countersign`,
        '--version',
        version,
      ],
      ...['--plain-http', '--kube-version', KUBERNETES],
      '--values',
      join(folder, 'values.json'),
    );
    const images = parseAllDocuments(rendered)
      .map((document) => document.toJS())
      .filter((object) => object?.kind === 'Deployment')
      .map(({ spec }) => spec.template.spec.containers[0].image);
    expect(images.length).toBeGreaterThan(5);
    expect(new Set(images)).toEqual(new Set([image]));
  });

  it('is not replaced by another one', () => {
    const { code, stderr } = release();
    expect([code, stderr]).toEqual([1, expect.stringContaining(`:${version} is in the registry`)]);
  });
});
