import { Refusal, textDigest } from '@countersign/protocol';

import type { Call } from '../call.js';
import { redirect, sendPage } from '../call.js';
import {
  LOGIN_COOKIE,
  LOGIN_SECONDS,
  SESSION_COOKIE,
  SESSION_SECONDS,
  cookieDigest,
  readCookie,
  setCookie,
} from '../cookies.js';
import { randomSecret } from '../secrets.js';
import type { Store } from '../store/index.js';
import type { LoginAttempt, PendingChoice, LoginEntry } from '../store/logins.js';
import type { Identity, IdentityProvider, LoginSecrets } from './identity-provider.js';
import { newLoginSecrets } from './identity-provider.js';
import { returnTo } from './return-to.js';
import type { StepUpRule } from './step-up.js';
import { FRESH_LOGIN, ruleFor } from './step-up.js';
import { choicePage, readChoice } from './tenant-choice.js';

export interface Login {
  /**
   * `GET /auth/login?return_to=&step_up=&fresh=`: the second names the route whose confirmations want a fresh login, the third asks for
   * the one that adding a key wants.
   */
  start(call: Call): Promise<void>;
  /** `GET /auth/callback` */
  callback(call: Call): Promise<void>;
  /** `GET /auth/tenant`: the choice of a person who is in several tenants. */
  tenants(call: Call): Promise<void>;
  /** `POST /auth/tenant` */
  choose(call: Call): Promise<void>;
}

export interface LoginParts {
  readonly store: Store;
  readonly provider: IdentityProvider;
  readonly stepUp: readonly StepUpRule[];
  readonly origin: string;
  /** Refusals to people whom no tenant knows, for the security log. */
  readonly refused: (call: Call, reason: string) => void;
}

/** The attempt that a session is made of. */
interface Attempt extends Pick<LoginAttempt, 'returnTo' | 'sessionState'> {
  readonly loginDigest: string;
  readonly stateDigest: string;
}

