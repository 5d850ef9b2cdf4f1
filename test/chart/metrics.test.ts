import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrapTenant, createOwnerPool } from '@countersign/database';
import { TARGETS } from '@countersign/deploy';
import type { Target } from '@countersign/deploy';
import { INCIDENTS } from '@countersign/protocol';
import { parse, stringify } from 'yaml';
import { rendered, shape } from './objects.js';
import { prepareGround, startAndStop } from './started.js';
import type { Ground } from './started.js';
import { CHART, ROOT, promtool, run } from './tools.js';

/** The metrics of every target for Prometheus, and their use by alerts and dashboard. */
const DRAWN = TARGETS.filter((target) => target !== 'development-provider');

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly annotations: Readonly<Record<string, string>>;
}

const rule = rendered(shape('production-ha')).find(({ kind }) => kind === 'PrometheusRule');
const written: (Rule | { readonly record: string })[] = rule?.spec.groups.flatMap(
  ({ rules: of }: { rules: Rule[] }) => of,
);
const rules = written.filter((one) => 'alert' in one);
const dashboard = JSON.parse(readFileSync(join(CHART, 'files', 'dashboard.json'), 'utf8')) as {
  panels: { title: string; targets?: { expr: string }[] }[];
};
const recorded = written.flatMap((one) => ('record' in one ? [one.record] : []));
const queries = dashboard.panels.flatMap(({ title, targets = [] }) =>
  targets.map(({ expr }) => ({ title, expr })),
);

let ground: Ground;
let folder: string;
const metrics = new Map<Target | 'all' | 'tenant', string>();

