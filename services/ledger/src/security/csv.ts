import { canonicalText } from '@countersign/protocol';
import type { SecurityEntry, SecurityEvent } from '@countersign/protocol';

const HEADER = [
  'sequence',
  'time',
  'kind',
  'source',
  'actor',
  'actor_kind',
  'subject',
  'request_id',
  'detail',
  'head',
];

/**
 * Entries as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front: names in the
 * log are chosen by those whom it watches.
 */
export function securityCsv(entries: readonly SecurityEntry[]): string {
  const rows = entries.map(({ sequence, head, entry }) => {
    const { time, kind, source, actor, subject, request_id, detail } = JSON.parse(
      entry,
    ) as SecurityEvent;
    return [
      String(sequence),
      time,
      kind,
      source,
      actor?.id,
      actor?.kind,
      subject,
      request_id,
      canonicalText(detail),
      head,
    ];
  });
  return [HEADER, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

function cell(value: string | null | undefined): string {
  const text = value ?? '';
  const safe = /^[\s]*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
