/** `countersign.<service>.<operation>`. */
export function subjectOf(name: string): string {
  return `countersign.${name}`;
}

/** Questions between services that are none of the operations of the contract; their names as operations have them. */
export const PREFLIGHT = 'request.preflight';

/** Asked before the body of #3, #4 and #16 is read. */
export const PREFLIGHT_SUBJECT = subjectOf(PREFLIGHT);

/** What is read of a tenant's tree below /log/. */
export const TREE_SUBJECT = subjectOf('ledger.tree');
