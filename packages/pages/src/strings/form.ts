import { number } from '../text/locale.js';

export const form = {
  none: '–',
  notAnswered: 'No answer',
  yes: 'Yes',
  no: 'No',
  add: 'Add an entry',
  remove: 'Remove',
  entry: (at: number) => `Entry ${at}`,
  addPart: 'Fill in',
  removePart: 'Leave out',
  emptyOnPurpose: 'Leave this empty on purpose',
  which: 'Which kind?',
  characters: (most: number) => `At most ${number(most)} characters.`,
  faults: {
    missing: 'This field is required.',
    no_number: 'Enter a number, such as 12.5.',
    no_integer: 'Enter a whole number, such as 12.',
    no_json: 'This is not valid JSON.',
  },
} as const;
