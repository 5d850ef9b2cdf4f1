/** Every service, and under which heading the API description lists its operations. */
export const SERVICES = {
  gateway: 'Discovery',
  request: 'Requests',
  review: 'Reviews',
  'execution-authority': 'Execution',
  ledger: 'Records',
  notifier: 'Requests',
} as const;
export type ServiceName = keyof typeof SERVICES;
