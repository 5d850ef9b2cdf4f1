import { Refusal } from '@countersign/protocol';
import type { Logger } from '../log.js';
import { continueTrace } from '../telemetry.js';
import { decodeHeaders, encodeFailure, encodeReply, textOf } from './envelope.js';
import type { EncodedMessage, WireHeaders } from './envelope.js';
import { busFaultOf, busRefusal } from './fault.js';
import { createLimiter } from './limiter.js';
import type {
  BusBody,
  BusHandler,
  BusHeaders,
  BusRequest,
  LargeBody,
  ServeOptions,
} from './types.js';

const CONCURRENCY = 64;
const BACKLOG = 512;
/** Reading more than this blocks a thread that others wait for (R35). */
export const SMALL_BODY_BYTES = 64 * 1024;

/** A request as a transport brings it. */
export interface Delivery {
  readonly headers: WireHeaders;
  /** Taken only when its turn comes, if it is no text. */
  readonly body: string | LargeBody;
  /** How much of its time may have passed before we saw it. */
  readonly lateMs: number;
  /** Must not throw or reject. */
  answer(message: EncodedMessage): void | Promise<void>;
}

/** The serving side of a subject, the same over every transport. */
export interface Responder {
  deliver(delivery: Delivery): void;
  /** Resolves when every request that was delivered has been answered or dropped. */
  idle(): Promise<void>;
}

export function createResponder(
  subject: string,
  handler: BusHandler,
  options: ServeOptions,
  log: Logger,
): Responder {
  const limiter = createLimiter(options.concurrency ?? CONCURRENCY, options.backlog ?? BACKLOG);

  async function run(request: Request, delivery: Delivery): Promise<void> {
    await delivery.answer(
      await continueTrace(request.headers.traceparent, () => handle(request, delivery)),
    );
    request.end();
  }

  async function handle(request: Request, { body }: Delivery): Promise<EncodedMessage> {
    try {
      if (typeof body !== 'string') {
        const large = { bytes: body.bytes, take: () => taken(subject, body) };
        if (options.largeBodies === true && body.bytes > SMALL_BODY_BYTES) request.large = large;
        else request.body = textOf(await large.take());
      }
      return encodeReply(await handler(request));
    } catch (error) {
      report(error);
      return encodeFailure(error);
    }
  }

  /** The cause stays here: it does not travel. */
  function report(error: unknown): void {
    if (!(error instanceof Refusal)) log.error({ err: error, subject }, 'handler failed');
    else if (error.status === 503 && error.cause !== undefined) {
      log.error({ err: error.cause, code: error.code, subject }, 'handler could not serve');
    }
  }

  return {
    deliver(delivery) {
      const request = new Request(subject, delivery);
      const isOverdue = (): boolean => request.remainingMs() <= 0;
      // Late by our own standing still: perhaps overdue, perhaps just sent, so it is refused and not dropped.
      const taken =
        !isOverdue() && limiter.submit({ isOverdue, run: () => run(request, delivery) });
      if (!taken) void delivery.answer(encodeFailure(busRefusal('overloaded', subject)));
    },
    idle: () => limiter.idle(),
  };
}

/** The body that was passed with the request. */
export function bodyOf(body: BusBody): string | LargeBody {
  return typeof body === 'string' ? body : { bytes: body.length, take: async () => body };
}

async function taken(subject: string, body: LargeBody): Promise<Uint8Array> {
  try {
    return await body.take();
  } catch (cause) {
    throw busFaultOf(cause) === null ? busRefusal('body_lost', subject, cause) : cause;
  }
}

/** A class for its accessor: most handlers never look at the signal, and a controller with a timer costs more than the rest. */
class Request implements BusRequest {
  readonly headers: BusHeaders;
  body: string;
  large: LargeBody | null = null;
  readonly #deadline: number;
  #controller: AbortController | null = null;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    readonly subject: string,
    delivery: Delivery,
  ) {
    this.headers = decodeHeaders(delivery.headers);
    this.body = typeof delivery.body === 'string' ? delivery.body : '';
    this.#deadline = performance.now() + this.headers.timeoutMs - delivery.lateMs;
  }

  remainingMs(): number {
    return this.#deadline - performance.now();
  }

  get signal(): AbortSignal {
    if (this.#controller === null) {
      const controller = new AbortController();
      this.#controller = controller;
      this.#timer = setTimeout(() => controller.abort(), Math.max(0, this.remainingMs()));
    }
    return this.#controller.signal;
  }

  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
  }
}
