import type { Operation } from '@countersign/protocol';

export interface Match {
  readonly operation: Operation;
  /** The path parameters as they were sent, still percent-encoded. */
  readonly parameters: readonly string[];
}

export type Matcher = (method: string, path: string) => Match | null;

interface Node {
  readonly named: Map<string, Node>;
  readonly operations: Map<string, Operation>;
  parameter: Node | null;
}

function emptyNode(): Node {
  return { named: new Map(), operations: new Map(), parameter: null };
}

/**
 * Compiles the operation table once. Paths match segment by segment and exactly: case counts, and
 * an empty segment (a trailing or doubled slash) matches nothing.
 */
export function compileMatcher(operations: readonly Operation[]): Matcher {
  const root = emptyNode();
  for (const operation of operations) {
    let node = root;
    for (const segment of operation.path.slice(1).split('/')) {
      if (segment.startsWith('{')) {
        node = node.parameter ??= emptyNode();
      } else {
        const next = node.named.get(segment) ?? emptyNode();
        node.named.set(segment, next);
        node = next;
      }
    }
    node.operations.set(operation.method, operation);
  }

  return (method, path) => {
    let node: Node | null | undefined = root;
    const parameters: string[] = [];
    for (const segment of path.slice(1).split('/')) {
      if (segment === '') return null;
      const named: Node | undefined = node.named.get(segment);
      if (named === undefined) parameters.push(segment);
      node = named ?? node.parameter;
      if (!node) return null;
    }
    const operation = node.operations.get(method);
    return operation ? { operation, parameters } : null;
  };
}
