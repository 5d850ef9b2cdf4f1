// Loaded into every target before its own code: a planted fault of the connection to stores. Once the folder STAYS_AWAY has
// a file of a target's name, no new connection of that target to the store that the file names (a variable with its URL) comes
// about, as if its client did not connect again.
import { existsSync, readFileSync } from 'node:fs';
import net from 'node:net';
import { join } from 'node:path';

const folder = process.env.STAYS_AWAY;
const target = process.argv.find((word) => word.startsWith('--target='))?.slice('--target='.length);
if (folder !== undefined && target !== undefined) {
  const { connect } = net.Socket.prototype;
  net.Socket.prototype.connect = function (...args) {
    return lostPort() === portOf(args) ? this : connect.apply(this, args);
  };
}

function lostPort() {
  const file = join(folder, target);
  return existsSync(file) ? Number(new URL(process.env[readFileSync(file, 'utf8')]).port) : null;
}

/** Called with options, with a port, or by Node itself with both in an array. */
function portOf(args) {
  const [first] = args.flat();
  return Number(typeof first === 'object' && first !== null ? first.port : first);
}
