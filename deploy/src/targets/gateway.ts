import {
  DEVELOPMENT_PROVIDER_SETTINGS,
  GATEWAY_SETTINGS,
  createDevelopmentProvider,
  createGateway,
  developmentProviderConfig,
  gatewayConfig,
} from '@countersign/gateway';
import { loadConfig } from '@countersign/platform';
import type { Assembly } from '../assembly.js';
import type { BusContext } from '../bus-context.js';
import { offeredCapabilities } from '../configuration.js';
import { messageSealer } from '../message-settings.js';
import { redisConfig } from '../redis-settings.js';
import { MAIL } from '../service-settings.js';
import type { ProcessContext } from '../process-context.js';

export const gateway: Assembly<ProcessContext> = {
  settings: [MAIL, GATEWAY_SETTINGS],
  async build(context) {
    const { config, env, bus, log, metrics, trust } = context;
    // Refuses one without TLS in production; the gateway reads the addresses itself.
    redisConfig(config, env);
    return [
      createGateway({
        config: gatewayConfig(env),
        pool: context.pool('gateway'),
        bus,
        sealer: messageSealer({ bus, env, clock: context.clock(), log }),
        log,
        trust,
        notifications: loadConfig(MAIL, env).MAIL_FROM === undefined ? 'polling-only' : 'smtp',
        offered: offeredCapabilities(config),
        metrics,
      }),
    ];
  },
};

/** Demo people's provider: there is none in production (R21). */
export const developmentProvider: Assembly<BusContext> = {
  settings: [DEVELOPMENT_PROVIDER_SETTINGS],
  async build({ config, env, log }) {
    if (config.MODE !== 'development') return [];
    return [await createDevelopmentProvider({ ...developmentProviderConfig(env), log })];
  },
};
