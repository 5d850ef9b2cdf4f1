import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

export interface NameServer {
  /** As a resolver is told of it. */
  readonly server: string;
  /** Questions so far, as `name type`. */
  readonly asked: string[];
  close(): Promise<void>;
}

const A = 1;
const AAAA = 28;

/** A name server over UDP: answers from `zone` at the moment it is asked; `null` = it does not answer at all. */
export async function startNameServer(
  zone: (name: string) => readonly string[] | null,
): Promise<NameServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (query, from) => {
    const { name, type, end } = questionOf(query);
    asked.push(`${name} ${type === A ? 'A' : 'AAAA'}`);
    const addresses = zone(name);
    if (addresses === null) return;
    const fitting = addresses.filter((address) => isIPv6(address) === (type === AAAA));
    const header = Buffer.from(query.subarray(0, 12));
    // An answer with recursion, without an error; of these counts.
    header.writeUInt16BE(0x8180, 2);
    header.writeUInt16BE(fitting.length, 6);
    header.writeUInt32BE(0, 8);
    const answers = fitting.map((address) => recordOf(type, address));
    socket.send(
      Buffer.concat([header, query.subarray(12, end), ...answers]),
      from.port,
      from.address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked,
    async close() {
      socket.close();
      await once(socket, 'close');
    },
  };
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

function recordOf(type: number, address: string): Buffer {
  const data = type === A ? Buffer.from(address.split('.').map(Number)) : ipv6Bytes(address);
  const head = Buffer.alloc(12);
  // The name is the question's.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(0, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

/** Of an address that is written out in full, eight groups. */
function ipv6Bytes(address: string): Buffer {
  return Buffer.from(
    address.split(':').flatMap((group) => {
      const value = Number.parseInt(group, 16);
      return [value >> 8, value & 0xff];
    }),
  );
}
