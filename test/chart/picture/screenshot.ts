// `npm run screenshots:dashboard`: the Grafana dashboard with the metrics of a real run, drawn by us from its own JSON.
// Grafana is not installed here; the drawing has the answers of a real Prometheus to the queries of its panels. Fails where
// one has no answer. The day that it is drawn of (day.ts) has something for each of them, so none may be empty.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser } from '../../browser/support/browser.js';
import { ROOT } from '../tools.js';
import { askAll } from './answers.js';
import { readDashboard } from './dashboard.js';
import { liveThrough } from './day.js';
import { PAGE_WIDTH, pageOf } from './page.js';
import { startProduct } from './product.js';
import { startPrometheus } from './prometheus.js';

const FOLDER = join(ROOT, 'docs', 'images');
const SCRAPE_SECONDS = 2;

test('the dashboard', async () => {
  const dashboard = readDashboard();
  const product = await startProduct();
  try {
    const prometheus = await startPrometheus(product.scraped, SCRAPE_SECONDS);
    const begin = Math.ceil(Date.now() / 1000);
    try {
      await liveThrough(product);
      const to = Math.floor(Date.now() / 1000);
      const window = { from: begin, to, step: SCRAPE_SECONDS, scrape: SCRAPE_SECONDS };
      // The security log is sent nowhere here, and so has no lag by sink.
      const answers = await askAll(dashboard, prometheus, window, ['Lag E']);
      const page = pageOf(dashboard, answers, window);
      // To look at a page again, or to keep it with its fault.
      if (process.env['PAGE_FILE']) writeFileSync(process.env['PAGE_FILE'], page);
      await take(page);
    } finally {
      await prometheus.stop();
    }
  } finally {
    await product.stop();
  }
}, 400_000);

async function take(html: string): Promise<void> {
  const browser = await startBrowser();
  try {
    const page = await browser.newPage({
      viewport: { width: PAGE_WIDTH, height: 900 },
      deviceScaleFactor: 1.25,
    });
    await page.setContent(html);
    mkdirSync(FOLDER, { recursive: true });
    await page.screenshot({ path: join(FOLDER, 'dashboard.png'), fullPage: true });
  } finally {
    await browser.close();
  }
}
