import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Frame } from 'playwright-core';
import type { Canaries } from './canaries.js';

export interface Attempt {
  readonly kind: string;
  readonly name: string;
  readonly succeeded: boolean;
}

const library = readFileSync('packages/view/dist/countersign-view.js', 'utf8');
const file = (name: string) =>
  readFileSync(resolve(__dirname, `../hostile-apps/${name}.js`), 'utf8');

/** One file of test/browser/hostile-apps as an app that starts as it should, and then misbehaves. */
export function hostileApp(name: string, { origin, stunPort }: Canaries): string {
  return appWith(`
    const LISTENER = ${JSON.stringify(origin)};
    const ICE = { iceServers: [{ urls: 'stun:127.0.0.1:${stunPort}' }] };
    ${file('attempts')}
    ${file(name)}`);
}

/** An app of one script, which has `view` when it is connected. */
export function appWith(script: string): string {
  return `<!doctype html><html lang="en"><head><title>App</title></head><body><h1>App</h1>
<script>${library}</script>
<script>const connected = CountersignView.connect().then((view) => (window.view = view));
${script}</script></body></html>`;
}

/** Lets the app's attempts run to their end, with a click when it waits for one. */
export async function attemptsOf(app: Frame): Promise<Attempt[]> {
  const button = app.locator('#go');
  if ((await button.count()) > 0) await button.click();
  await app.waitForFunction('window.finished');
  return app.evaluate('window.finished');
}

/** The number of attempts of each kind, and those that succeeded. */
export function table(attempts: readonly Attempt[]): string {
  const kinds = [...new Set(attempts.map(({ kind }) => kind))];
  const rows = kinds.map((kind) => {
    const of = attempts.filter((attempt) => attempt.kind === kind);
    const through = of.filter(({ succeeded }) => succeeded).map(({ name }) => name);
    return [kind, of.length, of.length - through.length, through.join(', ') || 'none'];
  });
  return [['kind', 'attempts', 'blocked', 'got through'], ...rows]
    .map((row) => row.map((cell, at) => String(cell).padEnd(at === 0 ? 12 : 10)).join(''))
    .join('\n');
}
