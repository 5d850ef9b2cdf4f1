import { connect } from 'node:net';
import { createLogger } from '@countersign/platform';
import { Refusal } from '@countersign/protocol';

import type { Call, Handler } from './call.js';
import { createPeoplePaths } from './people.js';
import type { Listener } from './listener.js';
import type { Pipeline } from './pipeline.js';
import { createRefuse } from './refusals.js';
import { createServer } from './server.js';
import type { Store } from './store/index.js';

const origin = 'https://review.example';
const id = '0198c1de-0000-7000-8000-000000000001';

/** Answers with its own name and the path of the call. */
const named =
  (name: string): Handler =>
  ({ response, path, query }) => {
    response.end(`${name} ${path} ${query}`);
  };

let listener: Listener;
let port: number;
let last: Call | null = null;

beforeAll(async () => {
  const pipeline = {
    serve: named('api'),
    admit: async () => {
      throw new Refusal('human_required');
    },
    takeOfAddress: async () => {},
  } as unknown as Pipeline;
  const addresses = { of: () => '192.0.2.1', isTrusted: () => false };
  const paths = ['/', '/livez', '/docs', '/openapi.json', '/.well-known/proto', '/verify'];
  listener = createServer({
    origin,
    requestMs: 5_000,
    production: false,
    connections: { most: 100, perAddress: 100, addresses },
    pipeline,
    publicPaths: new Map(paths.map((path) => [path, named('public')])),
    assets: named('asset'),
    errors: named('error'),
    trees: named('tree'),
    login: {
      start: async (call) => named('login')(call),
      callback: async (call) => named('callback')(call),
      tenants: async (call) => named('tenants')(call),
      choose: async (call) => named('choose')(call),
    },
    sessions: {
      session: named('session'),
      list: named('list'),
      logout: named('logout'),
      endOthers: named('end-others'),
      endOne: named('end-one'),
      leave: named('leave'),
      backchannelLogout: () => {
        throw new Refusal('invalid_logout_token');
      },
    },
    custody: false,
    notifications: { read: named('notifications'), save: named('save-notifications') },
    people: createPeoplePaths(
      {} as Store,
      pipeline,
      async () => {
        throw new Refusal('human_required');
      },
      origin,
      [],
      {},
    ),
    refuse: createRefuse(origin, createLogger({ name: 'test', level: 'silent' })),
    times: (call) => {
      last = call;
    },
  });
  port = await listener.start(0, '127.0.0.1');
});

afterAll(() => listener?.stop(100, 0));

