import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { boundaryRules } from './boundaries.config.mjs';

// Rules that need no types. Those that do are in oxlint.config.json: it takes a quarter of the time for them.

/** House style (CONTRIBUTING.md) that no ready rule knows. */
const style = [
  {
    selector: 'ExportDefaultDeclaration',
    message: 'No default exports: a name is what one searches for.',
  },
  { selector: 'TSEnumDeclaration', message: 'No enums: a union of literals says the same.' },
];

export default defineConfig(
  {
    ignores: [
      '**/dist/**',
      '**/.types/**',
      '**/node_modules/**',
      '**/generated/**',
      '!packages/client/src/generated/**',
      '.countersign/**',
      '.turbo/**',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommended],
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      eqeqeq: 'error',
    },
  },
  {
    // Answers from the wire have no types, and tests look into any of them.
    files: ['test/**/*.ts', '**/*.test.ts'],
    rules: { '@typescript-eslint/no-explicit-any': 'off' },
  },
  ...boundaryRules(style),
  {
    files: ['**/*.{js,mjs}'],
    languageOptions: { globals: nodeGlobals() },
  },
  // Scripts of one page: one uses the declarations of another.
  {
    files: ['test/browser/hostile-apps/*.js'],
    // `<\/script>`: without the backslash it would end the script around it.
    rules: { 'no-undef': 'off', 'no-unused-vars': 'off', 'no-useless-escape': 'off' },
  },
);

function nodeGlobals() {
  return Object.fromEntries(
    Object.getOwnPropertyNames(globalThis).map((name) => [name, 'readonly']),
  );
}
