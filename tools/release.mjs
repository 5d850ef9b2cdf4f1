#!/usr/bin/env node
// `npm run release`: puts a built image and the chart into a registry, signed and with attestations (docs/releases.md). All work
// is that of helm, crane and cosign; nothing else than the registry is asked.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { parseDocument } from 'yaml';
import { ROOT, endWithNpm } from './prepare.mjs';

/** Of a release by hand: nothing vouches for the machine. */
const BUILDER = 'urn:countersign:release';

const HELP = `npm run release -- --registry R --image PATH --key KEY [options]

Pushes the image to R/countersign and the chart to R/charts/countersign, signs both, and attests their provenance and the image's bill of
materials. The chart that it pushes names that image by digest. Needs helm, crane and cosign, and each logged in to the
registry; COSIGN_PASSWORD is the password of the key.

  --registry R      such as registry.example/security; a registry on localhost is asked without TLS
  --image PATH      the image: an OCI layout (a folder), or a tarball of docker save
  --key KEY         private key of cosign: a file, or the URI of a key service
  --repository URL  where the commit is from, for the provenance (default: the remote "origin")
  --builder URI     who built it, for the provenance (default: ${BUILDER})
  --help            this text`;

const OPTIONS = {
  registry: { type: 'string' },
  image: { type: 'string' },
  key: { type: 'string' },
  repository: { type: 'string' },
  builder: { type: 'string', default: BUILDER },
  help: { type: 'boolean', default: false },
};

/** A reason not to release, with the remedy. */
class Refusal extends Error {}

const CHART = join(ROOT, 'helm/countersign');
/** The tag of an image that is not signed yet. */
const CANDIDATE = 'candidate';
/** Where the Dockerfile puts it. */
const BILL = 'app/sbom.cdx.json';

