import { askAll } from './answers.js';
import type { Answers } from './answers.js';
import { seriesColour, thresholdColour } from './colours.js';
import { legendOf, readDashboard, resolved } from './dashboard.js';
import type { Dashboard, Panel, PanelTarget, Window } from './dashboard.js';
import { pageOf } from './page.js';
import type { Sample } from './prometheus.js';
import { ticksTo, written } from './units.js';

/** The drawing without servers: answers are made up, the dashboard is the one of the chart. */
const dashboard = readDashboard();
const WINDOW: Window = { from: 1_000_000, to: 1_000_120, step: 2, scrape: 2 };
const panels = dashboard.panels.filter(({ type }) => type !== 'row');

/** A Prometheus that knows of two series, for any query. */
const TWO = {
  at: async (): Promise<Sample[]> => [
    { labels: { route: '/v2/<b>', operation: 'a' }, points: [[WINDOW.to, 0.25]] },
    { labels: { route: '/v2/requests', operation: 'b' }, points: [[WINDOW.to, 4]] },
  ],
  over: async (): Promise<Sample[]> =>
    ['a', 'b'].map((operation, index) => ({
      labels: { operation, status: `${200 + 301 * index}`, target: operation },
      points: Array.from({ length: 61 }, (_, step) => [WINDOW.from + step * 2, index + 1] as const),
    })),
};

const panelOf = (title: string): Panel => {
  const found = panels.find((panel) => panel.title === title);
  if (found === undefined) throw new Error(`there is no panel ${title}`);
  return found;
};
const drawnWith = (answers: Answers, of: Dashboard = dashboard) => pageOf(of, answers, WINDOW);

describe('the dashboard', () => {
  it('is of panels, units and colours that are all known, and every one of them is drawn', async () => {
    const page = drawnWith(await askAll(dashboard, TWO, WINDOW));
    for (const { title } of panels) expect(page).toContain(`<h2>${title}</h2>`);
    expect(page).not.toMatch(/NaN|Infinity|undefined|No data/);
    // A label is text in the page.
    expect(page).toContain('/v2/&lt;b&gt;');
    for (const { fieldConfig } of panels) {
      for (const step of fieldConfig?.defaults.thresholds?.steps ?? []) {
        expect(thresholdColour(fieldConfig!.defaults, step.value ?? 0)).toMatch(/^#/);
      }
    }
  });

  it('has no two panels in one place, and none outside the grid', () => {
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      const { x, y, w, h } = gridPos;
      expect([title, Number.isInteger(w), x + w <= 24]).toEqual([title, true, true]);
      for (let column = x; column < x + w; column += 1) {
        for (let row = y; row < y + h; row += 1) {
          expect([title, taken.has(`${column},${row}`)]).toEqual([title, false]);
          taken.add(`${column},${row}`);
        }
      }
    }
  });

  it('shows the numbers of now, so that silence is no good news', () => {
    const numbers = panels.filter(({ type }) => type !== 'timeseries');
    expect(numbers.length).toBeGreaterThan(15);
    for (const { title, targets = [], fieldConfig } of numbers) {
      expect([title, targets.map(({ instant }) => instant)]).toEqual([title, [true]]);
      // Without steps of its own Grafana makes it red from 80 on.
      expect([title, fieldConfig?.defaults.thresholds?.steps[0]?.value]).toEqual([title, null]);
    }
    for (const { title, targets = [] } of numbers) {
      // Zero out of nothing: `or vector(0)` at the end says that all is well where nothing is known.
      for (const { expr } of targets) expect([title, expr]).not.toEqual([title, endsInZero]);
    }
  });
});
const endsInZero = expect.stringMatching(/or vector\(0\)$/);

