// The pages, once in each language: the files without texts are the same and are written once.
import { build } from 'vite';
import { config, inLanguage } from './vite.config.mjs';
import sandboxProxy from './sandbox-proxy.vite.config.mjs';

await build({ ...config, configFile: false, logLevel: 'warn' });
await build({ ...inLanguage('de'), configFile: false, logLevel: 'warn' });
await build({ ...sandboxProxy, configFile: false, logLevel: 'warn' });