/** The OpenID Connect code flow of protocol §8.2, and the choice of a tenant after it (R37). */
export function createLogin({ store, provider, stepUp, origin, refused }: LoginParts): Login {
  /** Gives the browser one attempt: the one it already has, or a new one with its cookie. */
  async function remember(
    call: Call,
    secrets: LoginSecrets,
    { returnTo: asked, stays }: Pick<LoginAttempt, 'returnTo' | 'stays'>,
  ): Promise<string> {
    const attempt: LoginAttempt = {
      nonce: secrets.nonce,
      codeVerifier: secrets.codeVerifier,
      returnTo: asked,
      sessionState: await store.sessionState(cookieDigest(call.request, SESSION_COOKIE)),
      stays,
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

  /**
   * The strength to ask of the provider: always the configured one, never values of the address, and only for the tenant of
   * a live session. A stranger must not learn which routes have rules. Such a login stays in that tenant.
   */
  async function strengthFor(call: Call, query: URLSearchParams) {
    const route = query.get('step_up');
    const fresh = query.get('fresh') === 'true';
    const session = cookieDigest(call.request, SESSION_COOKIE);
    if ((route === null && !fresh) || session === null) return null;
    const known = await store.session(session);
    const ofRoute = known && route !== null ? ruleFor(stepUp, known.tenant, route) : null;
    const rule = ofRoute ?? (fresh ? FRESH_LOGIN : null);
    if (!known || !rule) return null;
    return { rule, stays: { tenant: known.tenant, principal: known.principal } };
  }

  /** Every session begins here. Throws `identity_uncertain`, `invalid_login`, `login_session_changed`. */
  async function admit(
    call: Call,
    attempt: Attempt,
    identity: Identity,
    person: LoginEntry,
  ): Promise<void> {
    if (!person.identityCertain) {
      await store.noteRefusal(person, 'identity_uncertain');
      throw new Refusal('identity_uncertain');
    }
    const { tenant, principal } = person;
    const cookie = randomSecret();
    const retired = attempt.sessionState?.startsWith('live ')
      ? cookieDigest(call.request, SESSION_COOKIE)
      : null;
    const outcome = await store.finishLogin(attempt.loginDigest, attempt.stateDigest, retired, {
      digest: textDigest(cookie),
      tenant,
      principal,
      csrf: randomSecret(),
      identity,
    });
    if (outcome === 'superseded') throw new Refusal('invalid_login');
    if (outcome === 'session_changed') throw new Refusal('login_session_changed');
    call.response.setHeader('Set-Cookie', setCookie(SESSION_COOKIE, cookie, SESSION_SECONDS));
    redirect(call, attempt.returnTo);
  }

  /** Throws `login_session_changed`: a login cannot undo a logout. */
  async function requireSameSession(call: Call, sessionState: string | null): Promise<void> {
    const now = await store.sessionState(cookieDigest(call.request, SESSION_COOKIE));
    if (now !== sessionState) throw new Refusal('login_session_changed');
  }

  /** Throws `directory_identity_unavailable` for a person whom no tenant has enabled. */
  async function peopleBehind({ issuer, subject }: Identity): Promise<readonly LoginEntry[]> {
    const people = await store.people(issuer, subject);
    if (people.length === 0) throw new Refusal('directory_identity_unavailable');
    return people;
  }

  /** The attempt of this browser that waits for a choice. Throws `invalid_login`. */
  async function pendingOf(call: Call): Promise<[string, PendingChoice]> {
    const loginDigest = cookieDigest(call.request, LOGIN_COOKIE);
    const pending = loginDigest === null ? null : await store.pendingChoice(loginDigest);
    if (loginDigest === null || !pending) throw new Refusal('invalid_login');
    return [loginDigest, pending];
  }

  /** Counts refusals before the person is identified; a person's own refusal is recorded where it is decided. */
  async function counted(call: Call, work: (call: Call) => Promise<void>): Promise<void> {
    try {
      await work(call);
    } catch (fault) {
      if (fault instanceof Refusal && fault.code !== 'identity_uncertain')
        refused(call, fault.code);
      throw fault;
    }
  }

  const login: Login = {
    async start(call) {
      const query = new URLSearchParams(call.query);
      const secrets = newLoginSecrets();
      const strength = await strengthFor(call, query);
      const address = await provider.authorisationUrl(secrets, strength?.rule ?? null);
      const cookie = await remember(call, secrets, {
        returnTo: returnTo(query.getAll('return_to')),
        stays: strength?.stays ?? null,
      });
      call.response.setHeader('Set-Cookie', setCookie(LOGIN_COOKIE, cookie, LOGIN_SECONDS));
      redirect(call, address.href);
    },

    async callback(call) {
      const answer = new URLSearchParams(call.query);
      const [state, ...repeated] = answer.getAll('state');
      const loginDigest = cookieDigest(call.request, LOGIN_COOKIE);
      if (!state || repeated.length > 0 || loginDigest === null) throw new Refusal('invalid_login');

      // Known only by digest: looking it up by equality tells nothing about the value itself.
      const stateDigest = textDigest(state);
      const attempt = await store.claimLogin(loginDigest, stateDigest);
      if (!attempt) throw new Refusal('invalid_login');
      await requireSameSession(call, attempt.sessionState);
      if (!answer.has('code') && !answer.has('error')) throw new Refusal('invalid_login');

      const identity = await provider.exchange(answer, {
        state,
        nonce: attempt.nonce,
        codeVerifier: attempt.codeVerifier,
      });
      const people = await peopleBehind(identity);
      const [only, ...others] = people as [LoginEntry, ...LoginEntry[]];
      const { stays } = attempt;
      const chosen =
        others.length === 0
          ? only
          : people.find(
              ({ tenant, principal }) => tenant === stays?.tenant && principal === stays.principal,
            );
      if (chosen) {
        await admit(call, { ...attempt, loginDigest, stateDigest }, identity, chosen);
        return;
      }
      if (!people.some(({ identityCertain }) => identityCertain)) {
        throw new Refusal('identity_uncertain');
      }
      const kept = await store.awaitChoice(loginDigest, stateDigest, identity, randomSecret());
      if (!kept) throw new Refusal('invalid_login');
      const cookie = readCookie(call.request.headers.cookie, LOGIN_COOKIE) as string;
      call.response.setHeader('Set-Cookie', setCookie(LOGIN_COOKIE, cookie, LOGIN_SECONDS));
      redirect(call, '/auth/tenant');
    },

    async tenants(call) {
      const [, pending] = await pendingOf(call);
      sendPage(call, choicePage(call, await peopleBehind(pending.identity), pending));
    },

    async choose(call) {
      const [loginDigest, pending] = await pendingOf(call);
      const people = await peopleBehind(pending.identity);
      const chosen = await readChoice(call, origin, people, pending);
      await requireSameSession(call, pending.sessionState);
      await admit(call, { ...pending, loginDigest }, pending.identity, chosen);
    },
  };
  return {
    ...login,
    callback: (call) => counted(call, login.callback),
    choose: (call) => counted(call, login.choose),
  };
}
