import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { freePort } from '@countersign/dev-servers';
import { newFolder } from '../../support/folder.js';
import { until } from '../../support/requests.js';
import { driverOf } from './driver.js';
import type { Call, Command, Driver } from './driver.js';

// Firefox is driven by its own protocol, Marionette, which geckodriver translates WebDriver into.

const NAMES: Readonly<Record<Command, string>> = {
  navigate: 'WebDriver:Navigate',
  find: 'WebDriver:FindElement',
  click: 'WebDriver:ElementClick',
  type: 'WebDriver:ElementSendKeys',
  script: 'WebDriver:ExecuteScript',
  screenshot: 'WebDriver:TakeScreenshot',
  size: 'WebDriver:SetWindowRect',
  end: 'Marionette:Quit',
};

export async function startFirefox(program: string): Promise<Driver> {
  const port = await freePort();
  const profile = newFolder('firefox');
  const settings = { 'marionette.port': port, 'intl.accept_languages': 'en-GB, en' };
  const lines = Object.entries(settings).map(
    ([name, value]) => `user_pref(${JSON.stringify(name)}, ${JSON.stringify(value)});\n`,
  );
  writeFileSync(join(profile, 'user.js'), lines.join(''));
  const args = ['--headless', '--marionette', '--no-remote', '--profile', profile];
  const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, HOME: profile } });
  const ended = new Promise<void>((settle) => child.once('exit', () => settle()));
  const socket = (await until(
    () => connected(port),
    (made) => made !== null,
  )) as Socket;
  const send = commandsOver(socket);
  await send('WebDriver:NewSession', { acceptInsecureCerts: true });
  const call: Call = async (command, params = {}) => {
    const answer = await send(NAMES[command], command === 'screenshot' ? { full: false } : params);
    return (answer as { value?: unknown } | null)?.value ?? answer;
  };
  return driverOf(call, async () => {
    socket.destroy();
    child.kill();
    await ended;
  });
}

function connected(port: number): Promise<Socket | null> {
  return new Promise((settle) => {
    const socket = connect(port, '127.0.0.1', () => settle(socket));
    socket.once('error', () => settle(null));
  });
}

type Send = (name: string, params: object) => Promise<unknown>;

/** Messages are `<bytes>:<JSON>`; a command is [0, id, name, params], its answer [1, id, error, result]. */
function commandsOver(socket: Socket): Send {
  const waiting = new Map<number, (error: unknown, result: unknown) => void>();
  let last = 0;
  let come = Buffer.alloc(0);
  socket.on('data', (part: Buffer) => {
    come = Buffer.concat([come, part]);
    for (;;) {
      const colon = come.indexOf(':');
      const length = Number(come.subarray(0, Math.max(colon, 0)).toString());
      if (colon < 0 || come.length < colon + 1 + length) return;
      const message: unknown = JSON.parse(come.subarray(colon + 1, colon + 1 + length).toString());
      come = come.subarray(colon + 1 + length);
      // The first message is a greeting.
      if (!Array.isArray(message)) continue;
      const [, id, error, result] = message as [1, number, unknown, unknown];
      waiting.get(id)?.(error, result);
      waiting.delete(id);
    }
  });
  return (name, params) =>
    new Promise((done, failed) => {
      const id = (last += 1);
      waiting.set(id, (error, result) => {
        if (error === null) done(result);
        else failed(new Error(`${name}: ${JSON.stringify(error).slice(0, 400)}`));
      });
      const text = JSON.stringify([0, id, name, params]);
      socket.write(`${Buffer.byteLength(text)}:${text}`);
    });
}
