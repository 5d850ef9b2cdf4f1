import { readFileSync } from 'node:fs';
import {
  PROOF_REASONS,
  valueDigest,
  verdictText,
  verifyDocument,
  verifyRecord,
} from '@countersign/protocol';
import type {
  AuditExport,
  EventPage,
  RequestChangedEvent,
  RequestStatus,
  Trust,
} from '@countersign/protocol';
import type { Command } from 'commander';
import { apiOf } from '../client/api.js';
import type { Api } from '../client/api.js';
import { firstAnswer } from '../client/first-answer.js';
import { releaseNotesRequest } from '../client/release-notes.js';
import { until } from '../client/until.js';
import { PlainError } from '../plain-error.js';
import { loadTrustFile } from '../trust-file.js';

interface ProbeFlags {
  url?: string;
  origin: string;
  route: string;
  tokenFile: string;
  trust: string;
}

const HELP = `
Files a request, follows it through the chain to the producer's event feed, cancels it, and verifies the signatures of
its events and of its export, under the trust manifest that is given. No person has to decide: what needs a person
is what this service is for. \`helm test\` runs it; it does for monitoring as well.`;

export function addProbeCommand(program: Command): void {
  program
    .command('probe')
    .description('send one request through a running service as a producer would, and verify it')
    .requiredOption('--origin <origin>', 'exact origin of the service')
    .option('--url <url>', 'address to connect to, if another: inside a cluster, for example')
    .requiredOption('--route <id>', 'a route that the producer may use')
    .requiredOption('--token-file <file>', "file with the producer's bearer token")
    .requiredOption('--trust <file>', 'trust manifest')
    .addHelpText('after', HELP)
    .action(probe);
}

async function probe({
  url,
  origin,
  route,
  tokenFile,
  trust: manifest,
}: ProbeFlags): Promise<void> {
  const trust = loadTrustFile(manifest, origin);
  const producer = apiOf(url ?? origin, { token: read(tokenFile).trim() });
  const before = await firstAnswer(() => producer.newestEvent());

  const created = await producer.post<RequestStatus>('/v2/requests', releaseNotesRequest(route));
  const { id } = created.request;
  same('the request’s digest', valueDigest(created.request), created.request_digest);
  console.log(`request ${id} accepted ${created.request.accepted_at}`);
  await eventOf(producer, trust, before, id, 'created');
  console.log('its creation is chained, signature verified');

  const cancelled = await producer.post<RequestStatus>(`/v2/requests/${id}/cancel`, {});
  same('the decision', 'cancelled', cancelled.decision_state);
  await eventOf(producer, trust, before, id, 'cancelled');
  console.log('cancelled, chained, signature verified');

  const exported = await producer.get<AuditExport>(`/v2/requests/${id}/export`);
  const verdict = verifyDocument(Buffer.from(JSON.stringify(exported)), trust, {
    expected: { now: Date.now() },
    copies: null,
  });
  // There is no decision, so no receipt to anchor: checks may be open, but none may fail.
  if (verdict.kind === null || verdict.verdict === 'fails') {
    throw new PlainError(`The export does not verify:\n${verdictText(verdict, { details: true })}`);
  }
  console.log('its export verifies');
}

/** Waits for that event of the request and verifies it. */
async function eventOf(
  producer: Api,
  trust: Trust,
  from: number,
  requestId: string,
  reason: string,
): Promise<void> {
  let after = from;
  let found = false;
  await until(
    `The event "${reason}"`,
    async () => {
      const { items, next } = await producer.get<EventPage>(`/v2/events?after=${after}`);
      after = next;
      for (const item of items) {
        const event = item.payload as unknown as RequestChangedEvent;
        if (event.request_id !== requestId || event.reason !== reason) continue;
        const { audience, tenant } = item.protected;
        const expected = {
          type: 'RequestChangedEvent',
          audience,
          tenant,
          now: Date.now(),
        } as const;
        const verified = verifyRecord(item, trust, expected);
        if (!verified.ok) throw new PlainError(`${reason}: ${PROOF_REASONS[verified.reason]}`);
        found = true;
      }
    },
    () => found,
    { pauseMs: 500 },
  );
}

function same(what: string, expected: unknown, actual: unknown): void {
  if (expected === actual) return;
  throw new PlainError(`${what} should be ${String(expected)} and is ${String(actual)}.`);
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new PlainError(`${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}
