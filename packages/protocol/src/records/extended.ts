import { EXTENSION_PROFILES } from '../constants.js';

/** Whether a request or a record about it has the extended form (protocol §18.3): chosen by its profiles, before its shape. */
export function isExtended(profiles: Readonly<Record<string, string>>): boolean {
  return Object.keys(EXTENSION_PROFILES).some((name) => Object.hasOwn(profiles, name));
}
