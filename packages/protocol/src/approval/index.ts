export * from './policy.js';
export * from './seats.js';
export * from './tally.js';
