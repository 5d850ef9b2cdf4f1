import type { Translation } from '../../text/translation.js';
import type { sizeUnits as English } from '../size.js';

export const sizeUnits: Translation<typeof English> = ['Byte', 'KiB', 'MiB', 'GiB', 'TiB'];
