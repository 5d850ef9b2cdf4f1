/** What was answered otherwise than the table says. */
export interface Finding {
  readonly situation: string;
  readonly text: string;
}
