import type { Scenario } from './scenario.js';

/** Loaded only when asked for. */
export const SCENARIOS: Readonly<Record<string, () => Promise<Scenario>>> = {
  approvals: async () => (await import('./approvals/approvals.js')).approvals,
  anchoring: async () => (await import('./anchoring/anchoring.js')).anchoring,
  deadlines: async () => (await import('./deadlines/deadlines.js')).deadlines,
  deletion: async () => (await import('./deletion/deletion.js')).deletion,
  drain: async () => (await import('./drain/drain.js')).drain,
  growth: async () => (await import('./growth/growth.js')).growth,
  neighbours: async () => (await import('./neighbours/neighbours.js')).neighbours,
  overload: async () => (await import('./overload/overload.js')).overload,
  peers: async () => (await import('./peers/peers.js')).peers,
};
