export * from './custody-read.js';
export * from './legal-hold.js';
