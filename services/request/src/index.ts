export { requestModule } from './module.js';
export type { RequestDeps } from './module.js';
export { QUOTA_AMOUNTS } from './quotas.js';
export { rememberGood } from './remember-good.js';
export { BundleStore } from './store/bundles.js';
export { CreationStore } from './store/creation.js';
export { DirectoryStore } from './store/directory.js';
export { ListStore } from './store/lists.js';
export { RequestStore } from './store/requests.js';
