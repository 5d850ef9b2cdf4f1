import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { freePort } from '@countersign/dev-servers';
import { until } from '../../support/requests.js';
import { driverOf } from './driver.js';
import type { Call, Command, Driver } from './driver.js';

// WebKitGTK is driven by its own WebDriver, and drawn on a screen that is nowhere seen.

const DISPLAY = ':73';

const PATHS: Readonly<Record<Command, (id: string) => readonly [method: string, path: string]>> = {
  navigate: () => ['POST', '/url'],
  find: () => ['POST', '/element'],
  click: (id) => ['POST', `/element/${id}/click`],
  type: (id) => ['POST', `/element/${id}/value`],
  script: () => ['POST', '/execute/sync'],
  screenshot: () => ['GET', '/screenshot'],
  size: () => ['POST', '/window/rect'],
  end: () => ['DELETE', ''],
};

export interface WebKitPrograms {
  readonly driver: string;
  readonly browser: string;
  readonly screen: string;
}

export async function startWebKit({ driver, browser, screen }: WebKitPrograms): Promise<Driver> {
  const port = await freePort();
  const args = [DISPLAY, '-screen', '0', '1600x1200x24', '-nolisten', 'tcp'];
  const shown = spawn(screen, args, { stdio: 'ignore' });
  const env = {
    ...process.env,
    DISPLAY,
    LANG: 'en_GB.UTF-8',
    WEBKIT_DISABLE_COMPOSITING_MODE: '1',
  };
  const child = spawn(driver, [`--port=${port}`], { stdio: 'ignore', env });
  const own = `http://127.0.0.1:${port}`;
  await until(
    () =>
      fetch(`${own}/status`)
        .then((answer) => answer.ok)
        .catch(() => false),
    (ready) => ready,
  );
  const browserOptions = { binary: browser, args: ['--automation'] };
  const alwaysMatch = {
    browserName: 'MiniBrowser',
    acceptInsecureCerts: true,
    'webkitgtk:browserOptions': browserOptions,
  };
  const made = await ask('POST', `${own}/session`, { capabilities: { alwaysMatch } });
  const { sessionId } = made as { sessionId: string };
  const call: Call = async (command, { id = '', ...params } = {}) => {
    const send = (name: Command, given: object) => {
      const [method, path] = PATHS[name](id as string);
      return ask(method, `${own}/session/${sessionId}${path}`, given);
    };
    const answer = await send(command, params);
    if (command === 'size') await send('script', { script: LOOK_AGAIN, args: [] });
    return answer;
  };
  return driverOf(call, async () => {
    await Promise.all([child, shown].map(ended));
  });
}

/**
 * On a screen that is nowhere seen it does not look at media queries again when the window changes, but it does when styles are
 * put on.
 */
const LOOK_AGAIN = `
for (const off of [true, false]) {
  for (const sheet of document.styleSheets) sheet.disabled = off;
  document.body.getBoundingClientRect();
}`;

async function ask(method: string, url: string, params: object): Promise<unknown> {
  const body = method === 'POST' ? { body: JSON.stringify(params) } : {};
  const answer = await fetch(url, { method, ...body });
  const { value } = (await answer.json()) as { value: unknown };
  if (!answer.ok) throw new Error(`${method} ${url}: ${JSON.stringify(value).slice(0, 400)}`);
  return value;
}

function ended(child: ChildProcess): Promise<void> {
  const exited = new Promise<void>((settle) => child.once('exit', () => settle()));
  child.kill();
  return exited;
}
