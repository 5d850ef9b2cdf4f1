import { deepFreeze, plainJson } from './json.js';
import { ProposalRefused } from './refusal.js';
import type {
  AppInfo,
  Envelope,
  Json,
  Limits,
  Proposal,
  Proposed,
  Purpose,
  View,
} from './types.js';

const PROFILE = 'org.proto.agent-ui/2';

interface Answer {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** A message of the host; its members follow from the method, or from the request that it answers. */
interface FromHost {
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string };
}

interface InitializeResult {
  readonly protocolVersion: string;
  readonly hostInfo: { readonly name: string; readonly version: string };
  readonly envelope: Envelope;
  readonly limits: Limits;
}
interface Input {
  readonly request_id: string;
  readonly purpose: Purpose;
}
interface Result {
  readonly content: readonly { readonly type: 'text'; readonly text: string }[];
  readonly structuredContent: { readonly payload: unknown };
}

/**
 * Connects the app to the review page that shows it, and resolves when its data is there. Call it once, within five
 * seconds of the page's start: it can neither be repeated nor be late.
 */
export function connect<Payload = Json>(app?: AppInfo): Promise<View<Payload>> {
  return new Promise((connected, failed) => {
    const { parent } = window;
    const answers = new Map<string, Answer>();
    const endings: (() => void)[] = [];
    let started: InitializeResult | null = null;
    let input: Input | null = null;
    let pinned = '*';
    let count = 0;

    function send(message: object): void {
      parent.postMessage({ jsonrpc: '2.0', ...message }, pinned);
    }

    function request<T>(method: string, params: unknown): Promise<T> {
      count += 1;
      const id = `view-${count}`;
      return new Promise((resolve, reject) => {
        answers.set(id, { resolve: resolve as Answer['resolve'], reject });
        send({ id, method, params });
      });
    }

    /** The first answer comes from the origin that it names itself; from then on nothing else is listened to. */
    function begin(result: InitializeResult, origin: string): void {
      if (result.protocolVersion !== PROFILE || result.envelope.source.origin !== origin) {
        window.removeEventListener('message', receive);
        failed(new Error('the page that shows this app is not the one it is bound to'));
        return;
      }
      started = deepFreeze(result);
      pinned = origin;
      send({ method: 'proto/ui.initialized', params: {} });
    }

    function end(id: unknown): void {
      window.removeEventListener('message', receive);
      for (const listener of endings) {
        try {
          listener();
        } catch {
          // The review is over, so the error cannot be handled.
        }
      }
      send({ id, result: { closed: true } });
      for (const { reject } of answers.values()) reject(new Error('the review is over'));
    }

    function viewOf({ content, structuredContent }: Result): View<Payload> {
      const { hostInfo, envelope, limits } = started as InitializeResult;
      const { request_id, purpose } = input as Input;
      return Object.freeze<View<Payload>>({
        purpose,
        requestId: request_id,
        summary: content[0]?.text ?? '',
        payload: structuredContent.payload as Payload,
        envelope,
        limits,
        host: hostInfo,
        async propose(proposal: Proposal): Promise<Proposed> {
          const { decision, response } = proposal;
          if (response === undefined) throw new TypeError('a proposal needs a response');
          // Its own members around the proposal are few; the rest of the message stands two levels above it.
          const params = plainJson(
            { decision, response },
            limits.view_message_bytes - 512,
            limits.json_depth - 1,
          );
          return deepFreeze(await request<Proposed>('proto/ui.propose', params));
        },
        onTeardown(listener: () => void): void {
          endings.push(listener);
        },
      });
    }

    function receive({ source, origin, data }: MessageEvent): void {
      if (source !== parent || (pinned !== '*' && origin !== pinned)) return;
      const { id, method, params, result, error } = (data ?? {}) as FromHost;
      if (method === undefined) {
        const answer = answers.get(id as string);
        if (answer === undefined || !answers.delete(id as string)) return;
        if (error !== undefined) answer.reject(new ProposalRefused(error.code, error.message));
        else if (started === null) begin(result as InitializeResult, origin);
        else answer.resolve(result);
      } else if (started === null) {
        return;
      } else if (method === 'proto/ui.input') {
        input = deepFreeze(params as Input);
      } else if (method === 'proto/ui.result') {
        connected(viewOf(deepFreeze(params as Result)));
      } else if (method === 'proto/ui.teardown') {
        end(id);
      }
    }

    window.addEventListener('message', receive);
    request('proto/ui.initialize', {
      protocolVersion: PROFILE,
      capabilities: { localProposal: true },
      ...(app === undefined ? {} : { viewInfo: { name: app.name, version: app.version } }),
    }).catch(failed);
  });
}
