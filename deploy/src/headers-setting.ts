import { z } from 'zod';

/** Headers that a collector is sent, as OpenTelemetry writes them. */
export const HEADERS = z
  .string()
  .regex(/^[^=,]+=[^,]*(,[^=,]+=[^,]*)*$/, 'expected name=value,name=value');

/** `name=value,name=value`, percent-encoded as baggage is. */
export function headersOf(text = ''): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair !== '');
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name = '', ...value] = pair.split('=').map((part) => part.trim());
      return [name, decodeURIComponent(value.join('='))];
    }),
  );
}
