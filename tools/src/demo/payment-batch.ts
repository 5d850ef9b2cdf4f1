import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DemoFile } from '../launcher/demo-file.js';

const script = fileURLToPath(
  new URL('../../../examples/payment-batch/register.mjs', import.meta.url),
);

/**
 * Registers the example app and files a request with it by the example's own script, as its reader would; returns its
 * output. Installations without the examples, and those that may not register another bundle today, do without.
 */
export async function fileExample({
  origin,
  publisher,
  producer,
  routes,
}: DemoFile): Promise<string> {
  if (!existsSync(script)) return 'the examples are not installed';
  const env = {
    ...process.env,
    COUNTERSIGN_ORIGIN: origin,
    COUNTERSIGN_PUBLISHER_TOKEN: publisher.token,
    COUNTERSIGN_PRODUCER_TOKEN: producer.token,
    COUNTERSIGN_ROUTE: routes.execution,
  };
  try {
    return (await promisify(execFile)(process.execPath, [script], { env })).stdout;
  } catch (error) {
    return `not filed: ${(error as { stderr?: string }).stderr ?? String(error)}`;
  }
}
