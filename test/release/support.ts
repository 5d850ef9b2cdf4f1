import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@countersign/dev-servers';
import { until } from '@countersign/dev-servers/testing';
import { run } from '../chart/tools.js';
import { newFolder } from '../support/folder.js';
import { obtained } from '../support/programs/obtained.js';

/** A registry of the CNCF's distribution, over a folder. */
export async function startRegistry(): Promise<{ address: string; stop(): Promise<void> }> {
  const command = await obtained('registry');
  const folder = newFolder('registry');
  mkdirSync(folder, { recursive: true });
  const address = `127.0.0.1:${await freePort()}`;
  const config = {
    version: 0.1,
    log: { level: 'error' },
    storage: { filesystem: { rootdirectory: join(folder, 'data') } },
    http: { addr: address },
  };
  const file = join(folder, 'config.yml');
  writeFileSync(file, JSON.stringify(config));
  const child = spawn(command, ['serve', file], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await until(
    () =>
      fetch(`http://${address}/v2/`).then(
        ({ ok }) => ok,
        () => false,
      ),
    30_000,
  );
  return {
    address,
    async stop() {
      child.kill();
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An OCI layout of one layer, as an image builder leaves it; `files` are put at its root. */
export function writeLayout(folder: string, files: string, revision: string): void {
  mkdirSync(join(folder, 'blobs', 'sha256'), { recursive: true });
  const blob = (mediaType: string, content: Buffer | string) => {
    const hex = createHash('sha256').update(content).digest('hex');
    writeFileSync(join(folder, 'blobs', 'sha256', hex), content);
    return { mediaType, digest: `sha256:${hex}`, size: Buffer.byteLength(content) };
  };
  const json = (mediaType: string, value: object) => blob(mediaType, JSON.stringify(value));
  const oci = 'application/vnd.oci.image';
  const tar = join(folder, 'layer.tar');
  if (run('tar', ['-C', files, '-cf', tar, '.']).code !== 0) throw new Error('no layer');
  const layer = blob(`${oci}.layer.v1.tar`, readFileSync(tar));
  rmSync(tar);
  const config = json(`${oci}.config.v1+json`, {
    architecture: 'amd64',
    os: 'linux',
    config: { Labels: { 'org.opencontainers.image.revision': revision } },
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  });
  const manifest = json(`${oci}.manifest.v1+json`, {
    schemaVersion: 2,
    mediaType: `${oci}.manifest.v1+json`,
    config,
    layers: [layer],
  });
  writeFileSync(
    join(folder, 'index.json'),
    JSON.stringify({ schemaVersion: 2, manifests: [manifest] }),
  );
  writeFileSync(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
}
