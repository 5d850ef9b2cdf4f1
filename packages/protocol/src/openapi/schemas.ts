import type { EXTENSION_PROFILES, KEY_PROFILE } from '../constants.js';
import { APPROVAL_RECORDS, KEY_RECORDS } from '../records/index.js';
import type { Schema } from './components.js';

const RECORDS_OF: Readonly<
  Record<keyof typeof EXTENSION_PROFILES | keyof typeof KEY_PROFILE, object>
> = {
  'proto.approval': APPROVAL_RECORDS,
  'proto.human-key': KEY_RECORDS,
};

/**
 * The JSON Schemas of the records that an extension profile adds, each complete by itself, by the path under which a deployment
 * that offers the profile serves it (protocol §18.10). Their `$id` does not depend on the deployment.
 */
export function extensionSchemas(
  offered: Readonly<Record<string, string>>,
): ReadonlyMap<string, Schema> {
  const profiles = Object.entries(RECORDS_OF).filter(([name]) => Object.hasOwn(offered, name));
  return new Map(
    profiles.flatMap(([profile, records]) =>
      Object.entries(records).map(([record, schema]): [string, Schema] => {
        const version = offered[profile] as string;
        const id = {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $id: `urn:proto:${profile}:${version}:${record}`,
        };
        return [`/schemas/${profile}/${version}/${record}.json`, { ...id, ...schema }];
      }),
    ),
  );
}
