export { fsck, fsckWithin } from './fsck.js';
export { FSCK_FAULTS } from './report.js';
export type {
  FsckCopies,
  FsckCounts,
  FsckFault,
  FsckFinding,
  FsckOptions,
  FsckResult,
} from './report.js';