beforeAll(async () => {
  promtool();
  folder = mkdtempSync(join(tmpdir(), 'countersign-metrics-'));
  ground = await prepareGround();
  for (const target of DRAWN) {
    metrics.set(target, (await startAndStop(ground, [target])).metrics);
  }
  const token = randomBytes(32).toString('base64url');
  const pool = createOwnerPool({ url: ground.url, application: 'test', max: 1 });
  await bootstrapTenant(pool, { tenant: 'acme', operator: 'operator-1', token, active: true });
  await pool.end();
  const meanwhile = async (origin: string) => {
    const response = await fetch(`${origin}/v2/admin/metrics.prom`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect(response.status).toBe(200);
    metrics.set('tenant', await response.text());
    await fetch(`${origin}/v2/requests/${'x'.repeat(20)}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    await fetch(`${origin}/wp-login.php`);
  };
  metrics.set('all', (await startAndStop(ground, DRAWN, { meanwhile })).metrics);
});
afterAll(async () => {
  await ground.remove();
  rmSync(folder, { recursive: true, force: true });
});

describe('metrics', () => {
  it.each([...DRAWN, 'all', 'tenant'] as const)('of %s are as Prometheus wants them', (of) => {
    const { code, stdout, stderr } = run(promtool(), ['check', 'metrics'], metrics.get(of));
    expect([code, stdout + stderr]).toEqual([0, '']);
  });

  it('have labels out of the code, never out of calls', () => {
    const routes = new Set(
      [...(metrics.get('all') ?? '').matchAll(/^countersign_http_seconds_count\{(.*)\}/gm)].map(
        ([, labels]) => /route="([^"]*)"/.exec(labels ?? '')?.[1],
      ),
    );
    expect([...routes].sort()).toEqual(['/v2/admin/metrics.prom', '/v2/requests/{id}', 'none']);
    const labels = new Set(
      [...[...metrics.values()].join('\n').matchAll(/[{,](\w+)="/g)].map(([, name]) => name),
    );
    // `tenant` only where an operator asks for the metrics of one, and not as a label even there.
    expect([...labels]).not.toContain('tenant');
    expect([...labels]).not.toContain('principal');
  });

  it('time every step of a lifecycle', () => {
    const steps = [
      'request.create',
      'review.assign',
      'review.propose',
      'review.confirm',
      'execution-authority.claim',
      'execution-authority.admit',
      'execution-authority.report-outcome',
      'ledger.export',
    ];
    for (const step of steps) {
      expect(metrics.get('all')).toMatch(
        new RegExp(
          `^countersign_operation_seconds_count\\{(?=[^}]*operation="${step}")[^}]*outcome="ok"`,
          'm',
        ),
      );
    }
  });
});

describe('alerts', () => {
  it('are rules that Prometheus takes', () => {
    const { code, stdout, stderr } = checkRules(rule?.spec);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain(`${written.length} rules found`);
  });

  it('fire when they should, and not before', () => {
    writeFileSync(join(folder, 'rules.yaml'), stringify(rule?.spec));
    const tests = readFileSync(join(__dirname, 'alerts.test.yaml'), 'utf8');
    writeFileSync(join(folder, 'tests.yaml'), tests);
    const { code, stdout, stderr } = run(promtool(), ['test', 'rules', join(folder, 'tests.yaml')]);
    expect([code, stdout + stderr]).toEqual([0, expect.stringContaining('SUCCESS')]);
    const tried = (
      parse(tests) as { tests: { alert_rule_test?: { alertname: string }[] }[] }
    ).tests.flatMap(({ alert_rule_test = [] }) =>
      alert_rule_test.map(({ alertname }) => alertname),
    );
    // Each of them at least twice: when it fires, and when it does not.
    for (const { alert } of rules) {
      expect([alert, tried.filter((name) => name === alert).length]).toEqual([
        alert,
        expect.any(Number),
      ]);
      expect([alert, tried.filter((name) => name === alert).length >= 2]).toEqual([alert, true]);
    }
  });

  it('fire at numbers that are values, each of them', () => {
    const { monitoring } = parse(readFileSync(join(CHART, 'values.yaml'), 'utf8')) as any;
    const { thresholds, objectives } = monitoring.prometheusRule;
    for (const [group, names] of Object.entries({ thresholds, objectives })) {
      for (const name of Object.keys(names as object)) {
        const value = group === 'objectives' ? 77.7 : 4242;
        const key = `monitoring.prometheusRule.${group}.${name}`;
        const [made] = rendered(shape('production-ha'), `${key}=${value}`).filter(
          ({ kind }) => kind === 'PrometheusRule',
        );
        expect([key, JSON.stringify(made?.spec)]).toEqual([
          key,
          expect.stringContaining(String(value)),
        ]);
      }
    }
    expect(JSON.stringify(rule?.spec)).not.toMatch(/%[a-zA-Z]+%/);
  });

  it('lead to a page with the remedy', () => {
    const headings = new Set(
      [...readFileSync(join(ROOT, 'docs', 'operations.md'), 'utf8').matchAll(/^#+ (.*)$/gm)].map(
        ([, heading]) =>
          (heading ?? '')
            .toLowerCase()
            .replace(/[^\w\s-]/g, '')
            .trim()
            .replaceAll(' ', '-'),
      ),
    );
    for (const { alert, annotations } of rules) {
      const url = annotations['runbook_url'] ?? '';
      const [, anchor] = /^https:\/\/runbooks\.example\/countersign#(.*)$/.exec(url) ?? [];
      if (anchor !== undefined)
        expect([alert, anchor, headings.has(anchor)]).toEqual([alert, anchor, true]);
      else
        expect(url).toMatch(
          /^https:\/\/review\.example\/docs\/incidents\/\{\{ \$labels\.(code|reason) \}\}$/,
        );
    }
  });

  it('name existing things', () => {
    for (const { alert, expr } of rules) expectKnown(alert, expr);
  });
});

describe('the dashboard', () => {
  it('has queries that Prometheus can answer', () => {
    const spec = {
      groups: [
        {
          name: 'dashboard',
          rules: queries.map(({ expr }, index) => ({
            record: `panel:query:${index}`,
            expr: expr.replaceAll('$__rate_interval', '5m').replaceAll('$namespace', '.*'),
          })),
        },
      ],
    };
    const { code, stderr } = checkRules(spec);
    expect([code, stderr]).toEqual([0, '']);
    expect(queries.length).toBeGreaterThan(20);
  });

  it('names existing metrics', () => {
    for (const { title, expr } of queries) expectKnown(title, expr);
  });

  it('reads no recording that no rule makes', () => {
    const read = queries.flatMap(({ expr }) => expr.match(/\bcountersign:[\w:]+/g) ?? []);
    expect(read.length).toBeGreaterThan(10);
    expect(read.filter((name) => !recorded.includes(name))).toEqual([]);
  });

  it('shows every figure of ours', () => {
    const shown = queries.map(({ expr }) => expr).join('\n');
    const ours = familiesOf('all').filter((of) => of.startsWith('countersign_'));
    expect(ours.filter((name) => !UNSHOWN.includes(name) && !shown.includes(name))).toEqual([]);
  });
});

/** Told by another, or only worth a look when one looks closer. */
const UNSHOWN = [
  'countersign_worker_done_total',
  'countersign_signing_key_end_timestamp_seconds',
  'countersign_clock_offset_seconds',
  'countersign_security_anchor_refusals_total',
  'countersign_security_log_unsent_total',
];

function checkRules(spec: unknown) {
  const file = join(folder, 'checked.yaml');
  writeFileSync(file, stringify(spec));
  return run(promtool(), ['check', 'rules', file]);
}

function familiesOf(of: Target | 'all' | 'tenant'): string[] {
  return [...(metrics.get(of) ?? '').matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(
    ([, name]) => name ?? '',
  );
}

/** Every figure that an expression names is shown by some target (a histogram's by its parts). */
function expectKnown(where: string, expr: string): void {
  const known = new Set(['countersign_ready', ...familiesOf('all'), ...familiesOf('tenant')]);
  for (const [name] of expr.matchAll(/\b(countersign|proto|nodejs|process)_\w+/g)) {
    const family = name.replace(/_(bucket|count|sum)$/, '');
    expect([where, name, known.has(name) || known.has(family)]).toEqual([where, name, true]);
  }
}

it('has a page for every reason and code that alerts lead to', () => {
  for (const code of Object.keys(INCIDENTS)) {
    expect(metrics.get('all')).toContain(`countersign_incidents_last_hour{code="${code}"`);
  }
});
