/** Replaces U+0000, which JSON carries and Postgres stores in no text, in columns that only help to find and to list. */
export const UNKEPT = '\ufffd';
