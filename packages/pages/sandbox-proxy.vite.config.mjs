import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

// One script that the sandbox listener puts into the page it serves (services/gateway/src/sandbox/proxy-page.ts).
export const config = defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  publicDir: false,
  build: {
    outDir: 'dist/sandbox',
    target: 'es2022',
    reportCompressedSize: false,
    rollupOptions: {
      input: 'src/sandbox-proxy/main.ts',
      output: { format: 'iife', entryFileNames: 'proxy.js' },
    },
  },
});

export default config;
