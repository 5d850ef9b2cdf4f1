// Builds the page's script into the folder that is given: node build.mjs FOLDER
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

await build({
  root: fileURLToPath(new URL('.', import.meta.url)),
  configFile: false,
  logLevel: 'warn',
  build: {
    outDir: process.argv[2],
    emptyOutDir: false,
    target: 'es2022',
    minify: false,
    reportCompressedSize: false,
    rollupOptions: { input: 'main.ts', output: { format: 'es', entryFileNames: 'app-host.js' } },
  },
});