/** Says it word for word; status, the name in the metrics, and the body or location. */
async function ask(line: string): Promise<{ told: string; headers: string[] }> {
  last = null;
  const text = await new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('end', () => resolve(Buffer.concat(chunks).toString('latin1')));
    socket.on('error', reject);
    socket.write(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [status = '', ...lines] = head.split('\r\n');
  const headers = lines.map((one) => one.slice(0, one.indexOf(':')).toLowerCase()).sort();
  const location = /^location: (.*)$/im.exec(head)?.[1];
  const error = /"error":"(\w+)"/.exec(body)?.[1];
  const code = status.split(' ')[1];
  const { route } = (last as Call | null) ?? {};
  return { told: `${code} ${route} ${location ?? error ?? body}`.trim(), headers };
}

// A call and its result: status, route, and the body, the refusal's code or the redirect.
const rows = `
GET / => 200 / public /
GET /livez => 200 /livez public /livez
HEAD /livez => 200 /livez
POST /livez => 404 none not_found
PUT /livez => 404 none not_found
OPTIONS /livez => 404 none not_found
OPTIONS * => 404 none not_found
OPTIONS /nothing => 404 none not_found
PATCH /auth/login => 404 none not_found
TRACE /livez => 404 none not_found
GET /livez/ => 404 none not_found
GET //livez => 404 none not_found
GET /LIVEZ => 404 none not_found
GET /%6Civez => 404 none not_found
GET /livez%2F => 404 none not_found
GET /livez?x=/y?z => 200 /livez public /livez x=/y?z
GET /livez? => 200 /livez public /livez
GET /livez#x => 404 none not_found
GET /livez?a#b => 200 /livez public /livez a#b
GET /livez;x => 404 none not_found
GET /./livez => 404 none not_found
GET /x/../livez => 404 none not_found
GET http://x/livez => 404 none not_found
GET /.well-known/proto => 200 /.well-known/proto public /.well-known/proto
GET /xwell-known/proto => 404 none not_found
GET /openapiXjson => 404 none not_found
GET /__proto__ => 404 none not_found
GET /auth/login?step_up=%E0%A4%A => 200 /auth/login login /auth/login step_up=%E0%A4%A
HEAD /auth/login => 200 /auth/login
POST /auth/login => 404 none not_found
GET /auth/callback => 200 /auth/callback callback /auth/callback
GET /auth/tenant => 200 /auth/tenant tenants /auth/tenant
POST /auth/tenant => 200 /auth/tenant choose /auth/tenant
GET /auth/session => 200 /auth/session session /auth/session
GET /auth/sessions => 200 /auth/sessions list /auth/sessions
GET /auth/leave => 200 /auth/leave leave /auth/leave
POST /auth/leave => 404 none not_found
GET /auth/logout => 404 none not_found
POST /auth/logout => 200 /auth/logout logout /auth/logout
POST /auth/logout/ => 404 none not_found
POST /auth/sessions/end-others => 200 /auth/sessions/end-others end-others /auth/sessions/end-others
POST /auth/sessions/${id}/end => 200 /auth/sessions/{id}/end end-one /auth/sessions/${id}/end
GET /auth/sessions/${id}/end => 404 none not_found
POST /auth/sessions/${id}/end/ => 404 none not_found
POST /auth/sessions/%E0%A4%A/end => 404 none not_found
POST /auth/sessions/x/end => 404 none not_found
POST /auth/backchannel-logout => 400 /auth/backchannel-logout invalid_logout_token
GET /assets/a.js => 200 /assets/{file} asset /assets/a.js
GET /assets/ => 200 /assets/{file} asset /assets/
GET /assets/a/b%2Fc?d => 200 /assets/{file} asset /assets/a/b%2Fc d
GET /assets => 404 none not_found
GET /Assets/a.js => 404 none not_found
GET /errors/%E0%A4%A => 200 /errors/{code} error /errors/%E0%A4%A
HEAD /errors/csrf => 200 /errors/{code}
POST /errors/csrf => 404 none not_found
GET /log/a/b => 200 /log/{path} tree /log/a/b
GET /log/ => 200 /log/{path} tree /log/
GET /inbox => 302 /inbox /auth/login?return_to=%2Finbox
HEAD /inbox => 302 /inbox /auth/login?return_to=%2Finbox
POST /inbox => 404 none not_found
GET /inbox/ => 404 none not_found
GET /signed-out => 200 /signed-out <!doctype
GET /auditor => 200 /auditor <!doctype
GET /me => 404 /me not_found
GET /operator => 302 /operator /auth/login?return_to=%2Finbox
GET /operator/ => 302 /operator/{page} /auth/login?return_to=%2Finbox
GET /operator/a/b => 302 /operator/{page} /auth/login?return_to=%2Finbox
GET /operator/data => 302 /operator/{page} /auth/login?return_to=%2Finbox
GET /operator/data/ => 404 none not_found
GET /operator/data/nothing => 404 none not_found
GET /operator/data/routes => 403 /operator/data/routes human_required
GET /operator/data/routes?id=%E0%A4%A => 403 /operator/data/routes human_required
GET /operator/data/routes/ => 404 none not_found
GET /operator/data/%72outes => 404 none not_found
HEAD /operator/data/routes => 404 none
POST /operator/data/routes => 404 none not_found
OPTIONS /operator/data/routes => 404 none not_found
GET /operator/data/preview/route => 404 none not_found
POST /operator/data/preview/route => 403 /operator/data/preview/route human_required
POST /operator/data/end-sessions => 403 /operator/data/end-sessions human_required
GET /operator/data/security-log => 403 /operator/data/security-log human_required
GET /operator/data/security-log/csv => 403 /operator/data/security-log/csv human_required
HEAD /operator/data/security-log => 404 none
POST /operator/data/security-log => 404 none not_found
GET /review/${id} => 302 /review/{id} /auth/login?return_to=%2Freview%2F${id}
GET /review/ => 302 /review/{id} /auth/login?return_to=%2Finbox
GET /review/a/b => 302 /review/{id} /auth/login?return_to=%2Finbox
GET /review/%E0%A4%A => 302 /review/{id} /auth/login?return_to=%2Finbox
POST /review/${id} => 404 none not_found
GET /review => 404 none not_found
GET /v2 => 200 none api /v2
GET /v2/ => 200 none api /v2/
GET /v2?x => 200 none api /v2 x
GET /v2x => 404 none not_found
OPTIONS /v2/requests => 200 none api /v2/requests
DELETE /v2/%E0%A4%A => 200 none api /v2/%E0%A4%A
GET /V2/requests => 404 none not_found
`;

test.each(rows.trim().split('\n'))('%s', async (row) => {
  const [line = '', wanted] = row.split(' => ');
  const { told } = await ask(line);
  expect(told.replace(/<!doctype[^]*/i, '<!doctype')).toBe(wanted);
});

test.each(['GET /livez', 'GET /nothing', 'POST /auth/logout', 'GET /v2/requests'])(
  '%s carries no header of a framework',
  async (line) => {
    const { headers } = await ask(line);
    const framework = ['x-powered-by', 'etag', 'allow', 'x-content-type-options'];
    expect(headers.filter((name) => framework.includes(name))).toEqual(['x-content-type-options']);
  },
);
