import {
  WITNESS_REFUSALS,
  decideWitness,
  noteText,
  readAddCheckpoint,
} from '@countersign/protocol';
import type { AddCheckpoint, Cosigner, LogKeys, WitnessRefusal } from '@countersign/protocol';
import type { Logger } from '@countersign/platform';
import type { WitnessMetrics } from './metrics.js';
import type { WitnessState } from './state.js';

export interface WitnessAnswer {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

export interface WitnessDeps {
  readonly cosigner: Cosigner;
  readonly logs: LogKeys;
  readonly state: WitnessState;
  readonly metrics: WitnessMetrics;
  readonly log: Logger;
}

const SENTENCES: Readonly<Record<WitnessRefusal, string>> = {
  malformed: 'This is no request of tlog-witness.',
  old_size_too_large: 'The old size is larger than the tree of the checkpoint.',
  not_signed: 'No key that this witness knows for the origin has signed the checkpoint.',
  unknown_origin: 'This witness does not know a log with this origin.',
  other_size: 'This witness has signed a tree of another size last.',
  inconsistent: 'The proof does not show that the tree continues the one that was signed last.',
  fork: 'This witness has signed another tree of the same size.',
};

const PLAIN = 'text/plain; charset=utf-8';

/** Answers to add-checkpoint (c2sp.org/tlog-witness); those about one log follow each other. */
export function witnessAnswers(deps: WitnessDeps): (body: string) => Promise<WitnessAnswer> {
  const { cosigner, logs, state, metrics, log } = deps;
  const turns = new Map<string, Promise<unknown>>();

  function refuse(refused: WitnessRefusal): WitnessAnswer {
    metrics.refused(refused);
    return { status: WITNESS_REFUSALS[refused], type: PLAIN, text: `${SENTENCES[refused]}\n` };
  }

  async function judge(asked: AddCheckpoint): Promise<WitnessAnswer> {
    const { head, note } = asked;
    const { origin, size } = head;
    const latest = state.latest(origin)?.head ?? null;
    const decision = decideWitness(asked, logs.get(origin) ?? [], latest);
    if (decision.refused !== null) {
      if (decision.isFork) await reportFork(asked);
      const answer = refuse(decision.refused);
      return decision.refused === 'other_size'
        ? { ...answer, type: 'text/x.tlog.size', text: `${latest?.size ?? 0}\n` }
        : answer;
    }
    const line = cosigner.cosign(note.body, Math.floor(Date.now() / 1000));
    const checkpoint = noteText(note.body, [...decision.signatures, line]);
    // The signature leaves only after the disk has it: a crash must not make this witness forget it.
    try {
      await state.save({ head, checkpoint });
    } catch (error) {
      log.error({ err: error, origin, size }, 'the state cannot be written; nothing was signed');
      metrics.refused('not_saved');
      return { status: 503, type: PLAIN, text: 'The state of this witness cannot be written.\n' };
    }
    metrics.cosigned(origin);
    return { status: 200, type: PLAIN, text: `${line}\n` };
  }

  async function reportFork({ head, note }: AddCheckpoint): Promise<void> {
    const { origin, size } = head;
    metrics.forked(origin);
    const [signed, other] = [state.latest(origin)?.head.root, head.root].map((root) =>
      root?.toString('base64'),
    );
    log.error({ origin, size, signed, other }, `the log signed two trees of ${size} entries`);
    const lines = note.signatures.map(({ line }) => line);
    await state.keepFork(origin, noteText(note.body, lines)).catch((error: unknown) => {
      log.error({ err: error, origin }, 'the second checkpoint cannot be kept');
    });
  }

  return async (body) => {
    const asked = readAddCheckpoint(body);
    if (asked === null) return refuse('malformed');
    const { origin } = asked.head;
    if (!logs.has(origin)) return refuse('unknown_origin');
    const turn = (turns.get(origin) ?? Promise.resolve()).then(() => judge(asked));
    turns.set(
      origin,
      turn.catch(() => {}),
    );
    return turn;
  };
}
