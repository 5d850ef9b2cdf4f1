export { connect } from './connect.js';
export { ProposalRefused } from './refusal.js';
export type {
  AppInfo,
  Decision,
  Envelope,
  Json,
  Limits,
  Proposal,
  Proposed,
  Purpose,
  View,
} from './types.js';
