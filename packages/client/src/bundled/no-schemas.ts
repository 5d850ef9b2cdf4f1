// In the published bundle this takes the place of packages/protocol/src/response-schema (build.mjs): a client does not judge
// responses by their schemas. The service did, and signed it.

export function runSchemaJob(): never {
  throw new Error('no schema is run here');
}

export function createSchemaCache(): null {
  return null;
}
