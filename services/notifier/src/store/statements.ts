// Every statement of the role of the service, by its name.
export * from './index.js';
export * from './deliveries.js';
export * from './digests.js';
export * from './feed.js';
export * from './notices.js';
export * from './reminders.js';
