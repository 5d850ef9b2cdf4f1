import type { SecurityEvent } from '@countersign/protocol';
import { securityCsv } from './csv.js';

function fileWith(change: Partial<SecurityEvent>): string {
  const event: SecurityEvent = {
    ...{ tenant: 't', kind: 'principal.changed', source: 'request', subject: null },
    ...{ actor: null, request_id: null, detail: {}, time: '2026-01-01T00:00:00.000Z' },
    ...change,
  };
  const entry = { sequence: 1, previous_head: '', head: 'h', entry: JSON.stringify(event) };
  return securityCsv([entry]).split('\r\n')[1] ?? '';
}

it.each(['=HYPERLINK("x")', '+1', '-1', '@SUM(1)', '\t=1', '\r=1', ' =1'])(
  'a name such as %j is no formula in a spreadsheet',
  (name) => {
    expect(fileWith({ subject: name })).toContain(`"'${name.replaceAll('"', '""')}"`);
  },
);

it('quotes every cell, so that a name ends neither cell nor row', () => {
  expect(fileWith({ actor: { id: 'a","b\n', kind: 'human' } })).toContain('"a"",""b\n","human"');
});

it('leaves ordinary names as they are', () => {
  expect(fileWith({ subject: 'route-1' })).toContain(',"route-1",');
});
