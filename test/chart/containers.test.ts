import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { TARGETS } from '@countersign/deploy';
import { parse } from 'yaml';
import { ROOT } from './tools.js';

/** Checks of the image and of docker-compose.yml without an engine; with its plug-in, compose checks the rest. */
const dockerfile = readFileSync(join(ROOT, 'deploy', 'Dockerfile'), 'utf8');

interface Service {
  readonly image: string;
  readonly command?: string | string[];
  readonly entrypoint?: string[];
  readonly read_only?: boolean;
  readonly cap_drop?: string[];
  readonly security_opt?: string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
}

const compose = parse(readFileSync(join(ROOT, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Service>;
};

describe('the image', () => {
  const last = dockerfile.slice(dockerfile.lastIndexOf('\nFROM '));

  it('runs as a number, and needs no shell', () => {
    expect(last).toMatch(/^USER \d+:\d+$/m);
    for (const instruction of ['ENTRYPOINT', 'CMD', 'HEALTHCHECK .* CMD']) {
      expect(last).toMatch(new RegExp(`^${instruction} \\["`, 'm'));
    }
    expect(last).not.toMatch(/^RUN /m);
  });

  it('comes from bases that can be given by digest', () => {
    const bases = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base);
    // The tools of docker-compose.yml come from the stage that builds.
    expect(bases).toEqual(['${BASE}', 'build', '${BASE}', '${RUNTIME}']);
  });

  it('has packages for production only, and their bill of materials', () => {
    expect(dockerfile).toMatch(/npm ci .*--omit=dev --omit=optional/);
    expect(dockerfile).toMatch(/npm sbom --sbom-format=cyclonedx .* > sbom\.cdx\.json/);
  });

  it('builds from files that the context has', () => {
    const ignored = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    // Built anew in the image, and never taken along.
    expect(ignored).toEqual(
      expect.arrayContaining(['**/node_modules', '**/dist', '**/*.pem', '.env*', '.git']),
    );
    for (const read of ['package.json', 'package-lock.json', 'packages', 'services', 'deploy']) {
      expect(ignored).not.toContain(read);
    }
    for (const file of ['health.mjs', 'collect.mjs', 'prune.mjs']) {
      expect(existsSync(join(ROOT, 'deploy', 'image', file))).toBe(true);
    }
  });
});

describe('docker-compose.yml', () => {
  const { services } = compose;
  const ours = Object.entries(services).filter(([, { image }]) => image.includes('countersign'));

  it('runs every target', () => {
    const running = ours.flatMap(([name, { command }]) =>
      command?.[0]?.startsWith('--target=') ? [[name, command[0].slice('--target='.length)]] : [],
    );
    expect(running.map(([, target]) => target).sort()).toEqual([...TARGETS].sort());
    for (const [name, target] of running) expect(name).toBe(target);
  });

  it('gives its containers as little as the chart does', () => {
    for (const [name, service] of ours) {
      expect([name, service.read_only, service.cap_drop, service.security_opt]).toEqual([
        name,
        true,
        ['ALL'],
        ['no-new-privileges:true'],
      ]);
    }
  });

  it('says that it is for development, where stores need no TLS', () => {
    for (const [name, { environment, command }] of ours) {
      const mode = command?.[0]?.startsWith('--target=') ? environment?.['MODE'] : 'development';
      expect([name, mode]).toEqual([name, 'development']);
    }
  });

  it('mounts files that are there', () => {
    for (const { volumes = [] } of Object.values(services)) {
      for (const volume of volumes) {
        const [from = ''] = volume.split(':');
        if (from.startsWith('.'))
          expect([from, existsSync(join(ROOT, from))]).toEqual([from, true]);
      }
    }
  });

  it('keeps values out of the log of Postgres', () => {
    expect(services['postgres']?.command).toContain('log_error_verbosity=terse');
  });

  // Only the plug-in of Docker Compose can say; a machine without it counts this as skipped.
  const hasCompose = spawnSync('docker', ['compose', 'version']).status === 0;
  (hasCompose ? it : it.skip)('is what compose understands', () => {
    const { status, stderr } = spawnSync('docker', ['compose', 'config', '--quiet'], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([0, '']);
  });
});
