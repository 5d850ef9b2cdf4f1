import { canonicalText, securityStatement } from '@countersign/protocol';
import { startLoop } from '@countersign/platform';
import type { Logger, Loop, Notary } from '@countersign/platform';
import { AnchorError } from '../anchor/anchor-store.js';
import type { AnchorStore } from '../anchor/anchor-store.js';
import type { OpenSecurityCheckpoint, SecurityPosition, SecurityStore } from '../store/security.js';
import type { SecurityMetrics } from './metrics.js';

const EVERY_MS = 1000;
const ENTRIES = 100;
const MOST_WAIT_MS = 60_000;

export interface SecurityCheckpointDeps {
  readonly store: SecurityStore;
  /** Where checkpoints are kept below `security/`. */
  readonly anchors: Pick<AnchorStore, 'accept'>;
  readonly notary: Notary;
  /** The longest that an entry waits for its checkpoint. */
  readonly seconds: number;
  readonly metrics: SecurityMetrics;
  readonly log: Logger;
}

/**
 * Signs where each chain stands, after 100 entries and at the latest after `seconds`, and writes it to the anchor store. A
 * signed checkpoint is stored before it is written, so that writing it again writes the same bytes: any number of replicas
 * may run. A store that refuses is retried with a growing pause, and delays no other chain.
 */
export function securityCheckpoints(deps: SecurityCheckpointDeps): {
  start(): void;
  stop(): Promise<void>;
} {
  const rests = new Map<string, { until: number; failures: number }>();
  let loop: Loop | undefined;

  async function round(): Promise<void> {
    try {
      for (const position of await deps.store.unsigned(ENTRIES, deps.seconds)) {
        await deps.store.saveCheckpoint(position, await signed(deps.notary, position));
      }
      for (const checkpoint of await deps.store.openCheckpoints()) await write(checkpoint);
    } catch (error) {
      deps.log.error({ err: error }, 'the security log cannot be signed now');
    }
  }

  async function write(checkpoint: OpenSecurityCheckpoint): Promise<void> {
    const { tenant, sequence } = checkpoint;
    const rest = rests.get(tenant);
    if (rest !== undefined && rest.until > performance.now()) return;
    try {
      const acceptance = await deps.anchors.accept({
        ...checkpoint,
        issuedAt: checkpoint.createdAt,
      });
      await deps.store.accepted(checkpoint, canonicalText(acceptance));
      rests.delete(tenant);
    } catch (error) {
      if (!(error instanceof AnchorError)) throw error;
      const failures = (rest?.failures ?? 0) + 1;
      const until = performance.now() + Math.min(MOST_WAIT_MS, 1000 * 2 ** failures);
      rests.set(tenant, { until, failures });
      deps.metrics.refused(error.fault);
      deps.log.error(
        { tenant, sequence, fault: error.fault, err: error.cause },
        'the anchor store did not accept a checkpoint of the security log',
      );
      await deps.store.failed(checkpoint, error.fault);
    }
  }

  return {
    start() {
      loop = startLoop(EVERY_MS, round);
    },
    stop: async () => {
      await loop?.stop();
    },
  };
}

/** Canonical text of the signed checkpoint. */
async function signed(notary: Notary, position: SecurityPosition): Promise<string> {
  const { ledgerId, generation, sequence, head, now } = position;
  const checkpoint = { issuer: notary.origin, ledgerId, generation, sequence, head, issuedAt: now };
  const statement = securityStatement(checkpoint);
  const { keyId, signature } = await notary.signText(statement);
  return canonicalText({
    key_id: keyId,
    signature: Buffer.from(signature).toString('base64url'),
    statement,
  });
}
