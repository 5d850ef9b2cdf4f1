import { EXTENSION_PROFILES, KEY_PROFILE } from '../constants.js';

/** Whether a request or a record about it has the extended form (protocol §18.3): chosen by its profiles, before its shape. */
export function isExtended(profiles: Readonly<Record<string, string>>): boolean {
  return Object.keys(EXTENSION_PROFILES).some((name) => Object.hasOwn(profiles, name));
}

/** Whether people sign the votes of a request with keys of their own (protocol §19): chosen by its profiles too. */
export function asksForKeys(profiles: Readonly<Record<string, string>>): boolean {
  return Object.keys(KEY_PROFILE).some((name) => Object.hasOwn(profiles, name));
}
