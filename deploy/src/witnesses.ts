import { readWitness } from '@countersign/ledger';
import type { Witness } from '@countersign/ledger';
import { list, loadConfig } from '@countersign/platform';

/** `WITNESSES`, for the one target that asks them; `plainHttp` in development. */
export function witnessesShape(plainHttp: boolean) {
  return {
    WITNESSES: list()
      .default([])
      .refine((given) => given.every((text) => readWitness(text, plainHttp) !== null), {
        error: 'expected verifier keys of the kind cosignature/v1, each with an https:// prefix',
      })
      .describe(
        'witnesses of trees, separated by commas: <name>+<key id>+<key> https://prefix of add-checkpoint',
      ),
  };
}

/** Witnesses that are asked to sign checkpoints of trees. */
export function witnessesOf(env: NodeJS.ProcessEnv, mode: string): Witness[] {
  const plainHttp = mode === 'development';
  const { WITNESSES } = loadConfig(witnessesShape(plainHttp), env);
  return WITNESSES.flatMap((text) => readWitness(text, plainHttp) ?? []);
}
