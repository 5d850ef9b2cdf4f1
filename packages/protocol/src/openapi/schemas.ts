import { partsOf } from './capability-parts.js';
import type { Schema } from './components.js';

/**
 * The JSON Schemas of the records that a capability adds, each complete by itself, by the path under which a deployment
 * that offers the capability serves it (protocol §18.10). Their `$id` does not depend on the deployment.
 */
export function extensionSchemas(
  offered: Readonly<Record<string, string>>,
): ReadonlyMap<string, Schema> {
  return new Map(
    partsOf(offered).flatMap(({ capability, version, records }) =>
      Object.entries(records).map(([record, schema]): [string, Schema] => {
        const id = {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          $id: `urn:proto:${capability}:${version}:${record}`,
        };
        return [`/schemas/${capability}/${version}/${record}.json`, { ...id, ...schema }];
      }),
    ),
  );
}
