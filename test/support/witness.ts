import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifierKeyText } from '@countersign/protocol';
import { testWitness } from '../conformance/evidence/whole.js';

/** A witness of trees for a running instance. */
export interface StandingWitness {
  /** For the setting `WITNESSES`. */
  readonly setting: string;
  /** A policy that asks for it alone. */
  readonly policy: string;
  stop(): void;
}

/**
 * Signs every checkpoint that it gets (c2sp.org/tlog-witness) without the proof that the tree only grew: tlog.test.ts has a
 * witness that checks.
 */
export async function startWitness(name = 'ada.example/w1'): Promise<StandingWitness> {
  const witness = testWitness(name, 0xa1);
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      // `old <size>`, the hashes of the proof, an empty line, the note.
      const note = body.slice(body.indexOf('\n\n') + 2);
      const text = note.slice(0, note.indexOf('\n\n') + 1);
      response.end(`${witness.sign(text, Math.floor(Date.now() / 1000))}\n`);
    });
  });
  await new Promise<void>((listens) => server.listen(0, '127.0.0.1', listens));
  const { port } = server.address() as AddressInfo;
  const key = verifierKeyText(witness.key);
  return {
    setting: `${key} http://127.0.0.1:${port}`,
    policy: `witness ada ${key}\nquorum ada\n`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
