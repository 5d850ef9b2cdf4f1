import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ARCHIVED, refuseProduction } from './archived.js';

const ROOT = join(__dirname, '..', '..', '..');

describe('the first generation', () => {
  it('does not start in production unless somebody says that it is archived', () => {
    const refused = expect.objectContaining({ name: 'ConfigurationError' });
    expect(() => refuseProduction({ NODE_ENV: 'production' })).toThrow(refused);
    for (const wrong of ['', 'yes', 'true', 'Archived']) {
      const variables = { NODE_ENV: 'production', FIRST_GENERATION_ALLOW: wrong };
      expect(() => refuseProduction(variables)).toThrow(refused);
    }
    refuseProduction({ NODE_ENV: 'production', FIRST_GENERATION_ALLOW: 'archived' });
    refuseProduction({ NODE_ENV: 'development' });
    refuseProduction({});
  });

  it('is no workspace, and a dependency of none', () => {
    const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(workspaces.join()).not.toContain('archive');
    const folders = ['packages', 'services'].flatMap((parent) =>
      readdirSync(join(ROOT, parent)).map((name) => join(parent, name)),
    );
    for (const folder of [...folders, 'deploy', 'tools', 'test', '.']) {
      const manifest = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8'));
      const { dependencies, devDependencies, optionalDependencies } = manifest;
      const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies });
      expect(names.join()).not.toContain('first-generation');
    }
  });

  it('is no target', () => {
    const targets = readFileSync(join(ROOT, 'deploy', 'src', 'targets.ts'), 'utf8');
    expect(targets).not.toContain('first-generation');
  });

  it('says so at the top of its README', () => {
    const readme = readFileSync(join(__dirname, '..', 'README.md'), 'utf8');
    expect(readme.split('\n').slice(0, 4).join(' ')).toMatch(/archived and unsupported/i);
    expect(ARCHIVED).toMatch(/archived and unsupported/i);
  });
});
