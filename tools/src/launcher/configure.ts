import { addAuditor, createOwnerPool } from '@countersign/database';
import { DEFAULT_LIMITS } from '@countersign/protocol/constants';
import type { PrincipalInput, RouteInput } from '@countersign/protocol';
import { ApiRefusal, apiOf } from '@countersign/deploy/client/api';
import type { Api } from '@countersign/deploy/client/api';
import { APPROVALS_ROUTE, configureApprovals } from './demo-approvals.js';
import type { DemoTenant } from './demo-tenants.js';
import { PlainError } from '@countersign/deploy/plain-error';

/** Beside the tenant's own: the routes that the lines of README.md name, for executions. */
const README_ROUTES = ['payments', 'deploy'];

/**
 * Fills a tenant through the interface, as its operator would (`request.configure-principal`, `request.configure-route`):
 * publisher, people, routes, producer; with `approvals` also its voters and their route. `issuer` is where its people log in. Throws PlainError when the operator is not
 * known.
 */
export async function configureTenant(
  origin: string,
  issuer: string,
  tenant: DemoTenant,
  approvals: boolean,
): Promise<void> {
  const api = apiOf(origin, { token: tenant.operator.token });
  const { producer, publisher, people, operators = [], routes } = tenant;
  const voters = approvals ? (tenant.voters ?? []) : [];
  const [owner, ...reviewers] = people;
  if (owner === undefined) throw new Error(`the tenant ${tenant.tenant} has no people`);
  try {
    await putPrincipal(api, {
      id: publisher.id,
      kind: 'publisher',
      config: { enabled: true },
      token: publisher.token,
    });
    for (const { id, name, subject } of [...people, ...voters]) {
      const config = { enabled: true, name, oidc_issuer: issuer, oidc_subject: subject };
      await putPrincipal(api, { id, kind: 'human', config });
    }
    for (const { id, name, subject } of operators) {
      const identity = { oidc_issuer: issuer, oidc_subject: subject };
      const config = { enabled: true, operator: true, name, ...identity };
      await putPrincipal(api, { id, kind: 'human', config });
    }
    await putPrincipal(api, {
      id: producer.id,
      kind: 'producer',
      config: {
        enabled: true,
        publisher: publisher.id,
        owner: owner.id,
        routes: [
          routes.review,
          routes.execution,
          ...README_ROUTES,
          ...(voters.length > 0 ? [APPROVALS_ROUTE] : []),
        ],
      },
      token: producer.token,
    });
    const common = {
      reviewers: reviewers.map(({ id }) => id),
      separation_of_duties: true,
      limits: DEFAULT_LIMITS,
      required_profiles: {},
      // The owner may ask too, by a session (R1).
      allowed_producers: [producer.id, owner.id],
    };
    await putRoute(api, routes.review, { ...common, modes: [] });
    for (const route of [routes.execution, ...README_ROUTES])
      await putRoute(api, route, { ...common, modes: ['live_window', 'durable', 'fixed_mock'] });
    if (voters.length > 0) await configureApprovals(api, tenant);
  } catch (error) {
    if (!(error instanceof ApiRefusal) || error.status !== 401) throw error;
    throw new PlainError(
      `The database has a tenant ${tenant.tenant} whose operator's token this data directory does not know. ` +
        'Start with the directory that made it (npm start -- --data DIR), or with an empty database.',
    );
  }
}

/**
 * Makes the auditors of a tenant, which no operation does (protocol R41). Those that are there already stay as they are.
 */
export async function addAuditors(
  databaseUrl: string,
  issuer: string,
  { tenant, auditors = [] }: DemoTenant,
): Promise<void> {
  const pool = createOwnerPool({ url: databaseUrl, application: 'countersign configure', max: 1 });
  try {
    for (const { id, name, subject } of auditors) {
      await addAuditor(pool, { tenant, id, name, person: { issuer, subject } }).catch(
        (error: { code?: string }) => {
          if (!['identity_conflict', 'principal_exists'].includes(error.code ?? '')) throw error;
        },
      );
    }
  } finally {
    await pool.end();
  }
}

async function putPrincipal(api: Api, input: PrincipalInput): Promise<void> {
  await api.put(`/v2/admin/principals/${input.id}`, input);
}

async function putRoute(api: Api, id: string, input: RouteInput): Promise<void> {
  await api.put(`/v2/admin/routes/${id}`, input);
}
