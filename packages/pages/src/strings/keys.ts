/** A person's own keys, and signing with them. */
export const keys = {
  title: 'My keys',
  lead: 'Passkeys and security keys that you sign votes with, where a decision asks for it. A vote in your name needs one of them then.',
  list: 'Keys',
  none: [
    'No key yet',
    'Decisions that ask for a key wait for you until you have one. Add two, in case one is lost.',
  ] as const,
  one: 'You have one key that counts. Add a second one, so that a lost key does not keep you from deciding.',
  label: 'Key',
  added: 'Added',
  state: 'State',
  kind: 'Kind',
  action: 'End it',
  states: {
    waiting: 'Waiting',
    active: 'Counts',
    suspended: 'Suspended',
    ended: 'Ended',
  },
  deviceBound: 'Stays on its device',
  synced: 'Can be on several devices',
  waitsFor:
    'It waits for an operator who is another person. Tell one of them the name and the time, but not through this service.',
  gone: 'Gone without that',
  suspendedFor:
    'Its counter stepped back, as that of a copy does. It signs nothing until an operator has vouched for it again. If you did not restore it from a backup, end it as compromised.',
  endedFor: 'It is never used again.',

  add: 'Add a key',
  addLead:
    'Your browser opens a dialog twice: first the key is made, then it signs that it is yours.',
  name: 'Name of the key',
  nameHint: 'Such as “Laptop” or “Blue security key”. Operators see it.',
  nameFault: 'Give the key a name of at most 60 characters.',
  voucher: 'Who vouches for it',
  byOperator: 'An operator (it waits)',
  byOwn: (label: string) => `My key “${label}” (at once)`,
  make: 'Make the key …',
  making: 'Waiting for the new key …',
  step: (at: number, of: number) => `Step ${at} of ${of}`,
  signTitle: 'The key is made. Now let it sign',
  signLead: 'With this signature the key says that it is yours.',
  sign: 'Sign with the new key …',
  vouchTitle: 'Now let your other key vouch for it',
  vouchLead: (label: string) => `Your key “${label}” signs that the new one is yours, too.`,
  vouch: (label: string) => `Sign with “${label}” …`,
  signing: 'Waiting for your key …',
  sending: 'Saving the key …',
  sendAgain: 'Save it again',
  stop: 'Stop waiting',
  again: 'Begin again',
  addedWaiting: (label: string) => `“${label}” was added and waits for an operator.`,
  addedActive: (label: string) => `“${label}” was added and counts.`,

  loginTitle: 'Adding a key requires a fresh login',
  loginLead:
    'Sign in again to confirm your identity. You come back to this page, and nothing has been added.',
  loginStill:
    'The identity provider did not report a fresh login. Contact its administrators if that happens again.',
  login: 'Sign in and come back',

  end: 'End …',
  endLabel: (label: string) => `End the key “${label}”`,
  endTitle: (label: string) => `End “${label}”`,
  endWaiting: 'The key waits and has signed nothing. It is gone at once.',
  reason: 'Reason',
  reasons: {
    replaced: ['Replaced', 'Another key is used from now on. Votes given with it stay.'] as const,
    lost: [
      'Lost',
      'Open votes given with it end, and authority that was not used is taken back.',
    ] as const,
    compromised: [
      'In other hands',
      'As for a lost key. Votes since the time below count for no verifier any more.',
    ] as const,
    left: ['No longer needed', 'Votes given with it stay.'] as const,
  },
  since: 'In other hands since',
  sinceHint: 'Leave it empty if you do not know.',
  sinceFault: 'This time is still to come.',
  endNow: 'End the key',
  endFinal: 'A key that ended is never used again.',
  ended: (label: string) => `“${label}” was ended.`,
  keep: 'Keep it',

  signWith: 'Your key',
  signHint: 'It has to be at hand. Your browser asks for it when you press the button.',
  keysLoading: 'Looking for your keys …',
  noKeyTitle: 'This decision asks for a key of yours',
  noKey: 'You have no key that counts. Add one, and come back to this request.',
  noKeyBound:
    'You have no key that counts here: this decision takes only keys that stay on their device.',
  keyWaits: 'A key of yours waits for an operator who is another person.',
  toKeys: 'My keys',

  faults: {
    dismissed: [
      'Nothing was signed',
      'The dialog of your browser was closed, or its time was over. Everything is as it was.',
    ] as const,
    known: [
      'This device has a key of yours already',
      'Use another device for another key.',
    ] as const,
    unsupported: [
      'This device has no key that can be used here',
      'Keys have to sign with ES256 or EdDSA and verify you by a PIN, a finger or your face. Use a phone, a security key or another browser.',
    ] as const,
    elsewhere: [
      'Your browser makes no keys here',
      'Keys work only at the address of this service, by its name. Check the address.',
    ] as const,
    differs: [
      'The service asks for another signature',
      'What should be signed is not what this page shows. Nothing was signed. Do not try again, and tell an operator.',
    ] as const,
    no_key: ['No key is chosen', 'Add a key, or wait until yours counts.'] as const,
  },
  problems: {
    offer_expired: [
      'The time to sign is over',
      'Nothing was recorded. Press the button again, and you are asked once more.',
    ] as const,
    invalid_assertion: [
      'The service did not accept the signature',
      'Try again with the same key. If that happens again, look at “My keys”: the key may be suspended.',
    ] as const,
    identity_conflict: [
      'This key is known already',
      'A key is of one person, and is added once. Use another one.',
    ] as const,
    credential_unavailable: [
      'You have as many keys as you can have',
      'At most five count, and five wait. End one of them first.',
    ] as const,
    human_key_required: [
      'This key does not count',
      'Look at “My keys”: it may wait, be suspended or have ended.',
    ] as const,
  } as Readonly<Record<string, readonly [title: string, text: string]>>,
} as const;
