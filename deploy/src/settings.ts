import { REDIS_SETTINGS } from '@countersign/platform';
import type { ConfigurationShape } from '@countersign/platform';
import { z } from 'zod';
import { BUS, COMMON, PROCESS, databaseLoginShape } from './configuration.js';
import {
  CALLER_PRIVATE_KEY,
  CALLER_PUBLIC_KEY,
  CALLER_TOKENS,
  messageKeysShape,
} from './message-settings.js';
import { TRANSIT, signingKeyShape } from './signing-settings.js';
import { rowOf } from './targets.js';
import type { Target, TargetRow } from './targets.js';
import { TRACING } from './tracing.js';

/** A variable of the environment. */
export interface Setting {
  readonly name: string;
  readonly description: string;
  /** As it would be written; null where there is none. */
  readonly fallback: string | null;
  /** The allowed values, if there is a list. */
  readonly choices: readonly string[] | null;
}

/** Every variable that a target reads, by name. */
export async function settingsOf(target: Target): Promise<readonly Setting[]> {
  const row = rowOf(target);
  const { settings } = await row.load();
  const all = new Map<string, Setting>();
  for (const shape of [...shapesOf(row), ...settings]) {
    // The common configuration comes before that of one target, and describes the shared variables.
    for (const [name, type] of Object.entries(shape)) {
      if (!all.has(name)) all.set(name, settingOf(name, type));
    }
  }
  return [...all.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The configuration that follows from a row. */
function shapesOf({
  role,
  key,
  messages,
  queues,
  listens,
  traced,
}: TargetRow): ConfigurationShape[] {
  return [
    PROCESS,
    ...(traced ? [TRACING] : []),
    ...(role === null ? [BUS] : [COMMON, databaseLoginShape(role)]),
    ...(key === null || key === 'caller' ? [] : [signingKeyShape(key), TRANSIT]),
    ...(messages.length === 0
      ? []
      : [CALLER_TOKENS, listens ? CALLER_PRIVATE_KEY : CALLER_PUBLIC_KEY]),
    ...messages.map(messageKeysShape),
    ...(queues ? [REDIS_SETTINGS] : []),
  ];
}

function settingOf(name: string, type: z.ZodType): Setting {
  const { enum: choices = null } = z.toJSONSchema(type, { io: 'input', unrepresentable: 'any' });
  const fallback = type instanceof z.ZodDefault ? String(type.def.defaultValue) : null;
  return {
    name,
    description: type.description ?? '',
    fallback: fallback === '' ? null : fallback,
    choices: choices as readonly string[] | null,
  };
}
