import type { IncomingHttpHeaders } from 'node:http';
import { selfSigned } from '../../e2e/deliveries/support/certificate.js';
import type { Cluster } from './cluster.js';

/** That values of cells in helm/countersign/examples name, with the Gateways `public` and `apps`. */
export const EDGE_NAMESPACE = 'gateways';
const NAME = 'countersign-test-edge';
const PORT = 8443;

/** Another platform's Gateway (Traefik), which routes by the HTTPRoutes of all namespaces. */
export interface Edge {
  /** Calls a host name at it over TLS, as its clients do who look the name up. Follows no redirect. */
  call(url: string, init?: { method?: string; token?: string | undefined }): Promise<EdgeAnswer>;
  stop(): Promise<void>;
}

export interface EdgeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** `names` are the host names of its certificate; clients call from the given pod, which has node. Resolves when it answers. */
export async function startEdge(
  cluster: Cluster,
  names: readonly string[],
  client: { readonly namespace: string; readonly pod: string },
): Promise<Edge> {
  const { kubectl, images } = cluster;
  if (images.edge === null) throw new Error('the cluster was opened without the image of an edge');
  const { cert, key } = selfSigned(names);
  await kubectl.apply(...accountOf(), ...gatewaysOf(cert, key), ...deploymentOf(images.edge));
  await kubectl.ask(
    ...['--namespace', EDGE_NAMESPACE, 'wait', '--for=condition=Available', '--timeout=5m'],
    `deployment/${NAME}`,
  );
  return {
    async call(url, { method = 'GET', token } = {}) {
      const { hostname, pathname, search } = new URL(url);
      const headers = {
        host: hostname,
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      };
      const options = {
        ...{ host: `${NAME}.${EDGE_NAMESPACE}`, port: PORT, servername: hostname, ca: cert },
        ...{ agent: false, method, path: pathname + search, headers },
      };
      const pod = ['--namespace', client.namespace, 'exec', client.pod];
      const answer = await kubectl.ask(
        ...[...pod, '--', 'node', '-e', CALL, JSON.stringify(options)],
      );
      return JSON.parse(answer) as EdgeAnswer;
    },
    async stop() {
      const whole = ['clusterrole', 'clusterrolebinding', 'gatewayclass'].map(
        (kind) => `${kind}/${NAME}`,
      );
      await kubectl.ask('delete', '--ignore-not-found', `namespace/${EDGE_NAMESPACE}`, ...whole);
    },
  };
}

/** Prints the answer to one call with the options of node's `https.request`. */
const CALL = `require('node:https').request(JSON.parse(process.argv[1]), (answer) => {
  let text = '';
  answer.setEncoding('utf8').on('data', (part) => (text += part));
  answer.on('end', () => console.log(JSON.stringify({ status: answer.statusCode, headers: answer.headers, text })));
}).end()`;

/** Its namespace, and what it may read of the cluster. */
function accountOf(): object[] {
  const watch = ['get', 'list', 'watch'];
  const metadata = { name: NAME };
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: EDGE_NAMESPACE } },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { ...metadata, namespace: EDGE_NAMESPACE },
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata,
      rules: [
        {
          apiGroups: [''],
          resources: ['namespaces', 'services', 'secrets', 'configmaps', 'nodes'],
          verbs: watch,
        },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: watch },
        { apiGroups: ['gateway.networking.k8s.io'], resources: ['*'], verbs: [...watch, 'update'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: NAME },
      subjects: [{ kind: 'ServiceAccount', name: NAME, namespace: EDGE_NAMESPACE }],
    },
  ];
}

function gatewaysOf(cert: string, key: string): object[] {
  const namespace = EDGE_NAMESPACE;
  const listener = {
    ...{ name: 'https', port: PORT, protocol: 'HTTPS' },
    tls: { mode: 'Terminate', certificateRefs: [{ name: 'edge' }] },
    allowedRoutes: { namespaces: { from: 'All' } },
  };
  const gateway = (name: string, hostname: string): object => ({
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'Gateway',
    metadata: { name, namespace },
    spec: { gatewayClassName: NAME, listeners: [{ ...listener, hostname }] },
  });
  return [
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'edge', namespace },
      type: 'kubernetes.io/tls',
      stringData: { 'tls.crt': cert, 'tls.key': key },
    },
    {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'GatewayClass',
      metadata: { name: NAME },
      spec: { controllerName: 'traefik.io/gateway-controller' },
    },
    gateway('public', '*.review.example'),
    gateway('apps', '*.review-apps.example.net'),
  ];
}

function deploymentOf(image: string): object[] {
  const labels = { app: NAME };
  const metadata = { name: NAME, namespace: EDGE_NAMESPACE };
  const service = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata,
    spec: { selector: labels, ports: [{ port: PORT }] },
  };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata,
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          serviceAccountName: NAME,
          terminationGracePeriodSeconds: 1,
          containers: [
            {
              ...{ name: 'edge', image, imagePullPolicy: 'IfNotPresent' },
              command: ['traefik'],
              args: [
                '--providers.kubernetesgateway',
                `--entrypoints.https.address=:${PORT}`,
                '--global.checknewversion=false',
                '--global.sendanonymoususage=false',
              ],
              resources: { requests: { cpu: '10m', memory: '64Mi' } },
              readinessProbe: { tcpSocket: { port: PORT }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  };
  return [deployment, service];
}
