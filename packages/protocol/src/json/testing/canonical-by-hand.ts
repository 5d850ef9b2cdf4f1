/**
 * A second reading of protocol §2.1, code point by code point, that makes the canonical form at once and shares nothing
 * with the first. Null for a refused text.
 */
export function canonicalByHand(text: string): string | null {
  const points = Array.from(text);
  let at = 0;
  const fail = (): never => {
    throw new SyntaxError();
  };
  const skip = (): void => {
    while (at < points.length && ' \t\r\n'.includes(points[at] as string)) at++;
  };
  const expectPoint = (point: string): void => {
    if (points[at] !== point) fail();
    at++;
  };

  function value(depth: number): string {
    if (depth > 64) fail();
    skip();
    const start = points[at];
    if (start === '{') return object(depth);
    if (start === '[') return array(depth);
    if (start === '"') return quote(string());
    for (const word of ['true', 'false', 'null']) {
      if (points.slice(at, at + word.length).join('') === word) {
        at += word.length;
        return word;
      }
    }
    return number();
  }

  function object(depth: number): string {
    const members = new Map<string, string>();
    at++;
    skip();
    if (points[at] === '}') at++;
    else {
      for (;;) {
        skip();
        if (points[at] !== '"') fail();
        const key = string();
        if (members.has(key)) fail();
        skip();
        expectPoint(':');
        members.set(key, value(depth + 1));
        skip();
        if (points[at++] === '}') break;
        if (points[at - 1] !== ',') fail();
      }
    }
    const sorted = [...members].sort(([a], [b]) => compareUnits(a, b));
    return `{${sorted.map(([key, text]) => `${quote(key)}:${text}`).join(',')}}`;
  }

  function array(depth: number): string {
    const items: string[] = [];
    at++;
    skip();
    if (points[at] === ']') at++;
    else {
      for (;;) {
        items.push(value(depth + 1));
        skip();
        if (points[at++] === ']') break;
        if (points[at - 1] !== ',') fail();
      }
    }
    return `[${items.join(',')}]`;
  }

  function string(): string {
    let result = '';
    for (at++; points[at] !== '"'; at++) {
      const point = points[at] ?? fail();
      if (point < ' ') fail();
      if (point !== '\\') result += point;
      else {
        const escape = points[++at] ?? fail();
        const plain = '"\\/bfnrt'.indexOf(escape);
        if (escape === 'u') {
          const hex = points.slice(at + 1, at + 5).join('');
          if (!/^[0-9a-fA-F]{4}$/.test(hex)) fail();
          result += String.fromCharCode(parseInt(hex, 16));
          at += 4;
        } else if (plain >= 0) result += '"\\/\b\f\n\r\t'[plain];
        else fail();
      }
    }
    at++;
    if (Array.from(result).some((point) => /^[\ud800-\udfff]$/.test(point))) fail();
    return result;
  }

  function number(): string {
    const match = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/.exec(points.slice(at).join(''));
    if (match === null) return fail();
    at += match[0].length;
    const parsed = Number(match[0]);
    const integral = Number.isInteger(parsed);
    if (!Number.isFinite(parsed) || (integral && Math.abs(parsed) > 2 ** 53 - 1)) fail();
    if (parsed === 0) return /^-?[0.]*(e|$)/i.test(match[0]) ? '0' : fail();
    const [a, b] = [fraction(match[0]), fraction(String(parsed))];
    if (a.top * b.bottom !== b.top * a.bottom) fail();
    return String(parsed);
  }

  try {
    const result = value(0);
    skip();
    return at === points.length && !text.startsWith('\uFEFF') ? result : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** For numbers other than 0, whose exponents stay small. */
function fraction(text: string): { top: bigint; bottom: bigint } {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const [whole = '', decimals = ''] = mantissa.split('.');
  const power = Number(exponent) - decimals.length;
  const digits = BigInt(whole + decimals);
  return power < 0
    ? { top: digits, bottom: 10n ** BigInt(-power) }
    : { top: digits * 10n ** BigInt(power), bottom: 1n };
}

function compareUnits(a: string, b: string): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    if (a.charCodeAt(i) !== b.charCodeAt(i)) return a.charCodeAt(i) - b.charCodeAt(i);
  }
  return a.length - b.length;
}

function quote(text: string): string {
  const short: Record<string, string> = {
    '\b': '\\b',
    '\t': '\\t',
    '\n': '\\n',
    '\f': '\\f',
    '\r': '\\r',
    '"': '\\"',
    '\\': '\\\\',
  };
  const escaped = text.split('').map((unit) => {
    if (unit >= ' ' && unit !== '"' && unit !== '\\') return unit;
    return short[unit] ?? `\\u00${unit.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped.join('')}"`;
}
