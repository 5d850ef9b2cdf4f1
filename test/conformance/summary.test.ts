import {
  answersOf,
  loadTrust,
  summaryOf,
  verdictText,
  verifyDocument,
} from '@countersign/protocol';
import type { Expected, Verdict } from '@countersign/protocol';
import { copiesIn } from './evidence/store.js';
import { allVectors } from './vectors/all.js';
import { documentOf, expectationOf, witnessesOf } from './vectors/vector.js';
import type { Vector } from './vectors/vector.js';

const verdicts = new Map(
  allVectors().map((vector): [string, Verdict] => {
    const copies = vector.store === null ? null : copiesIn(vector.store);
    const options = { expected: expectationOf(vector), copies, witnesses: witnessesOf(vector) };
    return [vector.name, verifyDocument(documentOf(vector), loadTrust(vector.trust), options)];
  }),
);
const verdictOf = (name: string): Verdict => verdicts.get(name) as Verdict;
const sectionsOf = (name: string) =>
  Object.fromEntries(summaryOf(verdictOf(name), 'flag').sections.map((s) => [s.title, s.lines]));

describe('the verdict for people', () => {
  it('has at most 25 lines, whatever the file is', () => {
    const long = [...verdicts].filter(
      ([, verdict]) => verdictText(verdict).split('\n').length > 25,
    );
    expect(long.map(([name]) => name)).toEqual([]);
  });

  it('tells the lifecycle in up to six lines, and what vouches for it', () => {
    const { 'What happened': story, 'What vouches for it': vouching } =
      sectionsOf('export-executed');
    expect(story?.map((line) => line.slice(26))).toEqual([
      expect.stringMatching(/^bot-7 of acme asked for owner-1 .*Pay invoice 4711/),
      expect.stringMatching(/^rev-2 decided: authorise/),
      expect.stringMatching(/^runner-1\/run-88 claimed/),
      expect.stringMatching(/was admitted/),
      'bot-7 (producer) reported the outcome: completed.',
    ]);
    expect(vouching).toContain('Signed by keys of the manifest: 9 of 9 records.');
    expect(vouching).toContain('The anchor store holds exactly this checkpoint.');
    expect(sectionsOf('export-admissions-65')['What happened']).toHaveLength(6);
  });

  it('names everyone whose vote decided, with group and stage', () => {
    const decided = (name: string) =>
      sectionsOf(name)['What happened']?.filter((line) => line.includes(' decided: '));
    const names = (name: string) => decided(name)?.map((line) => line.slice(26));
    expect(names('approvals-two-stages')).toEqual([
      expect.stringMatching(
        /^fin-1 \(finance, stage 1\), plat-1 \(platform, stage 2\) and plat-4 \(platform, stage 2\) decided: authorise; the grant ends/,
      ),
    ]);
    expect(names('approvals-veto')).toEqual([expect.stringMatching(/^[\w-]+ decided: refuse\.$/)]);
    expect(names('approvals-two-noes')).toEqual([
      expect.stringMatching(/^[\w-]+ and [\w-]+ decided: refuse\.$/),
    ]);
    // Each vote is in the timeline; without a receipt also in the summary.
    expect(sectionsOf('approvals-two-stages')['What happened']).toHaveLength(2);
    expect(sectionsOf('approvals-pending')['What happened']?.join('\n')).toMatch(
      / voted: authorise/,
    );
    expect(verdictText(verdictOf('approvals-two-stages'), { details: true })).toMatch(
      / plat-1 voted: authorise \(platform\)/,
    );
  });

  it('offers expectations that were not given, and calls none of them open', () => {
    for (const [name, verdict] of verdicts) {
      const open = summaryOf(verdict, 'flag').sections.find(({ title }) => title === 'Open');
      expect([name, open?.lines.join() ?? '']).toEqual([
        name,
        expect.not.stringMatching(/expected_|_ledger\]/),
      ]);
    }
    expect(sectionsOf('export-executed')['Open']).toBeUndefined();
    expect(sectionsOf('export-executed')['More']?.[0]).toMatch(/--binding, --tenant/);
  });

  it('says that the service alone vouches for its ledger without a copy of the anchor store', () => {
    const { headline } = summaryOf(verdictOf('export-executed-without-store'), 'field');
    expect(headline).toMatch(/^INCOMPLETE\. Nothing fails, but the service alone vouches/);
    expect(sectionsOf('export-executed-without-store')['More']?.[0]).toMatch(/: --store$/);
  });

  it('offers an outside voucher only while there is none', () => {
    const more = (name: string) => sectionsOf(name)['More']?.join('\n');
    expect(more('evidence-alone')).toMatch(/: --store\n.*: --witness-policy\n/);
    for (const name of ['evidence-store', 'evidence-witnessed', 'export-executed']) {
      expect([name, more(name)]).toEqual([name, expect.not.stringMatching(/--store|--witness/)]);
    }
  });

  it('answers apart whether the file is genuine, and whether it is the one that is meant', () => {
    const given = (name: string, expected: Expected) => {
      const vector = allVectors().find((each) => each.name === name) as Vector;
      const options = { expected: { ...expectationOf(vector), ...expected } };
      return answersOf(verifyDocument(documentOf(vector), loadTrust(vector.trust), options));
    };
    expect(answersOf(verdictOf('evidence-witnessed'))).toEqual({
      genuine: 'yes',
      meant: 'unasked',
    });
    expect(given('evidence-alone', {})).toEqual({ genuine: 'alone', meant: 'unasked' });
    expect(given('evidence-alone', { tenant: 'acme' })).toEqual({ genuine: 'alone', meant: 'yes' });
    expect(given('evidence-alone', { tenant: 'other' })).toEqual({ genuine: 'alone', meant: 'no' });
    // One expectation that holds makes up for none that fails.
    expect(given('evidence-alone', { tenant: 'acme', audience: 'bot-8' }).meant).toBe('no');
    expect(answersOf(verdictOf('export-payload')).genuine).toBe('no');
    for (const [name, verdict] of verdicts) {
      const { genuine, meant } = answersOf(verdict);
      const isGood = genuine === 'yes' && meant !== 'no';
      expect([name, isGood]).toEqual([name, verdict.verdict === 'holds']);
      expect([name, genuine === 'no' || meant === 'no']).toEqual([
        name,
        verdict.verdict === 'fails',
      ]);
    }
  });

  it('puts failures first, and lets nothing vouch for a file that fails', () => {
    const { headline, sections } = summaryOf(verdictOf('export-payload'), 'flag');
    expect(headline).toMatch(/^FAILS/);
    expect(sections.map(({ title }) => title)).toEqual(['Failed', 'What happened', 'More']);
    expect(sections[0]?.lines).toEqual([expect.stringContaining('[material_payload]')]);
  });
});
