import { createSocket } from 'node:dgram';

const NAME_ERROR = 3;

/**
 * Names of Services for pods: `<service>.<namespace>.svc.cluster.local`. Answers questions for IPv4 addresses; every other name does
 * not exist.
 *
 * @param addressesOf undefined for a Service that there is none of
 */
export async function startDns(
  address: string,
  addressesOf: (service: string, namespace: string) => readonly string[] | undefined,
): Promise<{ stop(): void }> {
  const server = createSocket('udp4');
  server.on('message', (query, from) => {
    const labels: string[] = [];
    let at = 12;
    while (query[at] !== 0 && at < query.length) {
      const length = query[at] as number;
      labels.push(query.toString('latin1', at + 1, at + 1 + length).toLowerCase());
      at += 1 + length;
    }
    const end = at + 5;
    const [service = '', namespace = '', ...zone] = labels;
    const known =
      zone.join('.') === 'svc.cluster.local' ? addressesOf(service, namespace) : undefined;
    const answers = query.readUInt16BE(at + 1) === 1 ? (known ?? []) : [];
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(0x8580 | (known === undefined ? NAME_ERROR : 0), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(answers.length, 6);
    head.writeUInt32BE(0, 8);
    // A pointer to the name of the question, type A, class IN, five seconds, four bytes.
    const records = answers.map((answer) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 5, 0, 4, ...answer.split('.').map(Number)]),
    );
    const answered = Buffer.concat([head, query.subarray(12, end), ...records]);
    server.send(answered, from.port, from.address);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.bind(53, address, resolve);
  });
  return { stop: () => server.close() };
}
