import { Registry } from 'prom-client';
import { createKeyMetrics } from './key-metrics.js';

it('counts by result, from the start, and once for all services of a process', async () => {
  const registry = new Registry();
  createKeyMetrics(registry).asserted('good');
  createKeyMetrics(registry).asserted('stepped_back');
  const shown = (await registry.metrics()).split('\n').filter((line) => !line.startsWith('#'));
  expect(shown.filter(Boolean)).toEqual([
    'countersign_assertions_total{result="good"} 1',
    'countersign_assertions_total{result="refused"} 0',
    'countersign_assertions_total{result="stepped_back"} 1',
  ]);
});
