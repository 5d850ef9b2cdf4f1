export { ensureKeys, trustManifest } from './keys.js';
export { ASKED, messageKeysVariable } from './message-settings.js';
export { assemble } from './modules.js';
export type { BusPermissions, Hint } from './permissions.js';
export { settingsOf } from './settings.js';
export type { Setting } from './settings.js';
export { signingKeyVariable } from './signing-settings.js';
export { TABLE, TARGETS, rowOf } from './targets.js';
export type { Target, TargetRow } from './targets.js';
