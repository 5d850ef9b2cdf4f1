import type { Statement, Values } from '@countersign/database';

/** Asks one of the gateway's statements. */
export type Rows = <Row extends object>(statement: Statement, values: Values) => Promise<Row[]>;
