import { Registry } from 'prom-client';
import { cachedGauges } from './cached-gauges.js';
import { createLogger } from './log.js';

const GAUGES = [
  { name: 'plain', help: 'Without labels.' },
  { name: 'labelled', help: 'With labels.', labelNames: ['sink'] },
];

function seriesOf(ask: Parameters<typeof cachedGauges>[3]): Promise<string[]> {
  const registry = new Registry();
  cachedGauges(registry, createLogger({ name: 'test', level: 'silent' }), GAUGES, ask);
  return registry
    .metrics()
    .then((text) => text.split('\n').filter((line) => line !== '' && !line.startsWith('#')));
}

it('shows the samples, with their labels', async () => {
  const ask = async () => ({
    plain: [{ value: 1 }],
    labelled: [{ value: 2, labels: { sink: 'otlp' } }],
  });
  expect(await seriesOf(ask)).toEqual(['plain 1', 'labelled{sink="otlp"} 2']);
});

it('leaves gauges without samples out of the scrape', async () => {
  expect(await seriesOf(async () => ({}))).toEqual([]);
});

it('leaves all of them out while the question cannot be answered', async () => {
  expect(await seriesOf(() => Promise.reject(new Error('no database')))).toEqual([]);
});
