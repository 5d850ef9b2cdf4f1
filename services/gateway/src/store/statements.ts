// Every statement of the role of the service, by its name.
export * from './index.js';
export * from './logins.js';
export * from './notifications.js';
export * from './security-events.js';
export * from './sessions.js';
