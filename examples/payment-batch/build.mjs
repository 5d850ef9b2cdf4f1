// An app is one HTML document: script and style are put into it, and dist/payment-batch.html gets registered.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'vite';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

const { output } = await build({
  root: path('.'),
  configFile: false,
  logLevel: 'warn',
  build: {
    write: false,
    target: 'es2022',
    rollupOptions: { input: path('src/main.ts'), output: { format: 'iife' } },
  },
});
// Inside a script element, only this text would end it.
const script = output[0].code.trim().replaceAll(/<\/script/gi, String.raw`<\/script`);
const style = readFileSync(path('src/app.css'), 'utf8').trim();
const html = readFileSync(path('src/app.html'), 'utf8')
  .replace('<!-- style -->', () => `<style>\n${style}\n</style>`)
  .replace('<!-- script -->', () => `<script>\n${script}\n</script>`);

mkdirSync(path('dist'), { recursive: true });
writeFileSync(path('dist/payment-batch.html'), html);
console.log(
  `payment-batch.html: ${Buffer.byteLength(html)} bytes, ${gzipSync(html, { level: 9 }).length} gzipped`,
);
