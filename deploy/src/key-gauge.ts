import { Gauge } from '@countersign/platform';
import type { Registry } from '@countersign/platform';
import type { RemoteSigner, SigningService } from '@countersign/protocol';

/** When the keys that this process signs with end; a key in a key service is left out until it is known. */
export function keyGauge(
  registry: Registry,
  signers: ReadonlyMap<SigningService, Pick<RemoteSigner, 'window'>>,
): void {
  new Gauge({
    name: 'countersign_signing_key_end_timestamp_seconds',
    help: 'The time at which the active signing key ends.',
    labelNames: ['service'],
    registers: [registry],
    collect() {
      for (const [service, signer] of signers) {
        try {
          if (signer.window !== undefined) this.set({ service }, signer.window.end / 1000);
        } catch {
          this.remove({ service });
        }
      }
    },
  });
}
