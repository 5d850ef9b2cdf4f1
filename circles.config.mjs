// No file may import itself by way of others, not even for a type: a type that two files need is in a third, or in the one
// that the other imports.
// Read by dependency-cruiser (`npm run check:circles`); deploy/src/circles.test.ts shows what it refuses.
export default {
  forbidden: [{ name: 'circle', severity: 'error', from: {}, to: { circular: true } }],
  options: {
    exclude: { path: ['(^|/)node_modules/', '(^|/)dist/', '(^|/)generated/'] },
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
