import { digits } from '../text.js';
import type { Approvals } from './measure.js';
import type { Result } from './report.js';

const WIDTH = 760;
const ROW = 30;
const TOP = 64;
const NAMES = 200;
const RIGHT = 230;

/** Bars of the approvals a second at the most clients, with what went wrong beside them, as SVG for both themes. */
export function figureOf(results: readonly Result[]): string {
  const rates = results.map(({ approvals }) => (approvals.at(-1) as Approvals).perSecond);
  const most = Math.max(...rates);
  const clients = results[0]?.approvals.at(-1)?.clients;
  const height = TOP + results.length * ROW + 12;
  const rows = results.map((result, at) => {
    const y = TOP + at * ROW;
    const rate = rates[at] as number;
    const bar = (rate / most) * (WIDTH - NAMES - RIGHT);
    return [
      `<text x="${NAMES - 10}" y="${y + 16}" text-anchor="end">${result.name}</text>`,
      `<rect x="${NAMES}" y="${y + 4}" width="${bar.toFixed(1)}" height="16" class="${result.proves ? 'ours' : 'other'}"/>`,
      `<text x="${(NAMES + bar + 8).toFixed(1)}" y="${y + 16}">${digits(rate)}</text>`,
      `<text x="${WIDTH - 8}" y="${y + 16}" text-anchor="end" class="note">${noteOf(result)}</text>`,
    ].join('');
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="13" role="img" aria-labelledby="t">
<title id="t">Approvals a second at ${clients} clients, and faults when two people decide at once</title>
<style>text{fill:#1f2328}.note{fill:#59636e}.ours{fill:#0b6bcb}.other{fill:#9aa4af}.back{fill:#fff}
@media (prefers-color-scheme: dark){text{fill:#f0f3f6}.note{fill:#a8b1bb}.ours{fill:#4a9eff}.other{fill:#59636e}.back{fill:#0d1117}}</style>
<rect class="back" width="${WIDTH}" height="${height}"/>
<text x="8" y="22" font-size="15" font-weight="600">Approvals a second, ${clients} clients</text>
<text x="${WIDTH - 8}" y="22" text-anchor="end" class="note">two opposite decisions at once</text>
<text x="${WIDTH - 8}" y="40" text-anchor="end" class="note">told yes twice / ran twice, of ${results[0]?.conflicts.pairs}</text>
${rows.join('\n')}
</svg>
`;
}

function noteOf({ proves, conflicts: { bothTold, ranTwice } }: Result): string {
  return `${bothTold} / ${ranTwice} · ${proves ? 'signed, chained' : 'no proof'}`;
}
