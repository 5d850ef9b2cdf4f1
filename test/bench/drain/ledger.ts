import type { Pool } from '@countersign/database';
import { ledgerModule } from '@countersign/ledger';
import { Notary, createInProcessBus, createLogger } from '@countersign/platform';
import type { LogLevel } from '@countersign/platform';
import { EXAMPLES, generateSigningKey, loadTrust, signerFromPem } from '@countersign/protocol';

/** The product's ledger by itself; answers how to stop it. `checkpointed` is told of each checkpoint's tenant. */
export async function startLedger(
  pool: Pool,
  level: LogLevel = 'warn',
  checkpointed: (tenant: string) => void = () => {},
): Promise<() => Promise<void>> {
  const log = createLogger({ name: 'ledger', level });
  const bus = createInProcessBus({ log });
  const key = generateSigningKey('ledger');
  const module = ledgerModule(
    { bus, verifier: { verify: async () => ({ caller: null, large: null }) }, log },
    {
      pool,
      manifest: '{}',
      trust: loadTrust(EXAMPLES.TrustManifest),
      traces: null,
      notary: new Notary(signerFromPem('ledger', key.privatePem), 'https://ledger.example'),
      log,
      checkpointed,
      grown: () => {},
    },
  );
  await module.start();
  return async () => {
    await module.stop();
    await bus.close();
  };
}
