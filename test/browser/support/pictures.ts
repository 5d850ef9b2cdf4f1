import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE } from './browser.js';

const FOLDER = join(__dirname, '../../../docs/images');

interface PictureOptions {
  readonly phone?: boolean;
  readonly dark?: boolean;
  /** The whole page instead of the visible part. */
  readonly whole?: boolean;
}

/** With `PICTURES=1` the tests also make the pictures of the documentation, so that these show tested states. */
export async function picture(
  page: Page,
  name: string,
  { phone = false, dark = false, whole = false }: PictureOptions = {},
): Promise<void> {
  if (process.env['PICTURES'] !== '1') return;
  mkdirSync(FOLDER, { recursive: true });
  await page.setViewportSize(phone ? PHONE : DESKTOP);
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), fullPage: whole });
  await page.setViewportSize(DESKTOP);
  await page.emulateMedia({ colorScheme: null });
}
