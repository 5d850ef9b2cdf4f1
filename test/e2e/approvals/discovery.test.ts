import { PROTOCOL_REVISION } from '@countersign/protocol';
import { Client, operatorOf } from '../../support/client.js';
import { startInstance } from '../../support/instance.js';
import type { Instance } from '../../support/instance.js';

// What a deployment publishes with and without capabilities (protocol §18.10).

const WITH: Record<string, string> = { CAPABILITIES: 'proto.approval' };
let plain: Instance;
let offering: Instance;

beforeAll(async () => {
  [plain, offering] = await Promise.all([startInstance(), startInstance({ env: WITH })]);
});
afterAll(async () => {
  await Promise.all([plain?.stop(), offering?.stop()]);
});

const read = async ({ demo }: Instance, path: string) => {
  const { status, text } = await new Client(demo.origin, null).get(path);
  return { status, text: text.replaceAll(demo.origin, 'https://review.example') };
};

it('adds the profile to the discovery, and changes nothing else there', async () => {
  const [without, withIt] = await Promise.all(
    [plain, offering].map((one) => read(one, '/.well-known/proto')),
  );
  const was = JSON.parse(without?.text as string) as { profiles: object };
  expect(was).toMatchObject({ revisions: [PROTOCOL_REVISION] });
  expect(was.profiles).toEqual({ 'proto.agent-ui': '2', 'proto.execution': '1-draft.1' });
  expect(JSON.parse(withIt?.text as string)).toEqual({
    ...was,
    profiles: { ...was.profiles, 'proto.approval': '1-draft.1' },
  });
});

it('leaves the description of the interface as it is', async () => {
  const [without, withIt] = await Promise.all(
    [plain, offering].map((one) => read(one, '/openapi.json')),
  );
  expect(withIt).toEqual(without);
});

it('names the limits of the profile and where its operations and records are described', async () => {
  const { status, text } = await read(offering, '/.well-known/proto-capabilities');
  expect([status, JSON.parse(text)]).toEqual([
    200,
    {
      capabilities: {
        'proto.approval': {
          version: '1-draft.1',
          seats: 20,
          policy_bytes: 32_768,
          excluded_people: 256,
          groups: 100,
          members_of_a_group: 500,
        },
      },
      operations: 'https://review.example/openapi-extensions.json',
      schemas: 'https://review.example/schemas/',
    },
  ]);
});

it('serves the schema of each of its records', async () => {
  const path = '/schemas/proto.approval/1-draft.1/ApprovalRecord.json';
  const { status, text } = await read(offering, path);
  expect([status, JSON.parse(text)]).toMatchObject([
    200,
    { $id: 'urn:proto:proto.approval:1-draft.1:ApprovalRecord', additionalProperties: false },
  ]);
  const others = ['proto.approval/2/ApprovalRecord', 'proto.approval/1-draft.1/RequestInput'];
  for (const other of others) {
    expect((await read(offering, `/schemas/${other}.json`)).status).toBe(404);
  }
});

it('serves and describes operations of approvals where they are offered', async () => {
  const path = '/v2/admin/routes/no-such-route/policy';
  const ask = ({ demo }: Instance) => operatorOf(demo).get(path);
  const [without, withIt] = await Promise.all([ask(plain), ask(offering)]);
  // Both are 404: of an unknown path, and of an unknown route.
  expect([without?.status, withIt?.status]).toEqual([404, 404]);
  const put = (one: Instance) => operatorOf(one.demo).put(path, { policy: 1 });
  const [unknown, refused] = await Promise.all([put(plain), put(offering)]);
  expect([unknown.body.error, refused.body.error]).toEqual(['not_found', 'invalid_policy']);
  const todos = await Promise.all(
    [plain, offering].map(({ demo }) =>
      operatorOf(demo).get('/v2/approvals', { undescribed: true }),
    ),
  );
  expect(todos.map(({ body }) => body.error)).toEqual(['not_found', 'human_required']);
  const [before, after] = await Promise.all(
    [plain, offering].map((one) => read(one, '/openapi-extensions.json')),
  );
  const pathsOf = (text = '') => Object.keys((JSON.parse(text) as { paths: object }).paths);
  expect(pathsOf(before?.text)).toEqual(['/v2/requests/{id}/evidence']);
  expect(pathsOf(after?.text)).toContain('/v2/admin/routes/{id}/policy');
});

it('has none of these paths without a capability', async () => {
  const paths = [
    '/.well-known/proto-capabilities',
    '/schemas/',
    '/schemas/proto.approval/1-draft.1/ApprovalRecord.json',
  ];
  for (const path of paths) expect([path, (await read(plain, path)).status]).toEqual([path, 404]);
});
