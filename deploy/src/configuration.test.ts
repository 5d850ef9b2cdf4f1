import { automaticReminderOf, commonConfig, smtpUrlOf, webhookRulesOf } from './configuration.js';

const ENV = {
  MODE: 'production',
  ORIGIN: 'https://review.example',
  DATABASE_URL: 'postgres://localhost/countersign',
  TRUST: '{}',
  CALLER_PUBLIC_KEY: '-----BEGIN PUBLIC KEY-----',
};

function faultsOf(env: NodeJS.ProcessEnv): string[] {
  try {
    commonConfig(env);
    return [];
  } catch (error) {
    return (error as { faults: { variable: string }[] }).faults.map(({ variable }) => variable);
  }
}

it('lets production lift neither quotas nor where webhooks may go', () => {
  expect(faultsOf(ENV)).toEqual([]);
  expect(faultsOf({ ...ENV, WEBHOOK_ALLOW_PRIVATE: 'false' })).toEqual([]);
  const lifted = { ...ENV, QUOTAS: 'off', WEBHOOK_ALLOW_PRIVATE: 'true' };
  expect(faultsOf(lifted)).toEqual(['QUOTAS', 'WEBHOOK_ALLOW_PRIVATE']);
  expect(faultsOf({ ...lifted, MODE: 'development' })).toEqual([]);
});

it('lets webhooks go nowhere and nobody be mailed or reminded unless told so', () => {
  const config = commonConfig(ENV);
  expect(webhookRulesOf(config)).toEqual({ hosts: [], anyPort: false });
  expect(config.MAIL_FROM).toBeUndefined();
  expect(automaticReminderOf(ENV)).toBe(0);
});

it('sends mail by SMTP only', () => {
  expect(smtpUrlOf({ SMTP_URL: 'smtps://mail.example' })).toBe('smtps://mail.example');
  expect(() => smtpUrlOf({ SMTP_URL: 'https://mail.example' })).toThrow('SMTP_URL');
  expect(() => smtpUrlOf({})).toThrow('SMTP_URL');
});

it('has one anchor store, which in production is no folder', () => {
  const [folder, bucket] = [{ ANCHOR_DIR: '/anchor' }, { ANCHOR_S3_BUCKET: 'anchors' }];
  expect(faultsOf({ ...ENV, ...bucket })).toEqual([]);
  expect(faultsOf({ ...ENV, ...folder })).toEqual(['ANCHOR_DIR']);
  expect(faultsOf({ ...ENV, ...folder, MODE: 'development' })).toEqual([]);
  expect(faultsOf({ ...ENV, ...folder, ...bucket, MODE: 'development' })).toEqual([
    'ANCHOR_S3_BUCKET',
  ]);
});
