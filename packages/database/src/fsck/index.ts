export { fsck, fsckWithin } from './fsck.js';
export { FSCK_FAULTS } from './report.js';
export type { FsckCopies, FsckFault, FsckResult } from './report.js';
