import type { Bus, Logger, MessageSealer, Registry } from '@countersign/platform';
import type { TrustManifest } from '@countersign/protocol';
import type { GatewayConfig } from './config.js';
import type { Notifications, Offered } from './operations/discovery.js';
import type { Pool } from './store/index.js';

export interface GatewayDeps {
  readonly config: GatewayConfig;
  /** Connections that act as the gateway's database role. */
  readonly pool: Pool;
  readonly bus: Bus;
  readonly sealer: MessageSealer;
  readonly log: Logger;
  /** As it was configured; operation `gateway.trust` serves it as it is. */
  readonly trust: TrustManifest;
  readonly notifications: Notifications;
  readonly offered: Offered;
  /** This process's own metrics. */
  readonly metrics: Registry;
}
