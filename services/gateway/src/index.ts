import type { Module } from '@countersign/platform';

import type { DevelopmentProviderOptions } from './development-provider/provider.js';

export {
  DEVELOPMENT_PROVIDER_SETTINGS,
  GATEWAY_SETTINGS,
  developmentProviderConfig,
  gatewayConfig,
} from './config.js';
export type { DevelopmentProviderConfig, GatewayConfig } from './config.js';
export type { DevelopmentProviderOptions } from './development-provider/provider.js';
export type { Notifications } from './operations/discovery.js';
export { createGateway } from './module.js';
export type { GatewayDeps } from './deps.js';
export { createRates } from './rates.js';
export type { Rates } from './rates.js';
export { createStore } from './store/index.js';
export * as gatewayStatements from './store/statements.js';

/** The development identity provider, loaded only when it is asked for: production never has it in memory. */
export async function createDevelopmentProvider(
  options: DevelopmentProviderOptions,
): Promise<Module> {
  const provider = await import('./development-provider/provider.js');
  return provider.createDevelopmentProvider(options);
}
