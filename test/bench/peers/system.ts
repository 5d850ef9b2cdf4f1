import type { Ends } from '../ends.js';

export type Decision = 'approve' | 'reject';

/** One client of a system: a producer and a person, over a connection of its own. */
export interface Caller {
  /** Files a request for approval and resolves to its id. `acts`: an approved action is to be run, and counted. */
  file(acts: boolean): Promise<string>;
  /** Everything that a person does before the decision itself. */
  prepare(id: string, decision: Decision): Promise<void>;
  /** Resolves to whether the person is told that the decision was accepted. */
  decide(id: string, decision: Decision): Promise<boolean>;
  /** The decision, once the producer can read it. */
  result(id: string): Promise<Decision>;
  /** The decision that the action followed, once for each time that it ran; called when the result is there. */
  runs(id: string): Promise<Decision[]>;
  close(): void;
}

export interface System {
  /** Processes below which all of it runs, its database included. */
  readonly roots: readonly number[];
  open(): Promise<Caller>;
}

/** A way to have people approve, that the bench can start. */
export interface Peer {
  readonly name: string;
  /** A proof of who decided what, which others can check, and a history that cannot be changed unseen. */
  readonly proves: boolean;
  start(folder: string, ends: Ends): Promise<System>;
}
