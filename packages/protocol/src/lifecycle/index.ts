export * from './state.js';
export * from './due.js';
export * from './review.js';
export * from './withdrawal.js';
export * from './retirement.js';
export * from './execution.js';
export * from './eligibility.js';
export * from './configured-by.js';