endWithNpm();
const started = new Date();
const folder = mkdtempSync(join(tmpdir(), 'countersign-release-'));
try {
  process.exitCode = main();
} catch (error) {
  console.error(error instanceof Refusal ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function main() {
  const given = parsed();
  if (given === null || given.help) {
    console.log(HELP);
    return given === null ? 2 : 0;
  }
  const { registry } = given;
  const chart = parseDocument(readFileSync(join(CHART, 'Chart.yaml'), 'utf8'));
  const { version, appVersion } = chart.toJS();
  const [image, charts] = [`${registry}/countersign`, `${registry}/charts/countersign`];
  const source = sourceOf(given);
  refuseUsed(`${image}:${appVersion}`);
  refuseUsed(`${charts}:${version}`);

  const pushed = run('crane', ['push', resolve(given.image), `${image}:${CANDIDATE}`]).trim();
  checkRevision(pushed, source.commit);
  const certify = certifier(given, write('provenance.json', provenance(source, given)));
  certify(pushed, { cyclonedx: billOf(pushed) });
  run('crane', ['tag', pushed, appVersion]);

  const packed = packChart(chart, image, pushed.replace(/^.*@/, ''));
  run('helm', [
    'push',
    packed,
    `oci://${registry}/charts`,
    ...(isLocal(registry) ? ['--plain-http'] : []),
  ]);
  const chartPushed = `${charts}@${run('crane', ['digest', `${charts}:${version}`]).trim()}`;
  certify(chartPushed);
  console.log(pushed);
  console.log(chartPushed);
  return 0;
}

/** The options, or null when they cannot be meant. */
function parsed() {
  try {
    const { values } = parseArgs({ options: OPTIONS });
    if (values.help) return values;
    const missing = ['registry', 'image', 'key'].filter((name) => !values[name]);
    if (missing.length > 0)
      throw new Error(`${missing.map((name) => `--${name}`).join(', ')}: missing`);
    if (/^\w+:\/\/|\/$/.test(values.registry))
      throw new Error('--registry is a host and a path without scheme: registry.example/security');
    if (!existsSync(values.image)) throw new Error(`--image: there is no ${values.image}`);
    return values;
  } catch (error) {
    console.error(error.message);
    return null;
  }
}

/** What is released: the commit, and nothing beside it. */
function sourceOf({ repository }) {
  const git = (...args) => run('git', ['-C', ROOT, ...args]).trim();
  if (git('status', '--porcelain') !== '')
    throw new Refusal(
      'The work tree has changes that no commit has: commit or remove them, and build the image again.',
    );
  const commit = git('rev-parse', 'HEAD');
  const remotes = git('remote').split('\n');
  const url =
    repository ?? (remotes.includes('origin') ? git('remote', 'get-url', 'origin') : null);
  if (url === null)
    throw new Refusal('There is no remote "origin": say by --repository where the commit is from.');
  return { commit, url: withoutCredentials(url) };
}

/** A remote may have a token in its address, and the provenance is public. */
function withoutCredentials(url) {
  return url.replace(/^(https?:\/\/)[^/]*@/, '$1');
}

/** A tag that was released stays what it is. */
function refuseUsed(reference) {
  const [repository, tag] = [reference.replace(/:[^:]*$/, ''), reference.replace(/^.*:/, '')];
  let tags;
  try {
    tags = run('crane', ['ls', repository]).split('\n');
  } catch (error) {
    if (/NAME_UNKNOWN|NOT_FOUND/.test(error.message)) return;
    throw error;
  }
  if (tags.includes(tag))
    throw new Refusal(
      `${reference} is in the registry: release another version, or remove it there if nobody uses it.`,
    );
}

/** An image says which commit it was built from (`--build-arg REVISION`). */
function checkRevision(image, commit) {
  const { config } = JSON.parse(run('crane', ['config', image]));
  const revision = config?.Labels?.['org.opencontainers.image.revision'];
  if (revision !== commit)
    throw new Refusal(
      `The image was built from ${revision ?? 'an unknown commit'}, and ${commit} is checked out: build it with --build-arg REVISION=$(git rev-parse HEAD).`,
    );
}

/** The bill of materials that is in the image. */
function billOf(image) {
  const tar = join(folder, 'image.tar');
  run('crane', ['export', image, tar]);
  return write('sbom.cdx.json', run('tar', ['-xOf', tar, BILL]));
}

/** The chart as it is, with the image by digest as its own value: installed from the registry, it needs no values about the image. */
function packChart(chart, image, digest) {
  const copy = join(folder, 'countersign');
  cpSync(CHART, copy, { recursive: true });
  const file = join(copy, 'values.yaml');
  const values = parseDocument(readFileSync(file, 'utf8'));
  values.setIn(['image', 'repository'], image);
  values.setIn(['image', 'digest'], digest);
  writeFileSync(file, String(values));
  chart.setIn(
    ['annotations', 'artifacthub.io/images'],
    `- name: countersign\n  image: ${image}@${digest}\n`,
  );
  writeFileSync(join(copy, 'Chart.yaml'), String(chart));
  run('helm', ['package', copy, '--destination', folder]);
  return join(folder, `countersign-${chart.get('version')}.tgz`);
}

/** https://slsa.dev/spec/v1.0/provenance: what this program knows, and no more. */
function provenance({ commit, url }, { builder }) {
  const uri = `git+${url.replace(/^git\+/, '')}`;
  return JSON.stringify({
    buildDefinition: {
      buildType: 'urn:countersign:release:v1',
      externalParameters: { dockerfile: 'deploy/Dockerfile', chart: 'helm/countersign' },
      resolvedDependencies: [{ uri: `${uri}@${commit}`, digest: { gitCommit: commit } }],
    },
    runDetails: {
      builder: { id: builder },
      metadata: { startedOn: started.toISOString(), finishedOn: new Date().toISOString() },
    },
  });
}

/**
 * Signs an artefact by its digest and attests its provenance, and more by its type. Without a transparency log, so that no
 * server is asked but the registry: the public key is all that a verifier needs.
 */
function certifier({ key, registry }, provenanceFile) {
  const made = (what) => {
    const file = join(folder, `${what}.json`);
    run('cosign', [what, 'create', '--out', file]);
    return file;
  };
  const how = [
    ...['--key', key, '--yes'],
    ...['--signing-config', made('signing-config'), '--trusted-root', made('trusted-root')],
    ...(isLocal(registry) ? ['--allow-http-registry'] : []),
  ];
  return (artefact, more = {}) => {
    run('cosign', ['sign', ...how, artefact]);
    for (const [type, file] of Object.entries({ slsaprovenance1: provenanceFile, ...more }))
      run('cosign', ['attest', ...how, '--type', type, '--predicate', file, artefact]);
  };
}

function isLocal(registry) {
  return /^(localhost|127\.0\.0\.1)(:|\/|$)/.test(registry);
}

function write(name, text) {
  const file = join(folder, name);
  writeFileSync(file, text);
  return file;
}

/** What a program writes to stdout. */
function run(command, args) {
  try {
    return execFileSync(command, args, {
      encoding: 'utf8',
      stdio: ['inherit', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
    });
  } catch (error) {
    if (error.code === 'ENOENT')
      throw new Refusal(`${command} is not on PATH: install it (docs/releases.md).`);
    throw new Refusal(`${command} ${args[0]}: ${error.stderr || error.message}`);
  }
}
