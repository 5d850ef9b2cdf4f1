// The statements that services share, by their names; {@link TRACE_STATEMENTS} are the ledger's alone.
export { APPROVERS } from './approvers.js';
export { DEADLINE_STATEMENTS } from './deadlines.js';
export { DIRECTORY_STATEMENTS } from './directory.js';
export { PERSON_STATEMENTS } from './known-person.js';
export { PARCEL_STATEMENTS } from './parcels.js';
export { CLOCK_READ } from './pool.js';
export { READING_STATEMENTS } from './readings.js';
export { LARGE_DIGESTS } from './request-row.js';
export { SAVE_SECURITY_EVENTS } from './security-events.js';
export { SAVE_RECORDS } from './step.js';
