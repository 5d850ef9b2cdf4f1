import type { JsonValue } from '@countersign/client/node';

import { isGlob } from './glob.js';
import { failing } from './predicates.js';
import type { Predicate } from './predicates.js';
import type { Template } from './template.js';

export type Decision = 'allow' | 'deny' | 'ask';

/** Which tools may be called, and which only once people authorised the call. */
export interface Policy {
  /** Part of what people authorise: names the server, or the agent, in requests. */
  readonly alias: string;
  /** For tools that no rule names. */
  readonly default: Decision;
  /** Of rules and the default that ask and name none. */
  readonly route: string | null;
  /** Whether that route asks for several people. */
  readonly approvals: boolean;
  /** Whether lists of tools show those that are denied. */
  readonly showDenied: boolean;
  /** A file with variables for the server. */
  readonly envFile: string | null;
  readonly rules: readonly Rule[];
}

export interface Rule {
  /** A name, or a pattern with `*` and `?`. */
  readonly tool: string;
  readonly do: Decision;
  readonly when: readonly Predicate[];
  readonly route: string | null;
  /** Whether its route asks for several people; null for what the policy says. */
  readonly approvals: boolean | null;
  /** What may happen at most once; null for each call of its own. */
  readonly occurrence: Template | null;
  readonly summary: Template | null;
  /** How long a call is held open while people decide. */
  readonly holdMs: number;
  /** How long an authorised call may run. */
  readonly windowSeconds: number;
  /** What a result means that the tool marks as an error. */
  readonly errorMeans: 'completed' | 'failed_partial';
  /** Whether the tool may ask the client for more input in the middle of an authorised call. */
  readonly moreInput: 'refuse' | 'permit';
  /** In the policy's file. */
  readonly line: number;
}

export const USUAL: Pick<Rule, 'holdMs' | 'windowSeconds' | 'errorMeans' | 'moreInput'> = {
  holdMs: 45_000,
  windowSeconds: 300,
  errorMeans: 'completed',
  moreInput: 'refuse',
};

export interface Match {
  readonly do: Decision;
  /** The rule that decides; null where the default does. */
  readonly rule: Rule | null;
  /** Of what asks. */
  readonly route: string | null;
  readonly approvals: boolean;
  /** One line for each rule that was looked at. */
  readonly why: readonly string[];
}

/** What the policy says of a call: the first rule that fits. */
export function match(policy: Policy, tool: string, args: JsonValue): Match {
  const why: string[] = [];
  for (const rule of policy.rules) {
    const name = `line ${rule.line}: ${rule.tool}, ${rule.do}`;
    if (!isGlob(rule.tool, tool)) {
      why.push(`${name}: another tool`);
      continue;
    }
    const fault = failing(rule.when, args);
    if (fault === null) {
      why.push(`${name}: this rule`);
      const { route, approvals } = rule;
      return {
        ...{ do: rule.do, rule, why },
        ...{ route: route ?? policy.route, approvals: approvals ?? policy.approvals },
      };
    }
    why.push(`${name}: ${fault}`);
  }
  why.push(`default: ${policy.default}`);
  const { route, approvals } = policy;
  return { do: policy.default, rule: null, route, approvals, why };
}

/** What calls of a tool can come to, whatever their arguments. */
export function possible(policy: Policy, tool: string): ReadonlySet<Decision> {
  const found = new Set<Decision>();
  for (const rule of policy.rules) {
    if (!isGlob(rule.tool, tool)) continue;
    found.add(rule.do);
    if (rule.when.length === 0) return found;
  }
  return found.add(policy.default);
}
