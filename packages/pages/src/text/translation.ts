/** The same texts in another language: every member, and functions of the same values. */
export type Translation<English> = English extends string
  ? string
  : English extends (...values: infer Values) => infer Text
    ? (...values: Values) => Translation<Text>
    : English extends object
      ? { readonly [Name in keyof English]: Translation<English[Name]> }
      : English;
