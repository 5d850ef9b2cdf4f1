import type { RequestStatus } from '@countersign/protocol';
import { Refusal, operationNamed, sandboxOriginOf } from '@countersign/protocol';

import { hasCredentials } from './authentication.js';
import type { Call, Handler } from './call.js';
import { redirect, sendPage } from './call.js';
import { returnTo } from './login/return-to.js';
import type { Offered } from './operations/discovery.js';
import type { StepUpRule } from './login/step-up.js';
import { isProved, ruleFor } from './login/step-up.js';
import type { AppPage } from './pages/app-pages.js';
import { SECURITY_LOG_PAGE } from './pages/app-pages.js';
import { signedOutPage } from './pages/signed-out-page.js';
import type { PageReader, ShellParts } from './pages/shell.js';
import { shell } from './pages/shell.js';
import { languageFor } from './pages/language.js';
import { chosenTheme } from './pages/theme-cookie.js';
import type { AskPerson, SignedInPerson } from './person.js';
import type { Pipeline } from './pipeline.js';
import { allowFrame } from './security-headers.js';
import type { Store } from './store/index.js';

export interface PeoplePaths {
  readonly review: Handler;
  readonly signedOut: Handler;
  page(page: AppPage): Handler;
}

const statusOperation = operationNamed('request.status');

/** The pages: for signed-in people, but for those that anybody may open (protocol §8.2). */
export function createPeoplePaths(
  store: Store,
  pipeline: Pipeline,
  person: AskPerson,
  sandboxPattern: string,
  stepUp: readonly StepUpRule[],
  offered: Offered,
): PeoplePaths {
  const offers = (profile: string) => Object.hasOwn(offered, profile);

  async function readerOf(reader: SignedInPerson): Promise<PageReader> {
    const { tenant, principal, kind, operator, session } = reader;
    const choice = await store.hasChoice(reader);
    const auditor = kind === 'auditor';
    const { name, csrf } = session;
    return { tenant, subject: principal, name, operator, auditor, choice, csrf };
  }

  /** A visitor without credentials is led to the login and back; false when that was done. */
  async function recognisable(call: Call): Promise<boolean> {
    if (hasCredentials(call.request)) return true;
    await pipeline.takeOfAddress(call, 'address', [{ bucket: 'unauthenticated' }]);
    redirect(call, `/auth/login?return_to=${encodeURIComponent(returnTo([call.path]))}`);
    return false;
  }

  async function open(call: Call, page: AppPage): Promise<void> {
    const { name, title } = page;
    if (page.profile !== undefined && !offers(page.profile)) throw new Refusal('not_found');
    if (page.for === 'anybody') {
      const visitor = hasCredentials(call.request) ? await person(call).catch(noPerson) : null;
      sendShell(call, { name, title, reader: visitor && (await readerOf(visitor)) });
      return;
    }
    if (!(await recognisable(call))) return;
    const reader = await person(call);
    const isAuditor = reader.kind === 'auditor';
    if (page.for === 'reviewer' && isAuditor) {
      redirect(call, SECURITY_LOG_PAGE);
      return;
    }
    const isRefused =
      (page.for === 'operator' && !reader.operator) ||
      (page.for === 'log-reader' && !reader.operator && !isAuditor);
    if (isRefused) throw new Refusal('operator_required');
    const reads = await readerOf(reader);
    sendShell(call, {
      name,
      title,
      reader: reads,
      approvals: offers('proto.approval') && (page.for === 'operator' || name === 'inbox'),
      keys: offers('proto.human-key'),
    });
  }

  return {
    async review(call) {
      if (!(await recognisable(call))) return;
      const reader = await person(call);
      if (reader.kind !== 'human') throw new Refusal('not_found');
      const id = call.path.slice('/review/'.length);
      // A request that this person may not see answers 404, here as in the API.
      const { body } = await pipeline.ask(call, reader, statusOperation, { params: { id } });
      const { request } = JSON.parse(body) as RequestStatus;
      const frame = sandboxOriginOf(sandboxPattern, request);
      if (frame !== null) allowFrame(call.response, frame);
      const rule = ruleFor(stepUp, reader.tenant, request.route);
      const asksAgain = rule !== null && !isProved(reader.session, rule);
      sendShell(call, {
        name: 'review',
        title: { en: 'Review', de: 'Prüfung' },
        reader: await readerOf(reader),
        stepUp: asksAgain,
        keys: offers('proto.human-key'),
      });
    },

    /** It never says so while the browser still has a session's cookie. */
    signedOut: (call) =>
      hasCredentials(call.request)
        ? redirect(call, '/inbox')
        : sendPage(call, signedOutPage(languageFor(call.request.headers))),

    page: (page) => (call) => open(call, page),
  };
}

function sendShell(call: Call, parts: Omit<ShellParts, 'theme' | 'language'>): void {
  const { headers } = call.request;
  const language = languageFor(headers);
  sendPage(call, shell({ ...parts, language, theme: chosenTheme(headers.cookie) }));
}

/** A public page also opens without a session, or after one has ended. */
function noPerson(fault: unknown): null {
  if (fault instanceof Refusal && (fault.status === 401 || fault.code === 'human_required'))
    return null;
  throw fault;
}
