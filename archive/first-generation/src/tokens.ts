import { createHash } from 'node:crypto';
import { errors, jwtVerify, SignJWT } from 'jose';
import { Fault } from './fault.js';
import { isName } from './values.js';

export interface Caller {
  readonly userId: string;
  /** When its token ends, epoch milliseconds. */
  readonly expiresAt: number;
  /** Tells whether two connections bear the same token, without keeping it. */
  readonly tokenDigest: string;
}

export interface TokenRules {
  readonly secret: string;
  /** No token is good for longer, whatever its `exp` says. */
  readonly expiresIn: string;
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };
// Longer ones only cost time: three short claims fit many times.
const LONGEST_TOKEN = 4096;

/** Seconds of a duration like `24h`, `30m`, `3600s` or `3600`. @throws {RangeError} */
export function secondsOf(duration: string): number {
  const [, amount, unit = 's'] = /^(\d{1,9})\s*([smhd])?$/.exec(duration) ?? [];
  if (amount === undefined || Number(amount) === 0) {
    throw new RangeError('A duration is a number with s, m, h or d.');
  }
  return Number(amount) * (UNIT_SECONDS[unit] as number);
}

/** @throws {Fault} MISSING_TOKEN, INVALID_TOKEN */
export async function verifyToken(
  token: string | null | undefined,
  rules: TokenRules,
  now: number,
): Promise<Caller> {
  if (token === null || token === undefined || token === '') {
    throw new Fault('MISSING_TOKEN', 'A token is required.');
  }
  if (token.length > LONGEST_TOKEN) throw invalid();
  const payload = await claimsOf(token, rules, now);
  const { userId, exp } = payload;
  if (!isName(userId) || exp === undefined) throw invalid();
  return {
    userId,
    expiresAt: exp * 1000,
    tokenDigest: createHash('sha256').update(token).digest('base64url'),
  };
}

async function claimsOf(token: string, rules: TokenRules, now: number) {
  try {
    const { payload } = await jwtVerify(token, keyOf(rules.secret), {
      algorithms: ['HS256'],
      requiredClaims: ['userId', 'iat', 'exp'],
      maxTokenAge: secondsOf(rules.expiresIn),
      currentDate: new Date(now),
    });
    return payload;
  } catch (error) {
    // Which check failed is nobody's business but ours; what jose throws holds claims, so it is no cause.
    if (error instanceof errors.JOSEError) throw invalid();
    throw error;
  }
}

/** A token as clients of that generation had them; for tests and for who still has to let one in. */
export async function issueToken(userId: string, rules: TokenRules, now: number): Promise<string> {
  const seconds = Math.floor(now / 1000);
  return new SignJWT({ userId })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt(seconds)
    .setExpirationTime(seconds + secondsOf(rules.expiresIn))
    .sign(keyOf(rules.secret));
}

/** The bearer token of an Authorization header. */
export function bearerOf(header: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(header ?? '')?.[1];
}

function keyOf(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}

function invalid(): Fault {
  return new Fault('INVALID_TOKEN', 'The token is invalid or has expired.');
}
