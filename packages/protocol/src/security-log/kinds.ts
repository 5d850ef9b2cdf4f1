/**
 * Every kind of event of the security log (protocol R41): the service that may insert it, and its details. `command` is the
 * command line, which acts as the database's owner. The row policies of the database say the same of the services.
 */
export const SECURITY_KINDS = {
  'login.succeeded': { source: 'gateway', says: 'A person logged in' },
  'login.refused': { source: 'gateway', says: 'A login was refused' },
  'credential.refused': {
    source: 'gateway',
    says: 'Calls with an unknown credential were refused',
  },
  'session.ended': { source: 'gateway', says: 'A session ended' },
  'step_up.required': {
    source: 'gateway',
    says: 'A confirmation was refused for want of a fresh login',
  },
  'notifications.changed': { source: 'gateway', says: 'A person changed their notifications' },
  'principal.changed': { source: 'request', says: 'A principal was changed' },
  'route.changed': { source: 'request', says: 'A route was changed' },
  'policy.changed': { source: 'request', says: 'The policy of a route was changed' },
  'membership.changed': { source: 'request', says: 'The groups of a person were changed' },
  'change.proposed': { source: 'request', says: 'A change was proposed to a second operator' },
  'key.changed': { source: 'request', says: 'A key of a person was bound, suspended or ended' },
  'hold.changed': { source: 'request', says: 'A legal hold was set or lifted' },
  'material.read': { source: 'request', says: 'Private material was read' },
  'app.read': { source: 'request', says: 'The app of a request was read, with its payload' },
  'material.discarded': { source: 'request', says: 'Private material was deleted early' },
  'export.read': { source: 'ledger', says: 'An audit export was read' },
  'held_export.read': { source: 'ledger', says: 'A custodian read a request under a legal hold' },
  'security_log.exported': { source: 'ledger', says: 'The security log was downloaded' },
  'tenant.bootstrapped': { source: 'command', says: 'A tenant was made, with its first operator' },
  'tenant.recovered': {
    source: 'command',
    says: 'A tenant was recovered; its namespace was retired',
  },
  'tree.access_changed': { source: 'command', says: 'Who may read the Merkle tree was changed' },
  'key.rotated': { source: 'command', says: 'A step of the rotation of a key was taken' },
  'change.confirmed': { source: 'command', says: 'A proposed change was confirmed on the server' },
  'operator.added': { source: 'command', says: 'An operator or auditor was added' },
  'operator.rotated': {
    source: 'command',
    says: 'The token of an operator or auditor was replaced',
  },
  'operator.disabled': { source: 'command', says: 'An operator or auditor was disabled' },
} as const satisfies Record<string, { readonly source: SecuritySource; readonly says: string }>;

export type SecuritySource = 'gateway' | 'request' | 'ledger' | 'command';
export type SecurityKind = keyof typeof SECURITY_KINDS;

/** The chain of events that belong to no tenant: no tenant can have this name. */
export const INSTALLATION = '';

export function isSecurityKind(text: string): text is SecurityKind {
  return Object.hasOwn(SECURITY_KINDS, text);
}
