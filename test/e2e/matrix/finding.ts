/** An answer that differs from the table. */
export interface Finding {
  readonly situation: string;
  readonly text: string;
}
