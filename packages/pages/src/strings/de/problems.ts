import { ERRORS_IN_GERMAN } from '@countersign/protocol/errors-in-german';

import type { problemWords as English } from '../problems.js';

export const problemWords: typeof English = (code, title, detail) =>
  (ERRORS_IN_GERMAN as Readonly<Record<string, readonly [string, string]>>)[code] ?? [
    title,
    detail,
  ];
