import { setTimeout as delay } from 'node:timers/promises';
import { connect, credsAuthenticator } from '@nats-io/transport-node';
import type {
  ConnectionOptions,
  Msg,
  MsgHdrs,
  NatsConnection,
  Subscription,
  TlsOptions,
} from '@nats-io/transport-node';
import type { Logger } from '../log.js';

export interface NatsLogin {
  user?: string | undefined;
  password?: string | undefined;
  /** Text of a credentials file (JWT and seed). */
  credentials?: string | undefined;
  /** PEM texts; without `ca` the usual authorities count. With one of them, or with `tls://`, nothing goes in plain text. */
  tls?:
    | { ca?: string | undefined; cert?: string | undefined; key?: string | undefined }
    | undefined;
}

export interface NatsLinkOptions {
  /** `nats://host:port` or `tls://host:port`. */
  servers: readonly string[];
  /** Of this process, as the server shows it. */
  name: string;
  log: Logger;
  /** Asked for with each connection; passwords and certificates change. */
  login?: () => NatsLogin;
  /** How long the first connection may take before the link is handed over without one; 5 s when not given. */
  firstConnectMs?: number | undefined;
}

/** A connection that is made again for ever. */
export interface NatsLink {
  /** Resolves when the server knows it, or at once while there is none: it is made with the next connection. */
  subscribe(subject: string, queue: string | null, receive: (message: Msg) => void): Promise<void>;
  /** Throws while there is no connection. */
  publish(
    subject: string,
    body: string | Uint8Array,
    options?: { reply?: string; headers?: MsgHdrs },
  ): void;
  connected(): boolean;
  /** Ends all subscriptions but `kept`; messages that the server sent before it knew are still received. */
  leave(kept: string): Promise<void>;
  /** Sends the messages under way, then ends for good. */
  close(): Promise<void>;
}

interface Registration {
  readonly subject: string;
  readonly queue: string | null;
  readonly receive: (message: Msg) => void;
  subscription: Subscription | null;
}

const FLUSH_MS = 1000;

/**
 * The client library's own reconnecting keeps messages that were published meanwhile and sends them later. A command that
 * was refused must not run later, so each connection is a new one: unsent messages are dropped. `onLost` is called.
 */
export async function createNatsLink(
  options: NatsLinkOptions,
  onLost: () => void,
): Promise<NatsLink> {
  const { name, log, firstConnectMs = 5000 } = options;
  const registrations: Registration[] = [];
  const ended = new AbortController();
  /** Being connected: takes subscriptions. */
  let current: NatsConnection | null = null;
  /** Has confirmed the subscriptions: takes messages. */
  let usable: NatsConnection | null = null;

  async function stayConnected(onFirst: () => void): Promise<void> {
    let failures = 0;
    while (!ended.signal.aborted) {
      try {
        current = await connect(connectionOptions(options));
        for (const registration of registrations) subscribeOn(current, registration);
        if (!(await flushed(current))) throw new Error('the connection ended at once');
        usable = current;
        failures = 0;
        log.info({ bus: name, server: current.getServer() }, 'connected to NATS');
        onFirst();
        await current.closed();
        if (!ended.signal.aborted) log.warn({ bus: name }, 'connection to NATS lost');
      } catch (error) {
        failures += 1;
        // About once a minute is enough to know.
        if (failures % 60 === 1) log.warn({ err: error, bus: name }, 'NATS cannot be reached');
      }
      const lost = current;
      current = null;
      usable = null;
      onLost();
      await lost?.close();
      const backoff = Math.min(25 * 2 ** failures, 1000);
      await pause(backoff * (0.5 + Math.random() / 2), ended.signal);
    }
  }

  function subscribeOn(connection: NatsConnection, registration: Registration): void {
    const { subject, queue, receive } = registration;
    const callback = (error: Error | null, message: Msg): void => {
      // The client's reader ends for good when a callback throws.
      try {
        if (error === null) receive(message);
        else log.error({ err: error, bus: name, subject }, 'NATS refused a subscription');
      } catch (failure) {
        log.error({ err: failure, bus: name, subject }, 'message could not be read');
      }
    };
    registration.subscription = connection.subscribe(
      subject,
      queue === null ? { callback } : { queue, callback },
    );
  }

  let running = Promise.resolve();
  await new Promise<void>((resolve) => {
    const waited = setTimeout(resolve, firstConnectMs);
    running = stayConnected(() => {
      clearTimeout(waited);
      resolve();
    });
  });

  return {
    async subscribe(subject, queue, receive) {
      const registration: Registration = { subject, queue, receive, subscription: null };
      registrations.push(registration);
      if (current === null) return;
      subscribeOn(current, registration);
      await flushed(current);
    },

    publish(subject, body, publishing) {
      if (usable === null) throw new Error('there is no connection to NATS');
      usable.publish(subject, body, publishing);
    },

    connected: () => usable !== null,

    async leave(kept) {
      const leaving = registrations.filter(({ subject }) => subject !== kept);
      registrations.splice(0, Infinity, ...registrations.filter(({ subject }) => subject === kept));
      const connection = current;
      if (connection === null) return;
      const drained = leaving.map(async ({ subscription }) => subscription?.drain());
      await Promise.race([Promise.allSettled(drained), connection.closed()]);
    },

    async close() {
      ended.abort();
      if (current !== null) {
        await Promise.race([flushed(current), pause(FLUSH_MS, null)]);
        await current?.close();
      }
      await running;
    },
  };
}

/** Whether the server has taken all that was sent; a flush of a connection that ends does not settle by itself. */
function flushed(connection: NatsConnection): Promise<boolean> {
  return Promise.race([
    connection.flush().then(
      () => true,
      () => false,
    ),
    connection.closed().then(() => false),
  ]);
}

async function pause(ms: number, signal: AbortSignal | null): Promise<void> {
  await delay(ms, undefined, signal === null ? { ref: false } : { signal }).catch(() => {});
}

/** The client itself would continue in plain text where the server offers no TLS, even if the URL requires it. */
function tlsOf(
  servers: readonly string[],
  pems: NatsLogin['tls'] = {},
): Pick<ConnectionOptions, 'tls'> {
  const given = Object.entries(pems).filter(([, pem]) => pem !== undefined);
  const wanted = given.length > 0 || servers.some((server) => server.startsWith('tls://'));
  return wanted ? { tls: Object.fromEntries(given) as TlsOptions } : {};
}

function connectionOptions(options: NatsLinkOptions): ConnectionOptions {
  const { servers, name, login } = options;
  const { user, password, credentials, tls } = login?.() ?? {};
  return {
    servers: [...servers],
    name,
    reconnect: false,
    timeout: 2000,
    // A server that vanished without a word is noticed after three silent pings.
    pingInterval: 2000,
    maxPingOut: 2,
    noAsyncTraces: true,
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { pass: password }),
    ...tlsOf(servers, tls),
    ...(credentials === undefined
      ? {}
      : { authenticator: credsAuthenticator(new TextEncoder().encode(credentials)) }),
  };
}
