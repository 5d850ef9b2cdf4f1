import { faultOf } from '@countersign/guard/tool';
import type { CallFault } from '@countersign/guard/tool';

/** Where a call is, or how it ended, for a program and in a sentence for an agent. */
export interface CallEnd extends Omit<CallFault, 'state'> {
  readonly state:
    | CallFault['state']
    | 'completed'
    | 'denied'
    | 'pending'
    | 'running'
    | 'tool_changed';
}

/** What an error of the guard means for the agent that made the call. */
export const endOf: (error: unknown) => CallEnd = faultOf;

export function pending(link: string): CallEnd {
  return {
    state: 'pending',
    sentence: `A person has to authorise this call first: ${link} It has not run. Call again with the same arguments, which finds the decision; other arguments are another request.`,
    isFinal: false,
  };
}

/** It was launched, perhaps by a process that is gone, and has no end yet. */
export const RUNNING: CallEnd = {
  state: 'running',
  sentence:
    'This call was authorised and may be running; its end is not known yet. It does not run a second time. Call again with the same arguments to learn its end.',
  isFinal: false,
};
