import {
  createDevelopmentProvider,
  createGateway,
  developmentProviderConfig,
  gatewayConfig,
} from '@countersign/gateway';
import type { Module } from '@countersign/platform';
import { messageSealer } from '../message-settings.js';
import type { Shared } from '../shared.js';

export function gatewayModules(shared: Shared): Module[] {
  return [
    createGateway({
      config: gatewayConfig(shared.env),
      pool: shared.pool('gateway'),
      bus: shared.bus,
      sealer: messageSealer({ ...shared, clock: shared.clock() }),
      log: shared.log,
      trust: shared.trust,
      notifications: shared.config.MAIL_FROM === undefined ? 'polling-only' : 'smtp',
      metrics: shared.metrics,
    }),
  ];
}

/** Demo people's provider: there is none in production (R21). */
export async function developmentProviderModules(shared: Shared): Promise<Module[]> {
  if (shared.config.MODE !== 'development') return [];
  return [
    await createDevelopmentProvider({ ...developmentProviderConfig(shared.env), log: shared.log }),
  ];
}
