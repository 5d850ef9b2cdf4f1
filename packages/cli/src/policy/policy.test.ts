import { isGlob } from './glob.js';
import { match, possible } from './policy.js';
import { readPolicy } from './read.js';
import { filled, templateOf } from './template.js';

const HEAD = 'version: 1\nalias: bank\ndefault: deny\n';
const TEXT = `${HEAD}tools:
  - tool: "get_*"
    do: allow
  - tool: transfer
    when: [{ at: /amount, gte: 0, lte: 1000 }, { at: /currency, in: [EUR] }]
    do: allow
  - tool: transfer
    do: ask
    route: payments
    occurrence: "transfer:{/invoice}"
    hold: 20s
`;
const policy = readPolicy(TEXT, 'guard.yaml');

it.each([
  ['get_balance', {}, 'allow', 5],
  ['transfer', { amount: 10, currency: 'EUR' }, 'allow', 7],
  ['transfer', { amount: 1001, currency: 'EUR' }, 'ask', 10],
  ['transfer', { amount: '10', currency: 'EUR' }, 'ask', 10],
  ['transfer', { currency: 'EUR' }, 'ask', 10],
  ['transfer', { amount: 10 }, 'ask', 10],
  ['transfer', [], 'ask', 10],
  ['forget', {}, 'deny', undefined],
])('%s %j: %s', (tool, args, decision, line) => {
  const found = match(policy, tool, args);
  expect([found.do, found.rule?.line]).toEqual([decision, line]);
});

it('knows where several people decide: as the rule says, or else the policy', () => {
  const rules = `tools:
  - { tool: one, do: ask, route: small, approvals: false }
  - { tool: several, do: ask }
  - { tool: list, do: allow }
`;
  const several = readPolicy(`${HEAD}route: payments\napprovals: true\n${rules}`, 'guard.yaml');
  expect(['one', 'several'].map((tool) => match(several, tool, {}).approvals)).toEqual([
    false,
    true,
  ]);
  expect(match(policy, 'transfer', {}).approvals).toBe(false);
});

it('says of each rule why it does not fit', () => {
  expect(match(policy, 'transfer', { amount: 1001, currency: 'EUR' }).why).toEqual([
    'line 5: get_*, allow: another tool',
    'line 7: transfer, allow: /amount lte 1000 does not hold',
    'line 10: transfer, ask: this rule',
  ]);
});

it('knows what calls of a tool can come to', () => {
  expect([...possible(policy, 'transfer')]).toEqual(['allow', 'ask']);
  expect([...possible(policy, 'forget')]).toEqual(['deny']);
});

const conditions = (text: string) =>
  readPolicy(`${HEAD}tools: [{ tool: t, do: allow, when: [${text}] }]`, 'p');
it.each([
  ['{ at: /a, ne: x }', { a: 'y' }, { a: 'x' }],
  ['{ at: /a, ne: x }', { a: 'y' }, {}],
  ['{ at: /a, ne: x }', { a: 'y' }, { a: 1 }],
  ['{ at: /a, eq: 1 }', { a: 1 }, { a: '1' }],
  ['{ at: /a/0, gt: 1 }', { a: [2] }, { a: [1] }],
  ['{ at: /a, lt: 1 }', { a: 0 }, { a: null }],
  ['{ at: /a, present: true }', { a: null }, {}],
  ['{ at: /a, absent: true }', {}, { a: 1 }],
  ['{ at: /a~1b, glob: "x*z" }', { 'a/b': 'xyz' }, { 'a/b': 'xy' }],
  ['{ at: /constructor, present: true }', { constructor: 1 }, {}],
  ['{ at: /a, in: [1, x] }', { a: 'x' }, { a: ['x'] }],
])('%s holds for %j and not for %j', (text, yes, no) => {
  expect(match(conditions(text), 't', yes).do).toBe('allow');
  expect(match(conditions(text), 't', no as never).do).toBe('deny');
});

it.each([
  ['*', '', true],
  ['a*b*c', 'axxbyyc', true],
  ['a*b*c', 'axxbyy', false],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['a.c', 'abc', false],
  ['', 'a', false],
])('%j matches %j: %s', (pattern, text, expected) => {
  expect(isGlob(pattern, text)).toBe(expected);
});

it('a pattern with many stars takes no exponential time', () => {
  expect(isGlob('*a'.repeat(30), `${'a'.repeat(2_000)}b`)).toBe(false);
});

it.each([
  ['', '1:1: a policy has to be a mapping'],
  ['version: 2\nalias: a\ndefault: deny\n', '1:10: version has to be 1'],
  ['alias: a\ndefault: deny\n', '1:1: version is missing'],
  ['version: 1\ndefault: deny\n', '1:1: alias is missing'],
  ['version: 1\nalias: a\n', '1:1: default is missing'],
  [`${HEAD}default: allow\n`, '4:1: Map keys must be unique'],
  [`${HEAD}colour: red\n`, '4:1: a policy has no colour'],
  [`${HEAD}tools:\n  - tool: x\n`, '5:5: do is missing'],
  [`${HEAD}tools:\n  - tool: x\n    do: ask\n`, '5:5: a rule that asks needs a `route`'],
  [`${HEAD}tools:\n  - tool: x\n    do: maybe\n`, '6:9: do has to be allow or deny or ask'],
  [`${HEAD}tools:\n  - tool: x\n    do: deny\n    hold: 5s\n`, '7:5: hold is for rules that ask'],
  [
    `${HEAD}tools: [{ tool: x, do: allow, when: [{ at: amount, gt: 1 }] }]`,
    '4:44: amount is no JSON',
  ],
  [`${HEAD}tools: [{ tool: x, do: allow, when: [{ at: /a, gt: x }] }]`, '4:52: gt takes a number'],
  [`${HEAD}tools: [{ tool: x, do: allow, when: [{ at: /a }] }]`, '4:38: a condition needs one of'],
  [`${HEAD}route: r\ntools: [{ tool: x, do: ask, hold: soon }]`, '5:35: hold takes a number'],
  [
    `${HEAD}route: r\ntools: [{ tool: x, do: ask, occurrence: "a{b}" }]`,
    '5:41: occurrence may hold',
  ],
  ['version: 1\nalias: a\ndefault: ask\n', '3:10: `default: ask` needs a `route`'],
  [`${HEAD}tools: {`, '4:9: '],
])('%j is refused with its place', (text, says) => {
  expect(() => readPolicy(text, 'guard.yaml')).toThrow(`guard.yaml:${says}`);
});

it('fills templates with values of the arguments', () => {
  const template = templateOf('transfer:{/invoice}/{/n}')!;
  expect(filled(template, { invoice: 'i-1', n: 2 })).toBe('transfer:i-1/2');
  expect(() => filled(template, { n: 2 })).toThrow('/invoice');
  expect(() => filled(template, { invoice: {}, n: 2 })).toThrow('/invoice');
});
