import type { JsonObject, JsonValue } from '@countersign/client/node';

import { seen, shown } from '../run/document.js';
import type { Told } from './series.js';

/** What people read of a call. */
export interface Shown {
  readonly alias: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly folder?: string;
  /** The tool's own words about itself. */
  readonly description: string;
  readonly before: Told | null;
}

/** The text that people read: the tool, all arguments by their JSON Pointers, and the end of the same call before. */
export function documentOf({ alias, tool, args, folder, description, before }: Shown): string {
  const code = (text: string) => `    ${text}`;
  const section = (title: string, lines: readonly string[]) => [
    '',
    `## ${title}`,
    '',
    ...lines.map(code),
  ];
  return [
    `# Call a tool: ${alias}`,
    ...(before === null
      ? []
      : ['', `The same call was asked for before; it ended ${before.state} at ${before.at}.`]),
    ...section('Tool', [shown(tool)]),
    ...(folder === undefined ? [] : section('Folder', [shown(folder)])),
    ...section('Arguments', Object.keys(args).length === 0 ? ['(none)'] : [...rows(args, '')]),
    ...(description === ''
      ? []
      : section("The server's own description of the tool", description.split('\n').map(seen))),
    '',
  ].join('\n');
}

/** One line for each value; a text of several lines stands below its pointer, each behind a bar. */
function* rows(value: JsonValue, pointer: string): Generator<string> {
  const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
  if (isBranch) {
    for (const [name, member] of Object.entries(value))
      yield* rows(
        member as JsonValue,
        `${pointer}/${seen(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
      );
  } else if (typeof value === 'string' && value.includes('\n')) {
    yield pointer;
    for (const line of value.split('\n')) yield `  | ${seen(line)}`;
  } else {
    yield `${pointer}  ${seen(JSON.stringify(value))}`;
  }
}
