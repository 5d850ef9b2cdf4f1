#!/usr/bin/env node
// `node service.mjs [--hang-once] COMMAND…` runs the command beside a payment service, whose address is in PAYMENTS, and prints at
// its end what the service counted. One idempotency key is one refund, however often it is called. `--hang-once` leaves the first
// call without an answer.
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';

const args = process.argv.slice(2);
const hangsOnce = args[0] === '--hang-once';
const [program, ...rest] = hangsOnce ? args.slice(1) : args;

/** By idempotency key. */
const refunds = new Map();
let calls = 0;

async function answerTo({ method, url, headers }, body) {
  const [, collection, key] = url.split('/');
  if (collection !== 'refunds') return [404];
  if (method === 'GET')
    return key === undefined
      ? [200, { calls }]
      : refunds.has(key)
        ? [200, refunds.get(key)]
        : [404];
  const given = headers['idempotency-key'];
  if (method !== 'POST' || given === undefined) return [400];
  const { charge, amount } = await body;
  if (!refunds.has(given)) refunds.set(given, { id: `re_${refunds.size + 1}`, charge, amount });
  calls += 1;
  if (hangsOnce && calls === 1) await new Promise(() => {});
  return [201, refunds.get(given)];
}

async function serve(request, response) {
  const body = request.method === 'POST' ? json(request) : undefined;
  const [status, content = {}] = await answerTo(request, body).catch(() => [400]);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(content));
}

const server = createServer((request, response) => void serve(request, response));
server.listen(0, '127.0.0.1', () => {
  const PAYMENTS = `http://127.0.0.1:${server.address().port}`;
  const command = spawn(program, rest, { stdio: 'inherit', env: { ...process.env, PAYMENTS } });
  command.once('close', (code) => {
    console.log(
      `Calls of the payment service: ${calls}. Refunds: ${JSON.stringify([...refunds.values()])}`,
    );
    process.exit(code ?? 1);
  });
});
