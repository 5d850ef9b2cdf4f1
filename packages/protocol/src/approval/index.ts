export * from './asking.js';
export * from './membership.js';
export * from './policy.js';
export * from './proposal.js';
export * from './seats.js';
export * from './replay.js';
export * from './tally.js';
export * from './vote.js';
