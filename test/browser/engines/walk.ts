import { existsSync, mkdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { newFolder } from '../../support/folder.js';
import { producerOf } from '../../support/client.js';
import type { Instance } from '../../support/instance.js';
import { startInstance } from '../../support/instance.js';
import { until } from '../../support/requests.js';
import { file, paymentRun, pressText } from '../support/seed.js';
import type { Driver } from './driver.js';
import { startFirefox } from './firefox.js';
import type { Fronts } from './tls-front.js';
import { startFronts } from './tls-front.js';
import { startWebKit } from './webkit.js';

// `npm run walk:browsers`: the way of a reviewer, from the login to the receipt, in Firefox and WebKit, where they are. Pictures of
// every step are in the folder that it names.

const FOLDER = process.env['WALK_PICTURES'] ?? newFolder('walk');
const WIDTHS = [1440, 820, 390] as const;
const HEIGHT = 900;

/** The first of these programs that is on this machine. */
function found(...names: readonly string[]): string | null {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter)];
  const paths = names.flatMap((name) =>
    name.startsWith('/') ? [name] : folders.map((folder) => join(folder, name)),
  );
  return paths.find((path) => existsSync(path)) ?? null;
}

interface Engine {
  readonly name: string;
  /** Null where a program is missing. */
  readonly start: (() => Promise<Driver>) | null;
  /** How to get it. */
  readonly missing: string;
}

const firefox = found('firefox-esr', 'firefox');
const driver = found('WebKitWebDriver');
const screen = found('Xvfb');
// Where Debian has it, by its architecture and the version of its interface.
const browser = found(
  ...['x86_64', 'aarch64'].flatMap((machine) =>
    ['4.1', '4.0', '6.0'].map(
      (version) => `/usr/lib/${machine}-linux-gnu/webkit2gtk-${version}/MiniBrowser`,
    ),
  ),
  'MiniBrowser',
);
const ENGINES: readonly Engine[] = [
  {
    name: 'Firefox',
    start: firefox === null ? null : () => startFirefox(firefox),
    missing: 'apt-get install firefox-esr',
  },
  {
    name: 'WebKit',
    start:
      driver === null || browser === null || screen === null
        ? null
        : () => startWebKit({ driver, browser, screen }),
    missing: 'apt-get install webkit2gtk-driver xvfb',
  },
];

const say = (line: string) => process.stdout.write(`${line}\n`);

// Only to end a walk that hangs.
jest.setTimeout(600_000);

let instance: Instance;
let fronts: Fronts;
let stopFronts: () => Promise<void>;

beforeAll(async () => {
  mkdirSync(FOLDER, { recursive: true });
  instance = await startInstance();
  const { origin, sandboxOrigin, issuer } = instance.demo;
  ({ fronts, stop: stopFronts } = await startFronts([origin, sandboxOrigin, issuer]));
});
afterAll(async () => {
  await stopFronts?.();
  await instance?.stop();
  const missing = ENGINES.filter(({ start }) => start === null);
  for (const { name, missing: how } of missing) say(`${name} is not on this machine: ${how}`);
  say(`pictures: ${FOLDER}`);
});

const present = ENGINES.filter(({ start }) => start !== null);

test('there is a browser to walk in', () => {
  expect(present.map(({ name }) => name)).not.toEqual([]);
});

for (const { name, start } of present)
  describe(name, () => {
    let walker: Driver;
    beforeAll(async () => {
      walker = await start!();
    });
    afterAll(() => walker?.end());

    let step = 0;
    /** A picture of the page at every width. */
    async function look(what: string): Promise<void> {
      step += 1;
      for (const width of WIDTHS) {
        await walker.size(width, HEIGHT);
        // Some engines lay a page out a while after its window has changed.
        await until(
          async () => ({ what, width, wider: await walker.script(WIDER) }),
          ({ wider }) => wider === 0,
        );
        // A window may have a least width, as that of Firefox has.
        const shown = String(await walker.script('return innerWidth'));
        const place = `${name.toLowerCase()}-${String(step).padStart(2, '0')}-${what}-${shown}.png`;
        await walker.picture(join(FOLDER, place));
      }
      await walker.size(WIDTHS[0], HEIGHT);
    }
    const address = (path: string) => fronts.get(instance.demo.origin) + path;

    test('a reviewer logs in, reads, answers, signs and has a receipt', async () => {
      const { demo } = instance;
      const producer = producerOf(demo);
      const summary = `Pay four suppliers, for a walk in ${name}`;
      const id = await file(producer, paymentRun(demo, { summary }));
      await file(producer, pressText(demo));

      await walker.goto(address('/inbox'));
      await walker.click(button('Ruth Reviewer'));
      await walker.see(link(summary));
      await look('inbox');

      await walker.click(link(summary));
      await walker.see(`*[@class='reading']`);
      await walker.see(`*[contains(text(), 'recomputed here: matches')]`);
      await walker.see(`*[@role='table' or self::table]`);
      await look('review');

      await walker.click(button('Exact text'));
      await walker.see(`*[@class='document-line']`);
      await walker.click(button('Side by side'));
      await look('exact-text-side-by-side');
      await walker.click(button('Stacked'));
      await walker.click(button('Reading view'));

      await walker.click(`label[contains(., 'Authorise the execution')]`);
      await walker.click(button('Review and sign …'));
      await walker.see(`*[@role='alert'][contains(., 'needs your attention')]`);
      await look('fault');
      await walker.type(`label[contains(., 'Reason')]/following::textarea[1]`, 'Amounts agree.');
      await walker.click(button('Review and sign …'));
      await walker.see(`h2[contains(., 'Read the exact text')]`);
      await look('panel');
      // The end of the answer has to have been in view before it can be ticked.
      await walker.script(
        `document.querySelector('.answered').scrollIntoView({ block: 'end' });` +
          `for (let part = document.querySelector('.answered'); part; part = part.parentElement) part.scrollTop += 400;`,
      );
      await walker.see(`input[@type='checkbox'][not(@disabled)]`);
      await walker.click(`label[contains(., 'I have read')]`);
      await walker.click(button('Confirm and sign'));
      await walker.see(`h2[contains(., 'Receipt')]`);
      await walker.see(`*[contains(@class, 'seal')][contains(., 'Nothing fails')]`);
      await look('receipt');

      await walker.goto(address('/inbox#decided'));
      await walker.see(link(summary));
      await look('decided');
      const status = await until(
        () => producer.get(`/v2/requests/${id}`),
        ({ body }) => body.decision_state === 'confirmed',
      );
      expect(status.body.receipt.payload.decision).toBe('authorise');
    });
  });

/** By how many pixels a page is wider than its window. */
const WIDER =
  'const { scrollWidth, clientWidth } = document.documentElement; return scrollWidth - clientWidth;';

const button = (words: string) => `button[contains(normalize-space(), '${words}')]`;
const link = (words: string) => `a[contains(., '${words}')]`;
