#!/usr/bin/env node
// Registers the app as the publisher, and files one request that is reviewed with it as the producer.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { bundleRegistration, paymentRequest } from './batch.mjs';

const HELP = `Usage: node examples/payment-batch/register.mjs [--demo FILE]

Registers dist/payment-batch.html and files a payment batch that is reviewed with it.

  --demo FILE   what a running \`npm start\` wrote about itself (default .countersign/demo.json)

Without a demo file, these say where and as whom:
  COUNTERSIGN_ORIGIN            such as https://review.example
  COUNTERSIGN_PUBLISHER_TOKEN   of a principal of kind publisher
  COUNTERSIGN_PRODUCER_TOKEN    of a producer that is bound to that publisher
  COUNTERSIGN_ROUTE             a route for executions that the producer may use
`;

const { values } = parseArgs({
  options: { demo: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}

const { origin, publisherToken, producerToken, route } = target();
const html = readFileSync(new URL('dist/payment-batch.html', import.meta.url), 'utf8');
const bundle = await post('/v2/bundles', publisherToken, bundleRegistration(html));
console.log(`bundle   ${bundle.id}\n         ${bundle.digest}`);
const body = paymentRequest({ route, bundleId: bundle.id, now: Date.now() });
const { request, review_link } = await post('/v2/requests', producerToken, body);
console.log(`request  ${request.id}\nreview   ${review_link}`);

function target() {
  const { env } = process;
  if (env.COUNTERSIGN_ORIGIN !== undefined && values.demo === undefined) {
    return {
      origin: env.COUNTERSIGN_ORIGIN,
      publisherToken: env.COUNTERSIGN_PUBLISHER_TOKEN,
      producerToken: env.COUNTERSIGN_PRODUCER_TOKEN,
      route: env.COUNTERSIGN_ROUTE,
    };
  }
  const file = values.demo ?? resolve(import.meta.dirname, '../../.countersign/demo.json');
  try {
    const demo = JSON.parse(readFileSync(file, 'utf8'));
    return {
      origin: demo.origin,
      publisherToken: demo.publisher.token,
      producerToken: demo.producer.token,
      route: demo.routes.execution,
    };
  } catch {
    process.stderr.write(`${file} cannot be read. Is \`npm start\` running?\n\n${HELP}`);
    process.exit(1);
  }
}

async function post(path, token, body) {
  const response = await fetch(origin + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': randomUUID(),
    },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (response.ok) return answer;
  process.stderr.write(`${path} answered ${response.status} ${answer.error}: ${answer.detail}\n`);
  process.exit(1);
}
