import * as lifecycle from './index.js';
import { create } from './testing/commands.js';
import { subjectOf } from './testing/request.js';
import { SCENARIOS, SITUATION_NAMES, TABLES, checkMatrix } from './testing/matrix.js';

const matrix = checkMatrix(lifecycle, Number.POSITIVE_INFINITY);

describe('a new request', () => {
  test.each(SCENARIOS)('is pending, says so and has its deadlines: $purpose', (scenario) => {
    const { next, ...left } = create(lifecycle, scenario);
    const execution = scenario.purpose === 'authorise_execution';
    const state = {
      decision: 'pending',
      audit: 'unanchored',
      grant: execution ? 'none' : 'not_applicable',
      execution: execution ? 'unclaimed' : 'not_applicable',
    };
    expect(next).toEqual({
      ...state,
      purpose: scenario.purpose,
      revision: 1,
      invalidated: null,
      reviewDeadline: scenario.reviewDeadline,
      grantDeadline: null,
      privateDeleteAt: scenario.privateDeleteAt,
      materialDeleted: false,
      remindedAt: scenario.remindedAt,
      claimed: false,
      outcomeRecorded: false,
      admissions: 0,
    });
    expect(left).toEqual({
      records: [
        {
          type: 'RequestChangedEvent',
          payload: { reason: 'created', revision: 1, state, deadline: scenario.reviewDeadline },
        },
      ],
      deadlines: [
        { kind: 'review', due: scenario.reviewDeadline },
        { kind: 'private_deletion', due: scenario.privateDeleteAt },
        { kind: 'audit_deletion', due: subjectOf(scenario).auditDeleteAt },
      ],
      settled: [],
      incidents: [],
      takes: execution
        ? [{ fact: 'occurrence', value: subjectOf(scenario).execution.action_occurrence_id }]
        : [],
    });
  });
});

describe('the tables of situations and transitions', () => {
  it('name every state that can be reached, once', () => {
    const unnamed = matrix.findings.filter(({ situation }) => !SITUATION_NAMES.includes(situation));
    expect(unnamed.slice(0, 5)).toEqual([]);
  });

  it('name no situation that cannot be reached', () => {
    expect(SITUATION_NAMES.filter((name) => !matrix.situations.has(name))).toEqual([]);
  });

  it('have no row that nothing comes to', () => {
    const unused = TABLES.flat().filter((row) => !matrix.rows.has(row));
    expect(unused.map(({ text }) => text)).toEqual([]);
  });
});

describe('every command acts as its table says', () => {
  test.each(SITUATION_NAMES)('%s', (name) => {
    const findings = matrix.findings.filter(({ situation }) => situation === name);
    expect(findings.slice(0, 5).map(({ text }) => text)).toEqual([]);
  });
});
