/** Why an app is not shown (any more). The native form is there in every case. */
export const FAILURES = {
  snapshot_mismatch: 'The app that the service sent is not the one this request is bound to.',
  unconfined: 'This browser did not prove that the app would be confined.',
  not_loaded: 'The app could not be loaded.',
  navigated: 'The app left its page or loaded it again.',
  not_initialised: 'The app did not start in time.',
  page_left: 'The app ended when this page was left. Load the page again to see it.',
  silent: 'The app stopped responding.',
  not_json: 'The app sent something that is not JSON.',
  too_deep: 'The app sent a message that is nested too deeply.',
  too_big: 'The app or its data is larger than a message may be.',
  too_many_messages: 'The app sent too many messages.',
  too_many_proposals: 'The app proposed too often.',
  wrong_profile: 'The app was made for another profile.',
  out_of_order: 'The app did not keep to the order of messages.',
} as const;

export type AppFailure = keyof typeof FAILURES;

export function isFailure(value: unknown): value is AppFailure {
  return typeof value === 'string' && Object.hasOwn(FAILURES, value);
}
