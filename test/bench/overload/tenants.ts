import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Product } from '../product.js';
import type { Creator } from './flood.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

/** A new tenant, as docs/operations.md makes one: its producer, and the route on which it asks for executions. */
export async function newTenant({ databaseUrl, demo }: Product, tenant: string): Promise<Creator> {
  const made = execFileSync(
    process.execPath,
    ['deploy/countersign.mjs', 'bootstrap', '--tenant', tenant],
    { cwd: ROOT, encoding: 'utf8', env: { ...process.env, DATABASE_URL: databaseUrl } },
  );
  const { operator } = JSON.parse(made) as { operator: { token: string } };
  const put = async (path: string, body: object): Promise<void> => {
    const answer = await fetch(`${demo.origin}/v2/admin/${path}`, {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${operator.token}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  };
  const principal = (id: string, kind: string, config: object, token?: string): Promise<void> =>
    put(`principals/${id}`, { id, kind, config: { enabled: true, ...config }, token });
  const person = (id: string): Promise<void> =>
    principal(id, 'human', {
      ...{ name: id, oidc_issuer: demo.issuer, oidc_subject: `${tenant}-${id}` },
    });

  const token = randomBytes(32).toString('hex');
  await person('olivia');
  await person('ruth');
  await principal('shop', 'publisher', { name: 'Shop' });
  await principal(
    'pipeline',
    'producer',
    { name: 'Pipeline', publisher: 'shop', owner: 'olivia', routes: ['deployments'] },
    token,
  );
  await put('routes/deployments', {
    reviewers: ['ruth'],
    separation_of_duties: true,
    allowed_producers: ['pipeline'],
    modes: ['durable'],
    required_profiles: {},
    limits: {
      bundle_bytes: 5_242_880,
      payload_bytes: 10_485_760,
      response_bytes: 262_144,
      inline_result_bytes: 2_097_152,
      retained_bytes: 1_073_741_824,
      review_seconds: 3_600,
      grant_seconds: 86_400,
      execution_seconds: 3_600,
      reconciliation_seconds: 604_800,
      audit_seconds: 7_776_000,
    },
  });
  return { headers: { authorization: `Bearer ${token}` }, route: 'deployments' };
}
