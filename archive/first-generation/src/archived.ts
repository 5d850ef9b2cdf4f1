import { ConfigurationError } from './variables.js';
import type { Variables } from './variables.js';

export const ARCHIVED =
  'ARCHIVED AND UNSUPPORTED: streaming server of the first generation. Not for any current deployment.';

/** @throws {ConfigurationError} in production, unless somebody has said in so many words that it is archived */
export function refuseProduction(variables: Variables): void {
  if (
    variables['NODE_ENV'] !== 'production' ||
    variables['FIRST_GENERATION_ALLOW'] === 'archived'
  ) {
    return;
  }
  throw new ConfigurationError(
    `${ARCHIVED} It does not start with NODE_ENV=production unless FIRST_GENERATION_ALLOW=archived.`,
  );
}
