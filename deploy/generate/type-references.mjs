// The `tsconfig.json` of the workspaces: `tsc -b` needs the folders of those that one imports, which its package.json
// already names. The rest of each file is written by hand.
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT, readJson, workspaces } from '../root.mjs';

/** A folder of types without a package of its own: the root refers to it, and its references are kept by hand. */
const WITHOUT_PACKAGE = ['test/browser'];

/** The `tsconfig.json` of a new workspace. */
const FIRST = { extends: '../../tsconfig.base.json', include: ['src/**/*.ts'] };

/** `[{file, make}]`: the `tsconfig.json` of every workspace, and the root's. */
export function typeReferences() {
  const manifests = workspaces().map((folder) => ({
    folder,
    ...readJson(join(folder, 'package.json')),
  }));
  const folderOf = (name) => manifests.find((manifest) => manifest.name === name)?.folder;
  return [
    ...manifests.map(({ folder, dependencies, devDependencies }) =>
      withReferences(
        folder,
        Object.keys({ ...dependencies, ...devDependencies })
          .map(folderOf)
          .filter((found) => found !== undefined),
      ),
    ),
    withReferences('', [...manifests.map(({ folder }) => folder), ...WITHOUT_PACKAGE]),
  ];
}

function withReferences(folder, referred) {
  const file = join(folder, 'tsconfig.json');
  const references = referred.sort().map((other) => {
    const path = relative(folder, other);
    return { path: path.startsWith('.') ? path : `./${path}` };
  });
  const make = () => {
    const whole = existsSync(join(ROOT, file)) ? readJson(file) : { ...FIRST };
    if (references.length > 0) whole.references = references;
    else delete whole.references;
    return JSON.stringify(whole);
  };
  return { file, make };
}
