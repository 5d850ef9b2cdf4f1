const review = /^\/review\/[a-f0-9-]{36}$/;

/** Where a login leads: one request's page when asked for, else the inbox; never elsewhere. */
export function returnTo(asked: readonly string[]): string {
  const [path] = asked;
  return asked.length === 1 && path !== undefined && review.test(path) ? path : '/inbox';
}
