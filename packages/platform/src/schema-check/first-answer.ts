import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '../log.js';
import type { Module } from '../module.js';
import type { SchemaChecks } from './asking.js';

const AGAIN_MS = 500;
/** Longer than a pod takes to start, and shorter than a rollout waits for one. */
const AT_MOST_MS = 30_000;

export interface FirstAnswerOptions {
  readonly log: Logger;
  readonly stopping?: AbortSignal | undefined;
  readonly atMostMs?: number;
}

/**
 * Lets a service start when a process that checks schemas has answered, so that an upgrade or a cold start takes no calls that it
 * would have to refuse. It waits for a while only: everything else that the service does needs no such process.
 */
export function firstSchemaAnswer(
  checks: Pick<SchemaChecks, 'check'>,
  { log, stopping, atMostMs = AT_MOST_MS }: FirstAnswerOptions,
): Module {
  return {
    name: 'schema checks',
    async start() {
      const end = performance.now() + atMostMs;
      for (let told = false; stopping?.aborted !== true; told = true) {
        const answered = await checks.check('-', { schemaText: '{}', responseText: null }).then(
          () => true,
          () => false,
        );
        if (answered) return;
        if (performance.now() > end) {
          log.warn(
            {},
            'no process of the target schema answers: new schemas are refused until one does',
          );
          return;
        }
        if (!told) log.warn({}, 'waiting for a process of the target schema');
        await delay(AGAIN_MS, undefined, stopping && { signal: stopping }).catch(() => {});
      }
    },
    stop: async () => {},
  };
}
