import type { Module } from '@countersign/platform';

import type { DevelopmentProviderOptions } from './development-provider/provider.js';

export {
  DEVELOPMENT_PROVIDER_SETTINGS,
  GATEWAY_SETTINGS,
  developmentProviderConfig,
  gatewayConfig,
} from './config.js';
export { createGateway } from './module.js';
export { createRates } from './rates.js';
export type { Rates } from './rates.js';
export * as gatewayStatements from './store/statements.js';

/** The development identity provider, loaded only when it is asked for: production never has it in memory. */
export async function createDevelopmentProvider(
  options: DevelopmentProviderOptions,
): Promise<Module> {
  const provider = await import('./development-provider/provider.js');
  return provider.createDevelopmentProvider(options);
}
