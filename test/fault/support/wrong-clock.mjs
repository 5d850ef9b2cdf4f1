// Loaded into every target before its own code, so that the machines of two replicas disagree about the time: the first of
// a target is right, the second off by so many milliseconds as the file `off` says, which may change at any time. Only the
// wall clock is wrong, as after a manual change; timers go on.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const LOOK_EVERY_MS = 100;
const directory = process.env.WRONG_CLOCKS;
const target = process.argv.find((word) => word.startsWith('--target='));
if (directory !== undefined && target !== undefined && !first(target)) {
  const Right = Date;
  let off = offset();
  setInterval(() => (off = offset()), LOOK_EVERY_MS).unref();
  globalThis.Date = new Proxy(Right, {
    construct: (Of, args, as) =>
      Reflect.construct(Of, args.length === 0 ? [Right.now() + off] : args, as),
    apply: (Of) => new Of(Right.now() + off).toString(),
    get: (Of, name) => (name === 'now' ? () => Right.now() + off : Reflect.get(Of, name)),
  });
}

function offset() {
  return Number(readFileSync(join(directory, 'off'), 'utf8'));
}

function first(name) {
  try {
    mkdirSync(join(directory, name));
    return true;
  } catch {
    return false;
  }
}
