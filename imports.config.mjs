// Rules that boundaries.config.mjs cannot state, for they follow imports from file to file. dependency-cruiser reads them
// (`npm run check:imports`); tools/src/imports.test.ts shows that it refuses.

/** The programs for developers, which are not in the image. */
const DEVELOPMENT = '^(tools|packages/dev-servers)/';
const FIRST_COMMAND = '^deploy/start\\.mjs$';

export default {
  forbidden: [
    {
      // No file may import itself by way of others, not even for a type: a type that two files need is in a third, or in
      // the one that the other imports.
      name: 'circle',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      // The product's process and its commands run without the launcher, its servers and the demonstration.
      name: 'development-in-product',
      severity: 'error',
      from: { path: '^(deploy|packages|services)/', pathNot: [DEVELOPMENT, FIRST_COMMAND] },
      to: { path: DEVELOPMENT },
    },
  ],
  options: {
    exclude: { path: ['(^|/)node_modules/', '(^|/)dist/', '(^|/)\\.types/', '(^|/)generated/'] },
    // Types too, which are gone once the code is compiled.
    tsPreCompilationDeps: true,
    combinedDependencies: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      // The sources of the house's own packages, as TypeScript takes them.
      conditionNames: ['types', 'import', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.json'],
    },
  },
};
