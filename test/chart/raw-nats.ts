import { createConnection } from 'node:net';

const ASKED = 'PING\r\n';

/** A connection that speaks the protocol of NATS itself, to see the server's answer to a line. */
export interface RawNats {
  /** Sends lines, and resolves to all that the server said to them. */
  say(...lines: readonly string[]): Promise<string>;
  close(): void;
}

export function rawNats(port: number, user: string, password: string): RawNats {
  const socket = createConnection({ port, host: '127.0.0.1' });
  let heard = '';
  let answered: ((text: string) => void) | null = null;
  socket.setEncoding('utf8').on('data', (text: string) => {
    heard += text;
    // The server asks now and then whether its client is there.
    if (heard.includes(ASKED)) {
      heard = heard.replaceAll(ASKED, '');
      socket.write('PONG\r\n');
    }
    // The server takes lines in order: after this one it has said all.
    if (!heard.endsWith('PONG\r\n') || answered === null) return;
    answered(heard);
    answered = null;
  });
  const options = { user, pass: password, verbose: false, pedantic: false, headers: true };
  socket.write(`CONNECT ${JSON.stringify(options)}\r\n`);
  return {
    say: (...lines) =>
      new Promise((resolve) => {
        heard = '';
        answered = resolve;
        socket.write(`${[...lines, 'PING'].join('\r\n')}\r\n`);
      }),
    close: () => void socket.destroy(),
  };
}
