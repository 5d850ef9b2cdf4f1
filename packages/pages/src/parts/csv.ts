import { saveBlob } from './save.js';

/**
 * Rows as CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe in front: summaries are the
 * words of producers.
 */
export function csvOf(
  header: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): string {
  return [header, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

export function saveCsv(
  header: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
  name: string,
): void {
  saveBlob(new Blob([csvOf(header, rows)], { type: 'text/csv;charset=utf-8' }), name);
}

function cell(value: string | number | null): string {
  if (typeof value === 'number') return String(value);
  const text = value ?? '';
  const safe = /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return `"${safe.replaceAll('"', '""')}"`;
}
