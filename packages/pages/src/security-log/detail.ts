import { securityLog } from '../strings/security-log.js';

/** A fact of an entry's detail, in words. A value of a kind that this page does not know is shown as it is. */
export function detailText(name: string, value: unknown): string {
  if (typeof value === 'string') {
    const isEnding = name === 'how' && Object.hasOwn(securityLog.endings, value);
    return isEnding ? (securityLog.endings[value] as string) : value;
  }
  if (typeof value === 'boolean') return value ? securityLog.yes : securityLog.no;
  if (Array.isArray(value)) {
    return value.length === 0 ? '–' : value.map((item) => detailText(name, item)).join(', ');
  }
  return value === null ? '–' : JSON.stringify(value);
}
