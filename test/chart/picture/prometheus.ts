import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from '@countersign/dev-servers';
import { spawn } from 'node:child_process';
import { stringify } from 'yaml';
import { ROOT, promtool } from '../tools.js';
import { until } from '../../support/requests.js';

/** A source of metrics: its address, and the labels that a scrape adds. */
export interface Scraped {
  /** Host and port. */
  readonly address: string;
  readonly path: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly token?: string;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  /** Epoch seconds, and a value that may be no number. */
  readonly points: readonly (readonly [number, number])[];
}

export interface Prometheus {
  /** The value of an expression at that time. Throws Prometheus' message when it refuses it. */
  at(expr: string, time: number): Promise<Sample[]>;
  /** Its value at every step of a range. */
  over(expr: string, range: { from: number; to: number; step: number }): Promise<Sample[]>;
  stop(): Promise<void>;
}

/** The chart's rules, made for the namespace `compose`: panels about objectives show what these record. */
const RULES = join(ROOT, 'deploy/compose/alerts.yaml');

/** Starts a Prometheus of the machine that scrapes these every `scrape` seconds, and waits until it has all of them. */
export async function startPrometheus(
  scraped: readonly Scraped[],
  scrape: number,
): Promise<Prometheus> {
  const command = findPrometheus();
  const folder = mkdtempSync(join(tmpdir(), 'countersign-prometheus-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  const configuration = join(folder, 'prometheus.yml');
  writeFileSync(
    configuration,
    stringify({
      global: {
        ...{ scrape_interval: `${scrape}s`, scrape_timeout: `${scrape}s` },
        evaluation_interval: `${scrape}s`,
      },
      rule_files: [RULES],
      scrape_configs: scraped.map(({ address, path, labels, token }, index) => ({
        job_name: `countersign-${index}`,
        metrics_path: path,
        static_configs: [{ targets: [address], labels }],
        ...(token === undefined ? {} : { authorization: { credentials: token } }),
      })),
    }),
    { mode: 0o600 },
  );
  const port = await freePort();
  const child = spawn(
    command,
    [
      `--config.file=${configuration}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000)));
  const ended = new Promise<void>((settle) => child.once('close', () => settle()));
  const api = `http://127.0.0.1:${port}/api/v1`;

  async function ask(path: string, parameters: Record<string, string>): Promise<Sample[]> {
    const query = new URLSearchParams(parameters);
    const response = await fetch(`${api}/${path}?${query}`);
    const { status, error, data: answer } = (await response.json()) as Answer;
    if (status !== 'success') throw new Error(error);
    return answer.result.map(({ metric, value, values }) => ({
      labels: metric,
      points: (values ?? (value === undefined ? [] : [value])).map(
        ([time, text]) => [time, numberOf(text)] as const,
      ),
    }));
  }

  const prometheus: Prometheus = {
    at: (expr, time) => ask('query', { query: expr, time: `${time}` }),
    over: (expr, { from, to, step }) =>
      ask('query_range', { query: expr, start: `${from}`, end: `${to}`, step: `${step}` }),
    async stop() {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
  try {
    await until(
      async () => {
        if (child.exitCode !== null) throw new Error(`prometheus ended:\n${said}`);
        return prometheus.at('sum(up)', Date.now() / 1000).catch(() => []);
      },
      ([up]) => up?.points[0]?.[1] === scraped.length,
      30_000,
    );
  } catch (error) {
    await prometheus.stop();
    throw error;
  }
  return prometheus;
}

interface Answer {
  readonly status: string;
  readonly error?: string;
  readonly data: {
    readonly result: readonly {
      readonly metric: Record<string, string>;
      readonly value?: readonly [number, string];
      readonly values?: readonly (readonly [number, string])[];
    }[];
  };
}

/** As Prometheus writes it, which is not as JavaScript reads it. */
function numberOf(text: string): number {
  return Number(text.replace('Inf', 'Infinity'));
}

/** It comes with promtool, which is installed where it may be. */
function findPrometheus(): string {
  promtool();
  const folder = (process.env['PATH'] ?? '')
    .split(delimiter)
    .find((each) => existsSync(join(each, 'prometheus')));
  if (folder === undefined) throw new Error('there is no Prometheus: apt-get install prometheus');
  return join(folder, 'prometheus');
}
