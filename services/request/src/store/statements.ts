// Every statement of the role of the service, by its name.
export * from './admin-reads.js';
export * from './answers.js';
export * from './bundles.js';
export * from './creation.js';
export * from './directory.js';
export * from './directory-votes.js';
export * from './expiry.js';
export * from './figures.js';
export * from './history.js';
export * from './holds.js';
export * from './inbox.js';
export * from './key-figures.js';
export * from './keys.js';
export * from './lists.js';
export * from './requests.js';
