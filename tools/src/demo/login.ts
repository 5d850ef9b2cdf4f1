import { reach } from '@countersign/deploy/client/api';
import { PlainError } from '@countersign/deploy/plain-error';

/** A session of a person, ready for scripts: `cookie` is the whole `name=value`. */
export interface Session {
  origin: string;
  cookie: string;
  csrf: string;
  subject: string;
}

/** The entry of the directory that a person logs in as; any of the tenant without a principal. */
export interface Choice {
  readonly tenant: string;
  readonly principal?: string | undefined;
}

const SESSION_COOKIE = '__Host-proto';
const MOST_STEPS = 12;

/**
 * Logs a demo person in as a browser would: the service's login, the development provider's page, the callback. `subject`
 * is the person's name at the provider, `choice` the entry to choose if there are several. Throws PlainError when a step
 * does not lead on.
 */
export async function logIn(origin: string, subject: string, choice: Choice): Promise<Session> {
  const browser = newBrowser();
  let response = await browser.open(`${origin}/auth/login`);
  for (let steps = 0; steps < MOST_STEPS; steps += 1) {
    const cookie = browser.cookie(origin, SESSION_COOKIE);
    if (cookie !== undefined) return sessionOf(origin, cookie);
    response = await next(browser, response, subject, choice);
  }
  throw new PlainError(
    `The login of ${subject} never came back to ${origin}. Is the service running in development?`,
  );
}

/** Follows a redirect, or chooses: the person on the provider's page, the tenant on the service's. */
async function next(
  browser: Browser,
  response: Page,
  subject: string,
  { tenant, principal }: Choice,
): Promise<Page> {
  if (response.location !== null) return browser.open(response.location);
  const token = /name="token" value="([^"]+)"/.exec(response.text)?.[1];
  const entry = [...response.text.matchAll(/value="(\[[^"]+\])"/g)]
    .map(([, value = '']) => value.replaceAll('&quot;', '"'))
    .find((value) => {
      const [of, as] = JSON.parse(value) as [string, string];
      return of === tenant && (principal === undefined || as === principal);
    });
  if (token !== undefined && entry !== undefined) {
    return browser.open(response.url, new URLSearchParams({ token, tenant: entry }));
  }
  const action = /<form method="post" action="([^"]+)"/.exec(response.text)?.[1];
  if (response.status === 200 && action !== undefined) {
    return browser.open(new URL(action, response.url).href, new URLSearchParams({ subject }));
  }
  throw new PlainError(
    `The login of ${subject} ended at ${response.url.split('?')[0]} with status ${response.status}${codeOf(response.text)}.`,
  );
}

function codeOf(text: string): string {
  const code = /"error":\s*"([a-z_]+)"/.exec(text)?.[1];
  return code === undefined ? '' : ` ${code}`;
}

async function sessionOf(origin: string, value: string): Promise<Session> {
  const cookie = `${SESSION_COOKIE}=${value}`;
  const response = await reach(`${origin}/auth/session`, { headers: { cookie } });
  if (!response.ok)
    throw new PlainError(
      `The new session was refused: ${response.status}${codeOf(await response.text())}.`,
    );
  const { subject, csrf } = (await response.json()) as { subject: string; csrf: string };
  return { origin, cookie, csrf, subject };
}

interface Page {
  readonly url: string;
  readonly status: number;
  readonly location: string | null;
  readonly text: string;
}

interface Browser {
  /** GET, or POST of a form. */
  open(url: string, form?: URLSearchParams): Promise<Page>;
  cookie(origin: string, name: string): string | undefined;
}

/** As much of a browser as a login needs: it keeps cookies by origin and shows redirects instead of following. */
function newBrowser(): Browser {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (origin: string): Map<string, string> => {
    const jar = jars.get(origin) ?? new Map<string, string>();
    jars.set(origin, jar);
    return jar;
  };
  return {
    cookie: (origin, name) => jarOf(origin).get(name),
    async open(url, form) {
      const jar = jarOf(new URL(url).origin);
      const response = await reach(url, {
        redirect: 'manual',
        headers: {
          accept: 'text/html, application/json',
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
        },
        ...(form === undefined ? {} : { method: 'POST', body: form }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line)?.slice(1) ?? [];
        if (value === '') jar.delete(name);
        else jar.set(name, value);
      }
      const location = response.headers.get('location');
      return {
        url,
        status: response.status,
        location: location === null ? null : new URL(location, url).href,
        text: await response.text(),
      };
    },
  };
}
