import {
  createDevelopmentProvider,
  createGateway,
  developmentProviderConfig,
  gatewayConfig,
} from '@countersign/gateway';
import { createCallerMinter } from '@countersign/platform';
import type { Module } from '@countersign/platform';
import { callerKeyOf } from '../configuration.js';
import type { Shared } from '../shared.js';

export function gatewayModules(shared: Shared): Module[] {
  return [
    createGateway({
      config: gatewayConfig(shared.env),
      pool: shared.pool('gateway'),
      bus: shared.bus,
      minter: createCallerMinter('caller', callerKeyOf(shared.env)),
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
