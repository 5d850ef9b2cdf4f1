// A login leads back to a review or to the inbox (protocol §8.2). To come back to any other page of ours, the tab
// remembers where it was, and the inbox goes on from there.

const KEY = 'countersign.return';
const GOOD_FOR_MS = 10 * 60_000;
const review = /^\/review\/[a-f0-9-]{36}$/;

/** The address that signs in and leads back here. */
export function loginAddress(): string {
  const { pathname } = location;
  return `/auth/login?return_to=${encodeURIComponent(review.test(pathname) ? pathname : '/inbox')}`;
}

/** The address of a login as fresh as adding a key wants it (protocol §19.6). */
export function freshLoginAddress(): string {
  return `${loginAddress()}&fresh=true`;
}

/** Remembers this page for after the login. */
export function rememberPlace(): void {
  const { pathname, search } = location;
  if (review.test(pathname) || pathname === '/inbox') return;
  sessionStorage.setItem(KEY, JSON.stringify({ place: pathname + search, at: Date.now() }));
}

/** Where the tab was before its login, once; null when nowhere else. */
export function takePlace(): string | null {
  const text = sessionStorage.getItem(KEY);
  if (text === null) return null;
  sessionStorage.removeItem(KEY);
  try {
    const { place, at } = JSON.parse(text) as { place: unknown; at: unknown };
    const fresh = typeof at === 'number' && Date.now() - at < GOOD_FOR_MS;
    return fresh && typeof place === 'string' && /^\/[a-z]/.test(place) ? place : null;
  } catch {
    return null;
  }
}
