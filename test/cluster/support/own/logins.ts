import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSIDE } from './enclosure.js';

/** User and groups of everybody who logs in. */
const LOGINS = {
  admin: ['admin', 'system:masters'],
  controllers: ['system:kube-controller-manager'],
  scheduler: ['system:kube-scheduler'],
  proxy: ['system:kube-proxy'],
  'node-a': ['system:node:node-a', 'system:nodes'],
  'node-b': ['system:node:node-b', 'system:nodes'],
} as const;
export type Login = keyof typeof LOGINS;

export const API = `https://${INSIDE}:6443`;

/** Writes the files that everybody logs in with, and the keys of tokens of service accounts. Gives the administrator's token. */
export function writeLogins(folder: string): string {
  const pki = join(folder, 'pki');
  const tokens = new Map(
    (Object.keys(LOGINS) as Login[]).map((login) => [login, randomBytes(32).toString('hex')]),
  );
  const lines = [...tokens].map(([login, token]) => {
    const [user, ...groups] = LOGINS[login];
    return `${token},${user},${login},"${groups.join(',')}"\n`;
  });
  writeFileSync(join(pki, 'tokens.csv'), lines.join(''), { mode: 0o600 });
  for (const [login, token] of tokens) {
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: 'test',
          // Made by the server when it starts, and its own authority.
          cluster: { server: API, 'certificate-authority': join(pki, 'apiserver.crt') },
        },
      ],
      users: [{ name: login, user: { token } }],
      contexts: [{ name: 'test', context: { cluster: 'test', user: login } }],
      'current-context': 'test',
    };
    writeFileSync(kubeconfigOf(folder, login), JSON.stringify(config), { mode: 0o600 });
  }
  const { privateKey, publicKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  writeFileSync(join(pki, 'accounts.key'), privateKey, { mode: 0o600 });
  writeFileSync(join(pki, 'accounts.pub'), publicKey);
  return tokens.get('admin') as string;
}

export function kubeconfigOf(folder: string, login: Login): string {
  return join(folder, `${login}.conf`);
}

/** Nodes log in with tokens, and the built-in binding is for certificates. */
export const NODE_RIGHTS = {
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'ClusterRoleBinding',
  metadata: { name: 'nodes-by-token' },
  subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:nodes' }],
  roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:node' },
};
