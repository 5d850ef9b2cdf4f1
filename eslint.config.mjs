import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';
import { boundaryRules } from './boundaries.config.mjs';

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
      '**/node_modules/**',
      '**/generated/**',
      '.countersign/**',
      '.turbo/**',
    ],
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.recommended],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/await-thenable': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/only-throw-error': 'error',
      '@typescript-eslint/return-await': ['error', 'in-try-catch'],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
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
  { files: ['services/*/web/**/*.{js,mjs}'], languageOptions: { globals: browserGlobals() } },
);

function nodeGlobals() {
  return Object.fromEntries(
    Object.getOwnPropertyNames(globalThis).map((name) => [name, 'readonly']),
  );
}

function browserGlobals() {
  const names = [
    'window',
    'document',
    'location',
    'crypto',
    'FormData',
    'HTMLElement',
    'CustomEvent',
  ];
  return Object.fromEntries(names.map((name) => [name, 'readonly']));
}
