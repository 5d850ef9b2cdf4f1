import { FLOW_VARIABLES, flowControlOf } from './flow-config.js';
import type { FlowControlConfig } from './flow-config.js';
import { ConfigurationError, read, readList } from './variables.js';
import type { Variables } from './variables.js';

/** Limits in messages, bytes and milliseconds. Fields below the line are ours: the archived document has no limit there. */
export interface ServerConfig {
  port: number;
  host: string;
  /** Never logged; `undefined` refuses to start. */
  jwtSecret: string | undefined;
  jwtExpiresIn: string;
  maxConnections: number;
  heartbeatInterval: number;
  heartbeatTimeout: number;
  flowControl: FlowControlConfig;
  /** Of one session. */
  maxConcurrentRuns: number;
  replayWindowSize: number;
  replayWindowTime: number;
  enableCORS: boolean;
  enableCompression: boolean;
  enableLogging: boolean;
  // ---
  /** Origins of browsers that may connect; whoever sends another Origin is refused, whoever sends none is no browser. */
  allowedOrigins: readonly string[];
  /** Of one message, one line, one binary frame. */
  maxMessageBytes: number;
  /** What may wait for one slow consumer before it is closed. */
  maxBufferedBytes: number;
  /** Of one session. */
  maxConcurrentTools: number;
  toolTimeout: number;
}

/** What the constructor takes. */
export type ServerOptions = Partial<Omit<ServerConfig, 'flowControl'>> & {
  flowControl?: Partial<FlowControlConfig>;
};

const DEFAULTS: Omit<ServerConfig, 'flowControl'> = {
  port: 8080,
  host: '0.0.0.0',
  jwtSecret: undefined,
  jwtExpiresIn: '24h',
  maxConnections: 1000,
  heartbeatInterval: 30_000,
  heartbeatTimeout: 5000,
  maxConcurrentRuns: 10,
  replayWindowSize: 1000,
  replayWindowTime: 60_000,
  enableCORS: true,
  enableCompression: true,
  enableLogging: true,
  allowedOrigins: [],
  maxMessageBytes: 1_048_576,
  maxBufferedBytes: 4_194_304,
  maxConcurrentTools: 100,
  toolTimeout: 60_000,
};

const VARIABLES = {
  port: 'PORT',
  host: 'HOST',
  jwtSecret: 'JWT_SECRET',
  jwtExpiresIn: 'JWT_EXPIRES_IN',
  maxConnections: 'MAX_CONNECTIONS',
  heartbeatInterval: 'HEARTBEAT_INTERVAL',
  heartbeatTimeout: 'HEARTBEAT_TIMEOUT',
  enableCORS: 'ENABLE_CORS',
  enableCompression: 'ENABLE_COMPRESSION',
  enableLogging: 'ENABLE_LOGGING',
} as const;

/** What is given wins over the environment, and that over the defaults. @throws {ConfigurationError} */
export function configOf(options: ServerOptions, variables: Variables): ServerConfig {
  const { flowControl, ...given } = options;
  const config = {
    ...DEFAULTS,
    ...read<Omit<ServerConfig, 'flowControl'>>(VARIABLES, DEFAULTS, variables),
    ...(variables['ALLOWED_ORIGINS'] === undefined
      ? {}
      : { allowedOrigins: readList(variables['ALLOWED_ORIGINS']) }),
    ...defined(given),
    flowControl: flowControlOf({
      ...read<FlowControlConfig>(FLOW_VARIABLES.names, FLOW_VARIABLES.examples, variables),
      ...defined(flowControl ?? {}),
    }),
  };
  for (const name of NUMBERS) {
    const least = name === 'port' ? 0 : 1;
    if (!Number.isFinite(config[name]) || config[name] < least) {
      throw new ConfigurationError(`${name} must be a number of at least ${least}.`);
    }
  }
  // A timer of Node holds no more than this.
  for (const name of ['heartbeatInterval', 'heartbeatTimeout', 'toolTimeout'] as const) {
    config[name] = Math.min(config[name], 2 ** 31 - 1);
  }
  return config;
}

const NUMBERS = [
  'port',
  'maxConnections',
  'heartbeatInterval',
  'heartbeatTimeout',
  'maxConcurrentRuns',
  'replayWindowSize',
  'replayWindowTime',
  'maxMessageBytes',
  'maxBufferedBytes',
  'maxConcurrentTools',
  'toolTimeout',
] as const;

function defined<T extends object>(options: T): T {
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as T;
}
