import { busConfig, offeredProfiles } from '@countersign/deploy/configuration';

/** Whether the instance offers approvals of several people, by its setting `CAPABILITIES`. */
export function offersApprovals(env: NodeJS.ProcessEnv): boolean {
  return 'proto.approval' in offeredProfiles(busConfig({ ...env, MODE: 'development' }));
}
