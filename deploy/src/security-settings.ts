import { loadConfig, wholeNumber } from '@countersign/platform';
import type { Configuration } from '@countersign/platform';

/** Variables of the target that signs the security log. Each may also be given as `<name>_FILE`. */
export const SECURITY_LOG = {
  SECURITY_CHECKPOINT_SECONDS: wholeNumber(1, 300)
    .default(300)
    .describe('the longest that an entry of the security log waits for a signed checkpoint'),
} as const;

export function securityLogConfig(env: NodeJS.ProcessEnv): Configuration<typeof SECURITY_LOG> {
  return loadConfig(SECURITY_LOG, env);
}