describe('asking', () => {
  it('fails with the panels that are refused or have no data, and with their queries', async () => {
    const asked = askAll(
      dashboard,
      {
        at: async (expr) => (expr.includes('chain_lag') ? [] : TWO.at()),
        over: async (expr) => {
          if (expr.includes('cpu')) throw new Error('parse error: unexpected end');
          return expr.includes('incidents') ? [] : TWO.over();
        },
      },
      WINDOW,
      ['Incidents A'],
    );
    await expect(asked).rejects.toThrow(
      /^panels without an answer:\nChain A: no data: max\(countersign_chain_lag_seconds\{namespace=~"\.\*"\}\)\nProcessor time A: parse error: unexpected end$/,
    );
  });

  it('leaves out values that are no numbers, and is empty where there are no others', async () => {
    const target: PanelTarget = { refId: 'A', expr: 'x', legendFormat: 'x', instant: true };
    const one: Dashboard = { ...dashboard, panels: [{ ...panelOf('Chain'), targets: [target] }] };
    const nothing = { ...TWO, at: async () => [{ labels: {}, points: [[1, NaN]] }] as Sample[] };
    await expect(askAll(one, nothing, WINDOW)).rejects.toThrow('Chain A: no data: x');
    const answers = await askAll(one, nothing, WINDOW, ['Chain A']);
    expect(drawnWith(answers, one)).toContain('No data');
  });

  it('resolves intervals and pickers, and stops at an unknown variable', () => {
    const { list } = dashboard.templating;
    expect(resolved('x{n=~"$namespace"}[$__rate_interval]', list, WINDOW)).toBe('x{n=~".*"}[8s]');
    expect(resolved('x[${__range}]', list, { ...WINDOW, step: 60 })).toBe('x[120s]');
    expect(resolved('x[$__rate_interval]', list, { ...WINDOW, step: 60 })).toBe('x[62s]');
    expect(() => resolved('x{a="$unknown"}', list, WINDOW)).toThrow('nothing is known of $unknown');
    expect(legendOf('{{ target }} {{role}}{{none}}', { target: 'a', role: 'b' })).toBe('a b');
  });
});

describe('drawing', () => {
  it.each([
    ['s', 0, '0 s'],
    ['s', 0.000_4, '400 µs'],
    ['s', 0.0123, '12.3 ms'],
    ['s', 59.94, '59.9 s'],
    ['s', 5400, '1.5 h'],
    ['short', 1234, '1.23 K'],
    ['short', 100, '100'],
    ['bytes', 3 * 1024 ** 2, '3 MiB'],
    ['percentunit', 0.9987, '99.9%'],
    ['reqps', 0.5, '0.5 req/s'],
  ])('writes %s %d as %s', (unit, value, text) => {
    const { value: number, suffix } = written(unit, value);
    expect(number + suffix).toBe(text);
  });

  it('marks an axis by round values that reach the largest', () => {
    expect(ticksTo('s', 0.93)).toEqual([0, 0.25, 0.5, 0.75, 1]);
    expect(ticksTo('percentunit', 0.37)).toEqual([0, 0.1, 0.2, 0.3, 0.4]);
    expect(ticksTo('bytes', 200 * 1024 ** 2).map((each) => each / 1024 ** 2)).toEqual([
      0, 64, 128, 192, 256,
    ]);
    expect(ticksTo('short', 0).length).toBeGreaterThan(1);
  });

  it('colours by thresholds and by names, the last that fits', () => {
    const chain = panelOf('Chain').fieldConfig!.defaults;
    expect([4.9, 5, 30].map((value) => thresholdColour(chain, value))).toEqual([
      '#73BF69',
      '#FF9830',
      '#F2495C',
    ]);
    const status = panelOf('Answers by status');
    expect(seriesColour(status, '200', 3)).not.toBe(seriesColour(status, '201', 3));
    expect(seriesColour(status, '503', 0)).toBe('#F2495C');
  });

  it('breaks a line at a gap, and stacks the lines of a stack', async () => {
    const holes: Dashboard = { ...dashboard, panels: [panelOf('Event loop (p99)')] };
    const points = [0, 2, 4, 60, 62].map((at) => [WINDOW.from + at, 1] as const);
    const page = drawnWith(new Map([[holes.panels[0] as Panel, [{ name: 'a', points }]]]), holes);
    expect(page.match(/fill="none"/g)).toHaveLength(2);

    const stack: Dashboard = { ...dashboard, panels: [panelOf('Refused steps')] };
    const at = [[WINDOW.from + 10, 1]] as const;
    const both = ['a', 'b'].map((name) => ({ name, points: at }));
    const bars = [
      ...drawnWith(new Map([[stack.panels[0] as Panel, both]]), stack).matchAll(
        /<rect [^>]*y="([\d.]+)"[^>]* height="([\d.]+)"/g,
      ),
    ].map(([, y, height]) => [Number(y), Number(height)] as const);
    const [upper, lower] = bars.sort(([a], [b]) => a - b);
    expect(bars).toHaveLength(2);
    expect(upper![0] + upper![1]).toBeCloseTo(lower![0], 0);
  });
});
