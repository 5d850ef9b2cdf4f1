/** The sandbox origin by itself, for tests of its confinement (test/browser). */
export { createClientAddresses } from '../client-address.js';
export { allowFrame, setHeaders, trustedHeaders } from '../security-headers.js';
export { createSandboxListener } from './listener.js';
export type { SandboxSettings } from './listener.js';
