import type { Logger } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';

import type { Call } from './call.js';
import { isApi, send, sendPage, wantsHtml } from './call.js';
import { refusalPage } from './pages/error-page.js';
import { languageFor } from './pages/language.js';

/** The caller disconnected before the call was complete; no answer is possible. */
export class CallerGone extends Error {
  override readonly name = 'CallerGone';
}

/**
 * Writes the fault of a call as its answer: a problem document (R3), or a page for a browser outside the API. A fault that
 * is no refusal is our own: 503, logged with its cause (R4).
 */
export function createRefuse(origin: string, log: Logger): (call: Call, fault: unknown) => void {
  return (call, fault) => {
    const { request, response, trace } = call;
    if (fault instanceof CallerGone || response.destroyed) {
      response.destroy();
      return;
    }
    const refusal =
      fault instanceof Refusal ? fault : new Refusal('service_unavailable', { cause: fault });
    call.span.fail(refusal);
    if (refusal.cause !== undefined || refusal.code === 'service_unavailable') {
      const { cause = refusal, code } = refusal;
      const about = { err: cause, code, trace: trace.traceId };
      log[refusal.status === 503 ? 'error' : 'warn'](
        about,
        `${request.method ?? ''} ${routeOf(call.path)} was refused`,
      );
    }
    if (response.headersSent) {
      response.destroy();
      return;
    }
    response.statusCode = refusal.status;
    if (refusal.retryAfter !== undefined) {
      response.setHeader('Retry-After', String(refusal.retryAfter));
    }
    if (refusal.code === 'unauthenticated') response.setHeader('WWW-Authenticate', 'Bearer');
    if (!isApi(call.path) && wantsHtml(call)) {
      const { code, detail } = refusal;
      const { traceId } = trace;
      const language = languageFor(request.headers);
      const parts = { code, detail, trace: traceId, reader: call.reader ?? null, language };
      sendPage(call, refusalPage(parts));
    } else {
      const problem = JSON.stringify(refusal.toProblem(origin, trace.traceId));
      send(call, 'application/problem+json', problem);
    }
  };
}

/** A path without the parts that identify a resource. */
function routeOf(path: string): string {
  return path
    .split('/')
    .map((part) => (/^[a-z0-9.-]{1,20}$/.test(part) || part === '' ? part : '…'))
    .join('/');
}
