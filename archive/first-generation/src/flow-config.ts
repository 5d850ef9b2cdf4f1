/** Credits of a channel in messages and bytes; the archived document's §2 and §8. */
export interface FlowControlConfig {
  enabled: boolean;
  /** Where the adaptive allowance of a channel begins. */
  initialCredits: number;
  minCredits: number;
  maxCredits: number;
  /** An allowance with no more than this left is filled up again. */
  creditThreshold: number;
  /** Fraction of `maxBufferedBytes` from which the server holds its own messages back and pauses the client. */
  backPressureThreshold: number;
  adaptiveAdjustment: boolean;
  /** What either side may send on a channel at first. */
  initialCreditMessages: number;
  initialCreditBytes: number;
}

const DEFAULTS: FlowControlConfig = {
  enabled: true,
  initialCredits: 1000,
  minCredits: 100,
  maxCredits: 10_000,
  creditThreshold: 200,
  backPressureThreshold: 0.8,
  adaptiveAdjustment: true,
  initialCreditMessages: 1000,
  initialCreditBytes: 1_048_576,
};

export const FLOW_VARIABLES = {
  names: {
    enabled: 'FLOW_CONTROL_ENABLED',
    initialCredits: 'FLOW_CONTROL_INITIAL_CREDITS',
    minCredits: 'FLOW_CONTROL_MIN_CREDITS',
    maxCredits: 'FLOW_CONTROL_MAX_CREDITS',
    creditThreshold: 'FLOW_CONTROL_CREDIT_THRESHOLD',
    backPressureThreshold: 'FLOW_CONTROL_BACK_PRESSURE_THRESHOLD',
    adaptiveAdjustment: 'FLOW_CONTROL_ADAPTIVE_ADJUSTMENT',
    initialCreditMessages: 'FLOW_CONTROL_INITIAL_CREDIT_MESSAGES',
    initialCreditBytes: 'FLOW_CONTROL_INITIAL_CREDIT_BYTES',
  },
  examples: DEFAULTS,
} as const;

/** The document has two names for a channel's first message credits; who gives one of them means both. */
export function flowControlOf(given: Partial<FlowControlConfig>): FlowControlConfig {
  const { initialCredits = given.initialCreditMessages } = given;
  const { initialCreditMessages = given.initialCredits } = given;
  return {
    ...DEFAULTS,
    ...given,
    ...(initialCredits === undefined ? {} : { initialCredits }),
    ...(initialCreditMessages === undefined ? {} : { initialCreditMessages }),
  };
}
