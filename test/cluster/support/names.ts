/** Of the installation; not a name that an operator would give, because the suite deletes it. */
export const NAMESPACE = 'countersign-test';
export const RELEASE = 'countersign';
/** Of everything that the installation connects to. */
export const STORES = 'countersign-test-stores';

/** Namespaces of one installation. */
export interface Place {
  readonly namespace: string;
  /** Of everything that it connects to. */
  readonly stores: string;
  /** Of its NATS, which cells share. */
  readonly nats: string;
  /** Which of the two of helm/countersign/examples it is. */
  readonly cell: 'a' | 'b' | null;
}

export const ALONE: Place = { namespace: NAMESPACE, stores: STORES, nats: STORES, cell: null };

export const CELLS = (['a', 'b'] as const).map((cell): Place => ({
  namespace: `${NAMESPACE}-${cell}`,
  stores: `${STORES}-${cell}`,
  nats: `${STORES}-a`,
  cell,
}));
