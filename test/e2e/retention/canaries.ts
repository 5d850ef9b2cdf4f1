import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

export interface Search {
  readonly findings: string[];
  readonly files: number;
  readonly bytes: number;
}

/** Texts that stand nowhere else in the world, each for one private field. */
export class Canaries {
  readonly #texts = new Map<string, string>();
  readonly #windows = new Map<string, Set<string>>();
  /** Which pairs of bytes begin a window: most places are passed over by this alone. */
  readonly #pairs = new Uint8Array(65_536);

  /** 64 characters that are their own JSON, base64 and file name, the same for the same field. */
  of(field: string): string {
    const known = this.#texts.get(field);
    if (known !== undefined) return known;
    const text = randomText(64);
    this.#texts.set(field, text);
    for (let at = 0; at + WINDOW <= text.length; at += 1) {
      const window = text.slice(at, at + WINDOW);
      const fields = this.#windows.get(window) ?? new Set();
      this.#windows.set(window, fields.add(field));
      this.#pairs[(window.charCodeAt(0) << 8) | window.charCodeAt(1)] = 1;
    }
    return text;
  }

  /** The fields of which as much as eight characters in a row stand in these bytes. */
  fieldsIn(bytes: Buffer): Set<string> {
    const found = new Set<string>();
    const pairs = this.#pairs;
    for (let at = 0; at + WINDOW <= bytes.length; at += 1) {
      if (pairs[(bytes[at]! << 8) | bytes[at + 1]!] === 0) continue;
      const fields = this.#windows.get(bytes.toString('latin1', at, at + WINDOW));
      for (const field of fields ?? []) found.add(field);
    }
    return found;
  }

  /** As {@link fieldsIn}, in every file below the directories, which have names: `field in name/file`. */
  below(directories: Readonly<Record<string, string>>): Search {
    const findings: string[] = [];
    let files = 0;
    let bytes = 0;
    for (const [name, directory] of Object.entries(directories)) {
      const others = Object.values(directories).filter((other) => other !== directory);
      for (const file of filesBelow(directory, others)) {
        const content = contentOf(join(directory, file));
        if (content === null) continue;
        files += 1;
        bytes += content.length;
        for (const field of this.fieldsIn(content)) findings.push(`${field} in ${name}/${file}`);
      }
    }
    return { findings: findings.sort(), files, bytes };
  }
}

/**
 * Postgres' compression breaks a text after every eighth literal byte. Eight of them in a row that happen to be right are
 * one in two hundred million millions.
 */
const WINDOW = 8;
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function randomText(length: number): string {
  let text = '';
  while (text.length < length) {
    for (const byte of randomBytes(length)) {
      if (byte < 248) text += LETTERS[byte % LETTERS.length];
    }
  }
  return text.slice(0, length);
}

function filesBelow(directory: string, without: readonly string[], prefix = ''): string[] {
  return readdirSync(join(directory, prefix), { withFileTypes: true }).flatMap((entry) => {
    const name = join(prefix, entry.name);
    if (without.includes(join(directory, name))) return [];
    if (entry.isDirectory()) return filesBelow(directory, without, name);
    return entry.isFile() ? [name] : [];
  });
}

/** Null for a file that is gone by now: servers at work make and remove files. */
function contentOf(file: string): Buffer | null {
  try {
    return statSync(file).isFile() ? readFileSync(file) : null;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
