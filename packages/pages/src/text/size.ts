import { sizeUnits } from '../strings/size.js';
import { number } from './locale.js';

/** An amount of bytes as a person reads it: "5 MiB", "1.4 GiB". */
export function sizeInWords(bytes: number): string {
  let unit = 0;
  let amount = bytes;
  while (amount >= 1024 && unit < sizeUnits.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  const rounded = unit === 0 || amount >= 100 ? Math.round(amount) : Math.round(amount * 10) / 10;
  return `${number(rounded)} ${sizeUnits[unit]}`;
}
