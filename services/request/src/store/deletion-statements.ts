// Every statement of the role of the deletion, by its name.
export * from './deletion.js';
export * from './held.js';
export * from './housekeeping.js';
