/** Of the installation; not a name that an operator would give, because the suite deletes it. */
export const NAMESPACE = 'countersign-test';
export const RELEASE = 'countersign';
/** Of everything that the installation connects to. */
export const STORES = 'countersign-test-stores';
