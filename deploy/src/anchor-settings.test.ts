import { anchorS3Settings } from './anchor-settings.js';

const faults = (env: NodeJS.ProcessEnv, mode: 'development' | 'production' = 'production') => {
  try {
    anchorS3Settings('anchors', env, mode);
    return [];
  } catch (error) {
    return (error as { faults: { variable: string }[] }).faults.map(({ variable }) => variable);
  }
};

it('takes the credentials of the surroundings when none are given', () => {
  const settings = anchorS3Settings('anchors', {}, 'production');
  expect(settings).toMatchObject({ bucket: 'anchors', prefix: 'checkpoints', pathStyle: false });
  expect('credentials' in settings).toBe(false);
});

it.each<[string, NodeJS.ProcessEnv, string[]]>([
  ['half an access key', { ANCHOR_S3_ACCESS_KEY_ID: 'a' }, ['ANCHOR_S3_SECRET_ACCESS_KEY']],
  ['the other half', { ANCHOR_S3_SECRET_ACCESS_KEY: 'a' }, ['ANCHOR_S3_ACCESS_KEY_ID']],
  ['89 days', { ANCHOR_S3_RETENTION_DAYS: '89' }, ['ANCHOR_S3_RETENTION_DAYS']],
  ['a prefix with a slash at its end', { ANCHOR_S3_PREFIX: 'a/' }, ['ANCHOR_S3_PREFIX']],
  ['an unprotected store', { ANCHOR_S3_ENDPOINT: 'http://minio:9000' }, ['ANCHOR_S3_ENDPOINT']],
])('refuses %s', (_, env, expected) => {
  expect(faults(env)).toEqual(expected);
});

it('lets a development store be unprotected', () => {
  expect(faults({ ANCHOR_S3_ENDPOINT: 'http://127.0.0.1:9000' }, 'development')).toEqual([]);
});
