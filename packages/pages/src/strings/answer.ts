export const answer = {
  title: 'Answer',
  checking: 'Checking the answer against the signed record …',
  checked: 'Its digest was recomputed here and is the signed one.',
  deleted: 'The answer was deleted by retention rules. Its digest remains below.',
  another: 'The answer that is kept is not the signed one, so it is not shown. Tell an operator.',
  notYours:
    'Only its digest is shown to you. The person who answered, operators and the producer can read the answer.',
  nothing: 'The decision has no further fields.',
  empty: 'left empty',
  none: 'none',
} as const;
