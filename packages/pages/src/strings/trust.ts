// Texts about which keys and witnesses to trust, on the ledger and the audit page and in the seal.

export const trustWords = {
  title: 'Keys to trust',
  own: 'This service’s own manifest',
  ownHint:
    'It comes from the service being verified. To rely on the result, choose a manifest that you obtained over another channel.',
  file: 'Choose your own trust manifest',
  tooLarge: 'This file is too large for a trust manifest.',
  of: (keys: number, issuer: string) => `${keys} ${keys === 1 ? 'key' : 'keys'} of ${issuer}`,
  policy: 'Witness policy',
  policyHint:
    'The witnesses that have to have signed the evidence, in the form of c2sp.org/tlog-policy.',
} as const;
