import type { Answers } from './answers.js';
import type { Dashboard, Panel, Window } from './dashboard.js';
import { escaped } from './html.js';
import { timeseries } from './lines.js';
import { barGauge, stat } from './numbers.js';

/** Grafana's grid: 24 columns, rows of 30 pixels, 8 between panels. */
const COLUMNS = 24;
const CELL = 30;
const GAP = 8;
const MARGIN = 16;
const TITLE = 30;
const HEAD = 52;
export const PAGE_WIDTH = 1440;

/** The dashboard as a page of its own, complete: as a person would see it in the dark theme. */
export function pageOf(dashboard: Dashboard, answers: Answers, window: Window): string {
  const column = (PAGE_WIDTH - 2 * MARGIN + GAP) / COLUMNS;
  const boxes = dashboard.panels.map((panel) => {
    const { x, y, w, h } = panel.gridPos;
    const width = w * column - GAP;
    const height = h * (CELL + GAP) - GAP;
    const place = `left:${MARGIN + x * column}px;top:${HEAD + y * (CELL + GAP)}px;width:${width}px;height:${height}px`;
    if (panel.type === 'row') {
      return `<div class="row" style="${place}"><span>⌄</span>${escaped(panel.title)}</div>`;
    }
    const inside = drawn(panel, answers, window, { width: width - 2, height: height - TITLE - 2 });
    return `<section style="${place}"><h2>${escaped(panel.title)}</h2>${inside}</section>`;
  });
  const rows = Math.max(...dashboard.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
  const minutes = Math.round((window.to - window.from) / 60);
  const pickers = dashboard.templating.list.map(
    ({ label, current }) =>
      `<label><b>${escaped(label)}</b>${escaped(current?.text ?? 'default')}</label>`,
  );
  return `<!doctype html><meta charset="utf-8"><title>${escaped(dashboard.title)}</title><style>${STYLE}</style>
<body style="width:${PAGE_WIDTH}px;height:${HEAD + rows * (CELL + GAP) + MARGIN - GAP}px">
<header><h1>${escaped(dashboard.title)}</h1>${pickers.join('')}<p>Last ${minutes} minutes · UTC</p></header>
${boxes.join('\n')}</body>`;
}

function drawn(
  panel: Panel,
  answers: Answers,
  window: Window,
  size: { width: number; height: number },
): string {
  const series = answers.get(panel) ?? [];
  try {
    switch (panel.type) {
      case 'stat':
        return stat(panel, series);
      case 'bargauge':
        return barGauge(panel, series);
      case 'timeseries':
        return timeseries(panel, series, window, size);
      default:
        throw new Error(`nothing is known of the type ${panel.type}`);
    }
  } catch (error) {
    throw new Error(`${panel.title}: ${(error as Error).message}`, { cause: error });
  }
}

const STYLE = `
*{box-sizing:border-box}
body{margin:0;position:relative;background:#111217;color:#ccccdc;font:12px Inter,"Liberation Sans",Arial,sans-serif}
header{position:absolute;left:16px;right:16px;top:0;height:48px;display:flex;align-items:center;gap:16px}
header h1{font-size:18px;font-weight:500;margin:0 8px 0 0}
header label{border:1px solid #2c2e36;border-radius:2px;padding:5px 10px 5px 0;background:#111217}
header label b{font-weight:500;background:#22252b;padding:6px 8px;margin-right:10px;color:#9fa7b3}
header p{margin:0 0 0 auto;border:1px solid #2c2e36;border-radius:2px;padding:5px 10px}
.row{position:absolute;display:flex;align-items:center;gap:8px;font-size:15px;font-weight:500}
.row span{color:#8e8e9a;margin-top:-6px}
section{position:absolute;background:#181b1f;border:1px solid #25272d;border-radius:2px;overflow:hidden}
h2{font-size:13px;font-weight:500;margin:0;height:${TITLE}px;line-height:${TITLE}px;padding:0 10px;white-space:nowrap}
.stat{position:absolute;inset:0;display:flex;align-items:center;justify-content:center;padding-top:20px;font-size:32px;font-weight:500}
.stat small{font-size:20px;font-weight:500}
section:has(.stat) h2{position:relative;z-index:1;text-align:center}
section:has(.stat[style*=background]) h2{color:#fff}
.none{position:absolute;inset:${TITLE}px 0 0;display:flex;align-items:center;justify-content:center;color:#8e8e9a;font-size:15px}
svg{display:block}
.grid line{stroke:#ffffff12}
.grid text{fill:#9fa7b3;font-size:11px}
.legend{padding:0 10px;display:flex;flex-wrap:wrap;align-content:flex-start;overflow:hidden}
.legend span{height:${19}px;line-height:${19}px;margin-right:12px;white-space:nowrap}
.legend i{display:inline-block;width:14px;height:4px;border-radius:2px;margin-right:5px;vertical-align:3px}
.bars{display:flex;flex-direction:column;gap:5px;padding:2px 10px 10px;height:calc(100% - ${TITLE}px)}
.bar{flex:1;max-height:32px;display:grid;grid-template-columns:172px 1fr 56px;align-items:center;gap:8px}
.bar b{font-weight:400;text-align:right;white-space:nowrap;overflow:hidden;text-overflow:ellipsis}
.bar i{height:100%;background:#22252b;display:block}
.bar u{display:block;height:100%;border-right:2px solid}
.bar em{font-style:normal;font-weight:500;font-size:13px}
`;
