import { isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import type { Node, Pair, YAMLMap } from 'yaml';

import { durationOf } from '../durations.js';
import { stepsOf } from './pointer.js';
import { USUAL } from './policy.js';
import type { Decision, Policy, Rule } from './policy.js';
import type { Predicate, Scalar, Test } from './predicates.js';
import { templateOf } from './template.js';
import type { Template } from './template.js';

/** A policy that cannot be used; the message begins with file, line and column. */
export class PolicyFault extends Error {
  override readonly name = 'PolicyFault';
}

const IDENTIFIER = /^[a-zA-Z0-9_.:@/-]{1,80}$/;

/** @throws PolicyFault */
export function readPolicy(text: string, file: string): Policy {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const [error] = [...document.errors, ...document.warnings];
  if (error !== undefined) throw new PolicyFault(`${place(error.pos[0])}: ${error.message}`);
  return policyOf({ place, lineOf: (offset) => lines.linePos(offset).line }, document.contents);
}

interface Reading {
  place(offset: number): string;
  lineOf(offset: number): number;
}

function fault({ place }: Reading, node: Node | null | undefined, what: string): PolicyFault {
  return new PolicyFault(`${place(node?.range?.[0] ?? 0)}: ${what}`);
}

type Members = ReadonlyMap<string, { readonly key: Node; readonly value: Node | null }>;

/** The members of a mapping that has these names and no others. */
function membersOf(
  reading: Reading,
  node: Node | null | undefined,
  what: string,
  names: readonly string[],
): Members {
  if (!isMap(node)) throw fault(reading, node, `${what} has to be a mapping of ${list(names)}`);
  const members = new Map<string, { key: Node; value: Node | null }>();
  for (const { key, value } of (node as YAMLMap<Node, Node | null>).items as Pair<
    Node,
    Node | null
  >[]) {
    const name = isScalar(key) ? key.value : null;
    if (typeof name !== 'string' || !names.includes(name))
      throw fault(reading, key, `${what} has no ${String(name)}; it has ${list(names)}`);
    members.set(name, { key, value });
  }
  return members;
}

const list = (names: readonly string[]) => names.join(', ');

/** One of these values; undefined when it is absent. */
function choice<T extends string>(
  reading: Reading,
  members: Members,
  name: string,
  choices: readonly T[],
): T | undefined {
  const text = textOf(reading, members, name);
  if (text === undefined || (choices as readonly string[]).includes(text))
    return text as T | undefined;
  throw fault(reading, members.get(name)?.value, `${name} has to be ${choices.join(' or ')}`);
}

function textOf(reading: Reading, members: Members, name: string): string | undefined {
  const member = members.get(name);
  if (member === undefined) return undefined;
  const { key, value } = member;
  if (isScalar(value) && typeof value.value === 'string' && value.value !== '') return value.value;
  throw fault(reading, value ?? key, `${name} has to be a text`);
}

function identifier(reading: Reading, members: Members, name: string): string | undefined {
  const text = textOf(reading, members, name);
  if (text === undefined || IDENTIFIER.test(text)) return text;
  throw fault(
    reading,
    members.get(name)?.value,
    `${name} has to be letters, digits and _.:@/-, 80 at most`,
  );
}

const DECISIONS: readonly Decision[] = ['allow', 'deny', 'ask'];

function policyOf(reading: Reading, node: Node | null): Policy {
  const members = membersOf(reading, node, 'a policy', [
    ...['version', 'alias', 'default', 'route', 'approvals', 'show_denied', 'env_file', 'tools'],
  ]);
  const required = (name: string, how: string): Node | null => {
    const member = members.get(name);
    if (member === undefined) throw fault(reading, node, `${name} is missing: ${how}`);
    return member.value;
  };
  const version = required('version', '`version: 1`');
  if (!isScalar(version) || version.value !== 1)
    throw fault(reading, version, 'version has to be 1');
  required('alias', 'a short name of the server, which people read');
  required('default', '`default: deny`, or ask or allow, for tools that no rule names');
  const route = identifier(reading, members, 'route') ?? null;
  const usual = choice(reading, members, 'default', DECISIONS) as Decision;
  if (usual === 'ask' && route === null)
    throw fault(
      reading,
      members.get('default')?.value,
      '`default: ask` needs a `route`, whose reviewers decide',
    );
  return {
    alias: identifier(reading, members, 'alias') as string,
    default: usual,
    route,
    approvals: choiceOfTruth(reading, members, 'approvals') ?? false,
    showDenied: choiceOfTruth(reading, members, 'show_denied') ?? false,
    envFile: textOf(reading, members, 'env_file') ?? null,
    rules: rulesOf(reading, members.get('tools')?.value, route),
  };
}

function choiceOfTruth(reading: Reading, members: Members, name: string): boolean | undefined {
  const member = members.get(name);
  if (member === undefined) return undefined;
  if (isScalar(member.value) && typeof member.value.value === 'boolean') return member.value.value;
  throw fault(reading, member.value ?? member.key, `${name} has to be true or false`);
}

function rulesOf(reading: Reading, node: Node | null | undefined, route: string | null): Rule[] {
  if (node === undefined) return [];
  if (!isSeq(node)) throw fault(reading, node, 'tools has to be a list of rules');
  return (node.items as Node[]).map((item) => ruleOf(reading, item, route));
}

const RULE = [
  ...['tool', 'do', 'when', 'route', 'occurrence', 'summary', 'hold', 'window', 'error_means'],
  ...['more_input', 'approvals'],
];

function ruleOf(reading: Reading, node: Node, route: string | null): Rule {
  const members = membersOf(reading, node, 'a rule', RULE);
  const tool = textOf(reading, members, 'tool');
  if (tool === undefined) throw fault(reading, node, 'tool is missing: a name, or a pattern');
  const decision = choice(reading, members, 'do', DECISIONS);
  if (decision === undefined) throw fault(reading, node, 'do is missing: allow, deny or ask');
  const own = identifier(reading, members, 'route') ?? null;
  if (decision === 'ask' && own === null && route === null)
    throw fault(reading, node, 'a rule that asks needs a `route`, whose reviewers decide');
  const onlyAsk = RULE.slice(3).find((name) => members.has(name));
  if (decision !== 'ask' && onlyAsk !== undefined)
    throw fault(reading, members.get(onlyAsk)?.key, `${onlyAsk} is for rules that ask`);
  const seconds = time(reading, members, 'window');
  if (seconds !== undefined && seconds < 1_000)
    throw fault(reading, members.get('window')?.value, 'window has to be a second or more');
  return {
    ...{ tool, do: decision, when: conditionsOf(reading, members.get('when')), route: own },
    approvals: choiceOfTruth(reading, members, 'approvals') ?? null,
    occurrence: template(reading, members, 'occurrence'),
    summary: template(reading, members, 'summary'),
    holdMs: time(reading, members, 'hold') ?? USUAL.holdMs,
    windowSeconds: seconds === undefined ? USUAL.windowSeconds : seconds / 1_000,
    errorMeans:
      choice(reading, members, 'error_means', ['completed', 'failed_partial'] as const) ??
      USUAL.errorMeans,
    moreInput:
      choice(reading, members, 'more_input', ['refuse', 'permit'] as const) ?? USUAL.moreInput,
    line: reading.lineOf(node.range?.[0] ?? 0),
  };
}

function time(reading: Reading, members: Members, name: string): number | undefined {
  const text = textOf(reading, members, name);
  if (text === undefined) return undefined;
  try {
    return durationOf(name, text);
  } catch (error) {
    throw fault(reading, members.get(name)?.value, (error as Error).message);
  }
}

function template(reading: Reading, members: Members, name: string): Template | null {
  const text = textOf(reading, members, name);
  if (text === undefined) return null;
  const found = templateOf(text);
  if (found !== null) return found;
  throw fault(
    reading,
    members.get(name)?.value,
    `${name} may hold values of the arguments as JSON Pointers in braces, such as {/invoice}`,
  );
}

const TESTS = ['eq', 'ne', 'in', 'gt', 'gte', 'lt', 'lte', 'glob', 'present', 'absent'] as const;

function conditionsOf(
  reading: Reading,
  member: { readonly key: Node; readonly value: Node | null } | undefined,
): Predicate[] {
  if (member === undefined) return [];
  const { key, value } = member;
  if (!isSeq(value)) throw fault(reading, value ?? key, 'when has to be a list of conditions');
  return (value.items as Node[]).map((item) => {
    const members = membersOf(reading, item, 'a condition', ['at', ...TESTS]);
    const at = textOf(reading, members, 'at');
    if (at === undefined) throw fault(reading, item, 'at is missing: a JSON Pointer');
    if (stepsOf(at) === null)
      throw fault(reading, members.get('at')?.value, `${at} is no JSON Pointer, such as /amount`);
    const tests = TESTS.filter((name) => members.has(name)).map((name) =>
      testOf(reading, name, members.get(name)?.value ?? null),
    );
    if (tests.length === 0) throw fault(reading, item, `a condition needs one of ${list(TESTS)}`);
    return { at, tests };
  });
}

function testOf(reading: Reading, is: Test['is'], node: Node | null): Test {
  const wrong = (what: string) => fault(reading, node, `${is} takes ${what}`);
  if (is === 'in') {
    if (!isSeq(node)) throw wrong('a list of texts, numbers and truth values');
    return { is, than: (node.items as Node[]).map((item) => scalarOf(reading, is, item)) };
  }
  const than = scalarOf(reading, is, node);
  if (is === 'present' || is === 'absent') {
    if (than !== true) throw wrong('true');
    return { is, than };
  }
  if (is === 'eq' || is === 'ne') return { is, than };
  if (is === 'glob') {
    if (typeof than !== 'string') throw wrong('a pattern with * and ?');
    return { is, than };
  }
  if (typeof than !== 'number') throw wrong('a number');
  return { is, than };
}

function scalarOf(reading: Reading, is: string, node: Node | null): Scalar {
  const value: unknown = isScalar(node) ? node.value : undefined;
  const isNumber = typeof value === 'number' && Number.isFinite(value);
  if (value === null || isNumber || typeof value === 'string' || typeof value === 'boolean')
    return value;
  throw fault(reading, node, `${is} takes a text, a number or a truth value`);
}
