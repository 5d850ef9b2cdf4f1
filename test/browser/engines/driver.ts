import { writeFileSync } from 'node:fs';
import { until } from '../../support/requests.js';

/** Calls one command of WebDriver; each protocol names them in its own way. */
export type Call = (
  command: Command,
  params?: Readonly<Record<string, unknown>>,
) => Promise<unknown>;

export type Command =
  | 'navigate'
  | 'find'
  | 'click'
  | 'type'
  | 'script'
  | 'screenshot'
  | 'size'
  | 'end';

/** What a walk does in a browser, whatever its engine. */
export interface Driver {
  goto(url: string): Promise<void>;
  /** Waits until an element is there. The path is XPath, without its first `//`. */
  see(path: string): Promise<string>;
  /** Waits for it, brings it into view and presses it, as a person does. */
  click(path: string): Promise<void>;
  type(path: string, text: string): Promise<void>;
  /** Runs the body of a function in the page and gives its result. */
  script(body: string): Promise<unknown>;
  /** Sets the width and height of the page. */
  size(width: number, height: number): Promise<void>;
  picture(file: string): Promise<void>;
  end(): Promise<void>;
}

/** The key of an element in an answer of WebDriver. */
const ELEMENT = 'element-6066-11e4-a52e-4f735466cecf';

export function driverOf(call: Call, stop: () => Promise<void>): Driver {
  const find = async (path: string): Promise<string | null> => {
    try {
      const found = await call('find', { using: 'xpath', value: `//${path}` });
      return (found as Record<string, string>)[ELEMENT] ?? null;
    } catch {
      return null;
    }
  };
  const see = async (path: string) => {
    try {
      return (await until(
        () => find(path),
        (id) => id !== null,
      )) as string;
    } catch {
      const page = await script('return location.href + "\\n" + document.body.innerText');
      throw new Error(`${path} never came on the page ${String(page).slice(0, 600)}`);
    }
  };
  const script = (body: string) => call('script', { script: body, args: [] });
  return {
    see,
    script,
    goto: async (url) => void (await call('navigate', { url })),
    click: async (path) => void (await call('click', { id: await see(path) })),
    type: async (path, text) => void (await call('type', { id: await see(path), text })),
    async size(width, height) {
      await call('size', { width, height });
      // Its own bars take a part of a window.
      const [w, h] = (await script('return [innerWidth, innerHeight]')) as [number, number];
      await call('size', { width: 2 * width - w, height: 2 * height - h });
    },
    async picture(file) {
      writeFileSync(file, Buffer.from((await call('screenshot')) as string, 'base64'));
    },
    async end() {
      await call('end').catch(() => {});
      await stop();
    },
  };
}
