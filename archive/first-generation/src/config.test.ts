import { configOf } from './config.js';

describe('configuration', () => {
  it('has the defaults of the archived document', () => {
    expect(configOf({}, {})).toMatchObject({
      jwtSecret: undefined,
      port: 8080,
      host: '0.0.0.0',
      jwtExpiresIn: '24h',
      maxConnections: 1000,
      heartbeatInterval: 30_000,
      heartbeatTimeout: 5000,
      enableCORS: true,
      enableCompression: true,
      enableLogging: true,
      maxConcurrentRuns: 10,
      replayWindowSize: 1000,
      replayWindowTime: 60_000,
      flowControl: {
        enabled: true,
        initialCredits: 1000,
        minCredits: 100,
        maxCredits: 10_000,
        creditThreshold: 200,
        backPressureThreshold: 0.8,
        adaptiveAdjustment: true,
        initialCreditMessages: 1000,
        initialCreditBytes: 1_048_576,
      },
      allowedOrigins: [],
    });
  });

  const set = (name: string, value: string) => configOf({}, { [name]: value });
  it.each([
    ['JWT_SECRET', 'hush', { jwtSecret: 'hush' }],
    ['PORT', '9000', { port: 9000 }],
    ['HOST', '127.0.0.1', { host: '127.0.0.1' }],
    ['JWT_EXPIRES_IN', '1h', { jwtExpiresIn: '1h' }],
    ['MAX_CONNECTIONS', '5', { maxConnections: 5 }],
    ['HEARTBEAT_INTERVAL', '100', { heartbeatInterval: 100 }],
    ['HEARTBEAT_TIMEOUT', '50', { heartbeatTimeout: 50 }],
    ['ENABLE_CORS', 'false', { enableCORS: false }],
    ['ENABLE_COMPRESSION', 'false', { enableCompression: false }],
    ['ENABLE_LOGGING', '0', { enableLogging: false }],
    ['FLOW_CONTROL_ENABLED', 'false', { flowControl: { enabled: false } }],
    ['FLOW_CONTROL_INITIAL_CREDITS', '7', { flowControl: { initialCredits: 7 } }],
    ['FLOW_CONTROL_MIN_CREDITS', '7', { flowControl: { minCredits: 7 } }],
    ['FLOW_CONTROL_MAX_CREDITS', '7', { flowControl: { maxCredits: 7 } }],
    ['FLOW_CONTROL_CREDIT_THRESHOLD', '7', { flowControl: { creditThreshold: 7 } }],
    [
      'FLOW_CONTROL_BACK_PRESSURE_THRESHOLD',
      '0.5',
      { flowControl: { backPressureThreshold: 0.5 } },
    ],
    ['FLOW_CONTROL_ADAPTIVE_ADJUSTMENT', 'false', { flowControl: { adaptiveAdjustment: false } }],
    ['FLOW_CONTROL_INITIAL_CREDIT_MESSAGES', '7', { flowControl: { initialCreditMessages: 7 } }],
    ['FLOW_CONTROL_INITIAL_CREDIT_BYTES', '7', { flowControl: { initialCreditBytes: 7 } }],
    [
      'ALLOWED_ORIGINS',
      'https://a.example, https://b.example',
      {
        allowedOrigins: ['https://a.example', 'https://b.example'],
      },
    ],
  ])('takes %s=%s', (name, value, expected) => {
    expect(set(name, value)).toMatchObject(expected);
  });

  it('prefers what is given to the environment', () => {
    const config = configOf(
      { port: 1, flowControl: { minCredits: 2 } },
      {
        PORT: '3',
        FLOW_CONTROL_MIN_CREDITS: '4',
        HOST: 'there',
      },
    );
    expect(config).toMatchObject({ port: 1, host: 'there', flowControl: { minCredits: 2 } });
  });

  it('takes either name of the first message credits for both', () => {
    expect(configOf({ flowControl: { initialCredits: 5 } }, {}).flowControl).toMatchObject({
      initialCreditMessages: 5,
    });
    expect(configOf({ flowControl: { initialCreditMessages: 6 } }, {}).flowControl).toMatchObject({
      initialCredits: 6,
    });
  });

  it.each([
    ['PORT', 'http'],
    ['MAX_CONNECTIONS', '-1'],
    ['MAX_CONNECTIONS', '0'],
    ['ENABLE_CORS', 'perhaps'],
  ])('refuses %s=%s', (name, value) => {
    expect(() => set(name, value)).toThrow(expect.objectContaining({ name: 'ConfigurationError' }));
  });

  it('refuses a limit that is no number', () => {
    expect(() => configOf({ maxMessageBytes: Number.NaN }, {})).toThrow(
      expect.objectContaining({ name: 'ConfigurationError' }),
    );
  });
});
