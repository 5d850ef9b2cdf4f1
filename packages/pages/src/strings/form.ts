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
  characters: (most: number, used: number) =>
    used === 0
      ? `At most ${number(most)} characters.`
      : `${number(used)} of at most ${number(most)} characters.`,
  range: (least: number | null, most: number | null) =>
    least !== null && most !== null
      ? `From ${number(least)} to ${number(most)}.`
      : least !== null
        ? `At least ${number(least)}.`
        : most !== null && `At most ${number(most)}.`,
  faults: {
    missing: 'This field is required.',
    too_long: 'This text is too long.',
    too_small: 'This number is too small.',
    too_large: 'This number is too large.',
    no_number: 'Enter a number, such as 12.5.',
    no_integer: 'Enter a whole number, such as 12.',
    no_json: 'This is not valid JSON.',
  },
} as const;
