import { once } from 'node:events';
import { WebSocket } from 'ws';
import { issueToken } from '../tokens.js';
import { SECRET, startChild } from './processes.js';
import type { Child } from './processes.js';

const SOCKETS = 8;
const IN_FLIGHT = 32;
const ROUNDS = 5;
const ROUND = 2000;
// So many messages heard, and the server gets credits for as many again.
const CREDIT_STEP = 500;
const FIRST_CREDITS = 1000;
const WORDS = 'x'.repeat(64);

export interface Throughput {
  /** Messages echoed per second, the median of the rounds. */
  readonly rate: number;
  /** Microseconds of the server's processor for one message. */
  readonly cost: number;
}

/** Both servers get the same texts from the same clients, in turns. */
export async function measureThroughput(): Promise<{ bare: Throughput; ours: Throughput }> {
  const [echo, server] = [await startChild('echo'), await startChild('server')];
  const bare = await Promise.all(Array.from({ length: SOCKETS }, () => join(echo, false)));
  const ours = await Promise.all(Array.from({ length: SOCKETS }, () => join(server, true)));
  const rounds = { bare: [] as Throughput[], ours: [] as Throughput[] };
  // Both are warm, and the allowances of ours have grown, before anything counts.
  await measure(echo, bare);
  await measure(server, ours);
  for (let round = 0; round < ROUNDS; round += 1) {
    rounds.bare.push(await measure(echo, bare));
    rounds.ours.push(await measure(server, ours));
  }
  for (const { socket } of [...bare, ...ours]) socket.terminate();
  await Promise.all([echo.stop(), server.stop()]);
  return { bare: median(rounds.bare), ours: median(rounds.ours) };
}

interface Update {
  readonly payload: { readonly channel: string; readonly add_messages: number };
}

interface Sender {
  readonly socket: WebSocket;
  go(end: number): Promise<number>;
}

async function join(child: Child, shakesHands: boolean): Promise<Sender> {
  const token = await issueToken('bench', { secret: SECRET, expiresIn: '1h' }, Date.now());
  const address = `ws://127.0.0.1:${child.port}/proto/websocket?token=${token}`;
  const socket = new WebSocket(address, { perMessageDeflate: false });
  let seq = 0;
  const text = (type: string, channel: string, payload: object) => {
    seq += 1;
    return `{"id":"message-${seq}","session":"bench","seq":"${seq}","ts":"2020-01-01T00:00:00.000Z","channel":"${channel}","type":"${type}","payload":${JSON.stringify(payload)}}`;
  };
  const say = () =>
    socket.send(text('TEXT_MESSAGE_START', 'USER', { message_id: 'm', text: WORDS }));
  const give = () => {
    const grant = { channel: 'USER', add_messages: CREDIT_STEP, add_bytes: 1_000_000 };
    socket.send(text('FLOW_UPDATE', 'SYSTEM', grant));
  };
  await once(socket, 'open');
  if (shakesHands)
    socket.send(text('HAI', 'SYSTEM', { proto_version: '1.1.2', accept_major: [1] }));

  // What the server lets it send; nobody limits the bare echo.
  let credits = shakesHands ? FIRST_CREDITS : Infinity;
  let flying = 0;
  let heard = 0;
  let until = 0;
  let finish: (() => void) | undefined;
  const fill = () => {
    for (; flying < IN_FLIGHT && credits > 0; flying += 1, credits -= 1) say();
  };
  socket.on('message', (data: Buffer) => {
    // Looked at no closer than it takes to tell an echo from the rest.
    if (data.includes('"type":"TEXT_MESSAGE_START"')) {
      heard += 1;
      flying -= 1;
      if (shakesHands && heard % CREDIT_STEP === 0) give();
    } else if (data.includes('"type":"FLOW_UPDATE"')) {
      const { payload } = JSON.parse(data.toString()) as Update;
      if (payload.channel === 'USER') credits += payload.add_messages;
    } else if (data.includes('"type":"ERROR"')) {
      throw new Error(data.toString());
    }
    if (performance.now() < until) fill();
    else if (flying === 0) finish?.();
  });

  return {
    socket,
    async go(end) {
      const before = heard;
      until = end;
      const done = new Promise<void>((resolve, reject) => {
        const late = setTimeout(() => reject(new Error('The echoes stopped.')), 10 * ROUND);
        finish = () => {
          clearTimeout(late);
          resolve();
        };
      });
      fill();
      await done;
      return heard - before;
    },
  };
}

async function measure(child: Child, senders: readonly Sender[]): Promise<Throughput> {
  const before = await child.figures();
  const began = performance.now();
  const heard = await Promise.all(senders.map((sender) => sender.go(began + ROUND)));
  const seconds = (performance.now() - began) / 1000;
  const after = await child.figures();
  const total = heard.reduce((sum, each) => sum + each, 0);
  return { rate: total / seconds, cost: (after.cpu - before.cpu) / total };
}

function median(rounds: readonly Throughput[]): Throughput {
  const middle = (values: number[]) =>
    values.sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
  return {
    rate: middle(rounds.map(({ rate }) => rate)),
    cost: middle(rounds.map(({ cost }) => cost)),
  };
}
