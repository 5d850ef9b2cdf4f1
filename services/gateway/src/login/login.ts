import { Refusal, textDigest } from '@countersign/protocol';

import type { Call } from '../call.js';
import { redirect } from '../call.js';
import {
  LOGIN_COOKIE,
  LOGIN_SECONDS,
  SESSION_COOKIE,
  SESSION_SECONDS,
  readCookie,
  setCookie,
} from '../cookies.js';
import { randomSecret } from '../secrets.js';
import type { LoginAttempt, Store } from '../store.js';
import type { Identity, IdentityProvider, LoginSecrets } from './identity-provider.js';
import { newLoginSecrets } from './identity-provider.js';
import { returnTo } from './return-to.js';
import type { StepUpRule } from './step-up.js';
import { ruleFor } from './step-up.js';

export interface Login {
  /** `GET /auth/login?return_to=&step_up=`: the second names the route whose confirmations want a fresh login. */
  start(call: Call): Promise<void>;
  /** `GET /auth/callback` */
  callback(call: Call): Promise<void>;
}

/** The digest under which the store knows a cookie of ours; null when it cannot be one. */
function digestOf(call: Call, name: typeof SESSION_COOKIE | typeof LOGIN_COOKIE): string | null {
  const value = readCookie(call.request.headers.cookie, name);
  return value === undefined || value === 'invalid' ? null : textDigest(value);
}

/** The OpenID Connect code flow of contract §8.2. */
export function createLogin(
  store: Store,
  provider: IdentityProvider,
  stepUp: readonly StepUpRule[],
): Login {
  /** Gives the browser one attempt: the one it already has, or a new one with its cookie. */
  async function remember(call: Call, secrets: LoginSecrets, asked: string): Promise<string> {
    const attempt: LoginAttempt = {
      nonce: secrets.nonce,
      codeVerifier: secrets.codeVerifier,
      returnTo: asked,
      sessionState: await store.sessionState(digestOf(call, SESSION_COOKIE)),
    };
    const state = textDigest(secrets.state);
    const known = readCookie(call.request.headers.cookie, LOGIN_COOKIE);
    if (known !== undefined && known !== 'invalid') {
      if (await store.restartLogin(textDigest(known), state, attempt)) return known;
    }
    const cookie = randomSecret();
    await store.startLogin(textDigest(cookie), state, attempt);
    return cookie;
  }

  /** What the provider is asked for: only ever what is configured, whatever the address says. */
  async function strengthFor(call: Call, route: string | null) {
    if (route === null || stepUp.length === 0) return null;
    const session = digestOf(call, SESSION_COOKIE);
    const known = session === null ? null : await store.session(session);
    return ruleFor(stepUp, known?.tenant ?? null, route);
  }

  /** Exactly one enabled human over all tenants, of whom the directory is certain. */
  async function personBehind({ issuer, subject }: Pick<Identity, 'issuer' | 'subject'>) {
    const [person, ...others] = await store.people(issuer, subject);
    if (!person || others.length > 0) throw new Refusal('directory_identity_unavailable');
    if (!person.identityCertain) throw new Refusal('identity_uncertain');
    return person;
  }

  return {
    async start(call) {
      const query = new URLSearchParams(call.query);
      const asked = returnTo(query.getAll('return_to'));
      const secrets = newLoginSecrets();
      const address = await provider.authorisationUrl(
        secrets,
        await strengthFor(call, query.get('step_up')),
      );
      const cookie = await remember(call, secrets, asked);
      call.response.setHeader('Set-Cookie', setCookie(LOGIN_COOKIE, cookie, LOGIN_SECONDS));
      redirect(call, address.href);
    },

    async callback(call) {
      const answer = new URLSearchParams(call.query);
      const [state, ...repeated] = answer.getAll('state');
      const loginDigest = digestOf(call, LOGIN_COOKIE);
      if (!state || repeated.length > 0 || loginDigest === null) throw new Refusal('invalid_login');

      // Known only by digest: looking it up by equality tells nothing about the value itself.
      const stateDigest = textDigest(state);
      const attempt = await store.claimLogin(loginDigest, stateDigest);
      if (!attempt) throw new Refusal('invalid_login');
      const oldSession = digestOf(call, SESSION_COOKIE);
      if ((await store.sessionState(oldSession)) !== attempt.sessionState) {
        throw new Refusal('login_session_changed');
      }
      if (!answer.has('code') && !answer.has('error')) throw new Refusal('invalid_login');

      const identity = await provider.exchange(answer, {
        state,
        nonce: attempt.nonce,
        codeVerifier: attempt.codeVerifier,
      });
      const person = await personBehind(identity);
      const cookie = randomSecret();
      const outcome = await store.finishLogin(
        loginDigest,
        stateDigest,
        attempt.sessionState?.startsWith('live ') ? oldSession : null,
        {
          digest: textDigest(cookie),
          tenant: person.tenant,
          principal: person.principal,
          csrf: randomSecret(),
          provedAt: identity.provedAt,
          acr: identity.acr,
        },
      );
      if (outcome === 'superseded') throw new Refusal('invalid_login');
      if (outcome === 'session_changed') throw new Refusal('login_session_changed');
      call.response.setHeader('Set-Cookie', setCookie(SESSION_COOKIE, cookie, SESSION_SECONDS));
      redirect(call, attempt.returnTo);
    },
  };
}
