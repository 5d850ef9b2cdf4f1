export { takeInventory } from './inventory.js';
export type { Inventory, Setting } from './inventory.js';
export { ensureKeys, trustManifest } from './launcher/keys.js';
export { ASKED, messageKeysVariable } from './message-settings.js';
export { TARGETS, assemble } from './modules.js';
export type { Target } from './modules.js';
export { PERMISSIONS } from './permissions.js';
export type { BusPermissions, Hint } from './permissions.js';
