import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import {
  newMessageKey,
  readCallerKey,
  readCallerKeys,
  readMessageKeys,
} from '@countersign/platform';
import type { AskedService } from '@countersign/platform';
import { ensurePrivateKey, listCallerKey, publicPemOf, replaceFile } from './keys.js';
import { PlainError } from './plain-error.js';

/**
 * Replaces the keys by which the gateway and the services authenticate each other, while they run: they read these files
 * again within ten seconds. In three steps, for a key has to be known everywhere before it is used and until its last
 * message is through. All throw PlainError.
 */

/** Messages and tokens count for a minute; clocks and copies of files take their time as well. */
export const SETTLED = 'two minutes';

/** The key of caller tokens: `caller.pem` of the gateway, `caller.pub.pem` of the services, `caller.next.pem`. */
export const callerRotation = {
  prepare(directory: string): string {
    fileOf(directory, 'caller.pem');
    ensurePrivateKey(directory, 'caller.next');
    listCallerKey(directory, 'caller.next');
    return idOf(directory, 'caller.next.pem');
  },

  activate(directory: string): string {
    const next = join(directory, 'caller.next.pem');
    if (!existsSync(next)) throw first('prepare', 'caller');
    const id = idOf(directory, 'caller.next.pem');
    const listed = fileOf(directory, 'caller.pub.pem');
    if (!readCallerKeys(readFileSync(listed, 'utf8')).has(id)) throw first('prepare', 'caller');
    renameSync(next, join(directory, 'caller.pem'));
    return id;
  },

  retire(directory: string): string {
    if (existsSync(join(directory, 'caller.next.pem'))) throw first('activate', 'caller');
    replaceFile(fileOf(directory, 'caller.pub.pem'), publicPemOf(directory, 'caller'));
    return idOf(directory, 'caller.pem');
  },
} as const;

/** The keys that the gateway shares with a service: `<service>.message-keys`, a line each, `next` and `old` behind it. */
export const messageKeyRotation = {
  prepare(directory: string, service: AskedService): string {
    const lines = linesOf(directory, service);
    if (lines.old !== undefined) throw first('retire', `${service} --messages`);
    const next = lines.next ?? newMessageKey();
    write(directory, service, [lines.current, `${next} next`]);
    return messageKeyId(next);
  },

  activate(directory: string, service: AskedService): string {
    const { current, next } = linesOf(directory, service);
    if (next === undefined) throw first('prepare', `${service} --messages`);
    write(directory, service, [next, `${current} old`]);
    return messageKeyId(next);
  },

  retire(directory: string, service: AskedService): string {
    const { current, next } = linesOf(directory, service);
    if (next !== undefined) throw first('activate', `${service} --messages`);
    write(directory, service, [current]);
    return messageKeyId(current);
  },
} as const;

function linesOf(directory: string, service: AskedService) {
  const file = fileOf(directory, `${service}.message-keys`);
  const text = readFileSync(file, 'utf8');
  try {
    readMessageKeys(text);
  } catch (error) {
    throw new PlainError(`${file}: ${(error as Error).message}.`);
  }
  const words = text.split('\n').map((line) => line.trim().split(/\s+/));
  const marked = (mark: string | undefined) =>
    words.find(([key, after]) => key !== '' && after === mark)?.[0];
  const current = marked(undefined);
  if (current === undefined) throw new PlainError(`${file}: none of its keys is in use.`);
  return { current, next: marked('next'), old: marked('old') };
}

function write(directory: string, service: AskedService, lines: readonly string[]): void {
  const text = lines.map((line) => `${line}\n`).join('');
  replaceFile(join(directory, `${service}.message-keys`), text, 0o600);
}

function messageKeyId(key: string): string {
  return readMessageKeys(key)[0].id;
}

function idOf(directory: string, name: string): string {
  return readCallerKey(readFileSync(join(directory, name), 'utf8')).id;
}

function fileOf(directory: string, name: string): string {
  const file = join(directory, name);
  if (existsSync(file)) return file;
  throw new PlainError(
    `${file}: there is no such key. \`countersign keygen\` makes keys; --dir says where they are.`,
  );
}

function first(step: string, of: string): PlainError {
  return new PlainError(`It is not time for that: first \`countersign rotate ${step} ${of}\`.`);
}
