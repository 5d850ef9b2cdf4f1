import { join } from 'node:path';
import { INSIDE, PODS } from './enclosure.js';
import { kubeconfigOf } from './logins.js';
import type { Login } from './logins.js';

const ETCD = 'http://127.0.0.1:2379';

/** The command lines of a control plane, whose data is in that folder, without their programs. */
export function etcdFlags(folder: string): string[] {
  return ['etcd', '--data-dir', join(folder, 'etcd'), '--unsafe-no-fsync'];
}

export function apiserverFlags(folder: string): string[] {
  const pki = join(folder, 'pki');
  return [
    'kube-apiserver',
    `--etcd-servers=${ETCD}`,
    `--advertise-address=${INSIDE}`,
    `--cert-dir=${pki}`,
    `--token-auth-file=${pki}/tokens.csv`,
    `--service-account-key-file=${pki}/accounts.pub`,
    `--service-account-signing-key-file=${pki}/accounts.key`,
    '--service-account-issuer=https://kubernetes.default.svc.cluster.local',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--authorization-mode=Node,RBAC',
    '--enable-admission-plugins=NodeRestriction',
    '--allow-privileged=true',
    // Otherwise `kubectl logs` asks DNS for names of nodes.
    '--kubelet-preferred-address-types=InternalIP',
  ];
}

export function controllerFlags(folder: string): string[] {
  const pki = join(folder, 'pki');
  return [
    'kube-controller-manager',
    ...loggedIn(folder, 'controllers'),
    `--root-ca-file=${pki}/apiserver.crt`,
    `--service-account-private-key-file=${pki}/accounts.key`,
    '--use-service-account-credentials=true',
    `--flex-volume-plugin-dir=${join(folder, 'volume-plugins')}`,
  ];
}

export function schedulerFlags(folder: string): string[] {
  return ['kube-scheduler', ...loggedIn(folder, 'scheduler')];
}

/** One for both nodes, which share their network. */
export function proxyFlags(folder: string): string[] {
  return [
    'kube-proxy',
    `--kubeconfig=${kubeconfigOf(folder, 'proxy')}`,
    '--proxy-mode=nftables',
    '--hostname-override=node-a',
    `--cluster-cidr=${PODS}`,
    '--conntrack-max-per-core=0',
  ];
}

function loggedIn(folder: string, login: Login): string[] {
  const kubeconfig = kubeconfigOf(folder, login);
  return [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--cert-dir=${join(folder, 'pki')}`,
    '--leader-elect=false',
  ];
}
