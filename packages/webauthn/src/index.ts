export * from './assertion.js';
export * from './registration.js';
