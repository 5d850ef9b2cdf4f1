// The pages, once in each language: the files without texts are the same and are written once.
import { build } from 'vite';
import { pack } from './pack.mjs';
import { config, inLanguage, translations } from './vite.config.mjs';
import sandboxProxy from './sandbox-proxy.vite.config.mjs';

await build({ ...config, configFile: false, logLevel: 'warn' });
for (const language of translations) {
  await build({ ...inLanguage(language), configFile: false, logLevel: 'warn' });
}
await build({ ...sandboxProxy, configFile: false, logLevel: 'warn' });
await pack(new URL('dist/assets/', import.meta.url));
