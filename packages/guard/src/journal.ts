import type { ExecutionOutcome } from '@countersign/client';

/** A launch call that was written down before it was sent. */
export interface Launch {
  /** Journal and boot in which the monotonic time counts. */
  readonly place: string;
  readonly boot: string;
  /** Milliseconds before the first attempt, by the monotonic clock and by the wall clock. */
  readonly monotonic: number;
  readonly wall: number;
  /** The service's time then, to the second; null for an unknown one. */
  readonly server: number | null;
}

/** How the action ended, as it is reported. */
export interface End {
  readonly outcome: ExecutionOutcome;
  /** The result as text, sealed where the journal is; null for none that is kept. */
  readonly result: string | null;
}

/** An occurrence whose end is recorded: nothing private but the kept result. */
export interface Closed {
  readonly status: ExecutionOutcome['status'] | 'refused' | 'lapsed';
  readonly at: string;
}

/** Everything about an occurrence but its plan. */
export interface EntryState {
  /** Name of the guard. */
  readonly name: string;
  readonly occurrence: string;
  /** Digest of the proposal: which action the occurrence stands for. */
  readonly proposal: string;
  readonly request: string | null;
  /** Made before the claim. */
  readonly identity: string | null;
  readonly launch: Launch | null;
  readonly end: End | null;
  readonly closed: Closed | null;
}

/** One occurrence in a journal. */
export interface Entry extends EntryState {
  readonly key: string;
  /** Rises by one with each change. */
  readonly version: number;
  /** The exact call that asks, as text, sealed where the journal is; null once the occurrence is closed. */
  readonly plan: string | null;
}

/** A change of an entry; an absent member stays as it is. */
export type Change = Partial<EntryState & Pick<Entry, 'plan'>>;

/** The exclusive right to act for an occurrence. It ends with its process. */
export interface Hold {
  /** Differs when the journal is another one or an older copy: then its gaps say nothing. */
  readonly place: string;
  /** Whether getting it proves that the process that had it before is gone. */
  readonly provesDeath: boolean;
  /** False once it was lost. */
  isHeld(): boolean;
  /**
   * Exactly one true for each key, ever, and durable before it returns. It throws for a hold that was lost.
   */
  fence(): Promise<boolean>;
  /** Whether the fence was passed. */
  isFenced(): Promise<boolean>;
  release(): Promise<void>;
}

/**
 * Where guards keep what a later process needs. Safety does not rest on it: a process that finds nothing starts nothing that
 * another one may have started.
 */
export interface Journal {
  /** Whether a change that returned survives a loss of power, and is never rolled back alone. */
  readonly durable: boolean;
  /** Makes an entry, or gives the one that is there. */
  open(key: string, plan: string, state: EntryState): Promise<Entry>;
  read(key: string): Promise<Entry | null>;
  /** Changes the entry of that version; null when it has another one by now. */
  advance(key: string, from: number, change: Change): Promise<Entry | null>;
  /** Null while another process has it. Journals that are not durable give none. */
  hold(key: string): Promise<Hold | null>;
  entries(filter?: { readonly open?: boolean }): AsyncIterable<Entry>;
  /** Removes entries that were closed before that time, and gives their number. */
  prune(before: Date): Promise<number>;
}

/** Applies a change, as every journal does. */
export function changed(entry: Entry, change: Change): Entry {
  return { ...entry, ...change, key: entry.key, version: entry.version + 1 };
}

/** Encrypts what a journal holds of arguments, answers and results. */
export interface Seal {
  seal(text: string): string | Promise<string>;
  open(text: string): string | Promise<string>;
}
