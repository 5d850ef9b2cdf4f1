import { join } from 'node:path';
import { ASKED, messageKeysVariable } from '@countersign/deploy';

/**
 * The files by which targets authenticate each other, from a folder that `countersign keygen` made: as variables of the
 * environment.
 */
export function keyFilesOf(folder: string, target = 'all'): Record<string, string> {
  const file = (name: string): string => join(folder, name);
  const shared = ASKED.filter((service) => ['all', 'gateway', service].includes(target));
  return {
    ...(target === 'all' || target === 'gateway'
      ? { CALLER_PRIVATE_KEY_FILE: file('caller.pem') }
      : {}),
    ...(target !== 'gateway' && shared.length > 0
      ? { CALLER_PUBLIC_KEY_FILE: file('caller.pub.pem') }
      : {}),
    ...Object.fromEntries(
      shared.map((service) => [
        `${messageKeysVariable(service)}_FILE`,
        file(`${service}.message-keys`),
      ]),
    ),
  };
}
