export { commonConfig } from './configuration.js';
export { takeInventory } from './inventory.js';
export type { Inventory, Setting } from './inventory.js';
export { ensureKeys, trustManifest } from './launcher/keys.js';
export { TARGETS, assemble, roleOf } from './modules.js';
export type { Target } from './modules.js';
export { PERMISSIONS } from './permissions.js';
export type { BusPermissions, Hint } from './permissions.js';
