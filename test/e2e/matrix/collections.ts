import { DEFAULT_LIMITS } from '@countersign/protocol';
import type { Answer, Client } from '../../support/client.js';
import { inParallel } from '../../support/parallel.js';
import { reviewInput } from '../../support/requests.js';
import { COLLECTION_CELLS } from './reading.js';
import type { Scenario } from './scenarios.js';
import { BUNDLE } from './scenarios.js';

/** The operations about no single request, by all callers of the table. */
export async function collectionFindings({
  callers,
  demo,
  route,
}: Pick<Scenario, 'callers' | 'demo' | 'route'>): Promise<readonly string[]> {
  const input = reviewInput(demo, { route: await route() });
  const faults = await inParallel(COLLECTION_CELLS, 4, async ({ operation, caller, expected }) => {
    const answer = await call(callers[caller] as Client, operation, input);
    const code = answer.status >= 400 ? answer.body?.error : null;
    return answer.status === expected.status && code === expected.code
      ? []
      : [`${operation} by ${caller}: ${answer.status} ${code ?? ''}, not ${expected.text}`];
  });
  return faults.flat();
}

function call(client: Client, operation: string, input: object): Promise<Answer> {
  switch (operation) {
    case 'bundles':
      return client.post('/v2/bundles', BUNDLE);
    case 'create':
      return client.post('/v2/requests', input);
    case 'events':
      return client.get('/v2/events');
    case 'principals': {
      const config = { enabled: false };
      const principal = { id: 'somebody', kind: 'publisher', config };
      return client.put('/v2/admin/principals/somebody', principal);
    }
    case 'routes':
      return client.put('/v2/admin/routes/somewhere', {
        reviewers: [],
        separation_of_duties: true,
        limits: DEFAULT_LIMITS,
        required_profiles: {},
        allowed_producers: [],
        modes: [],
      });
    case 'ledger':
      return client.get('/v2/admin/ledger');
    case 'metrics':
      return client.get('/v2/admin/metrics');
    case 'metrics text':
      return client.get('/v2/admin/metrics.prom');
    default:
      throw new Error(`no call ${operation}`);
  }
}
