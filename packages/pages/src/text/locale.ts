/**
 * The form of numbers and dates: the browser's own variety of the page's language, such as `en-GB`, or that language.
 * Undefined, which means the system's, where there is no page.
 */
function locale(): string | undefined {
  if (typeof document === 'undefined') return undefined;
  const { lang } = document.documentElement;
  return navigator.languages.find((each) => each.split('-')[0] === lang) ?? lang;
}

export function number(value: number): string {
  return value.toLocaleString(locale());
}

export function dateAndTime(date: Date, parts: Intl.DateTimeFormatOptions = {}): string {
  return date.toLocaleString(locale(), {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    ...parts,
  });
}

export function timeOfDay(date: Date): string {
  return date.toLocaleTimeString(locale());
}
