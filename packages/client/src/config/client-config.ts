import { badConfig } from './fields.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';

/** Everything needed to talk to one server as one user. */
export interface ClientConfig {
  readonly cluster: KubeconfigCluster & { readonly server: string };
  readonly user: KubeconfigUser;
  /** Namespace for calls that name none. */
  readonly namespace: string;
  /** Name of the kubeconfig context; `undefined` in a pod. */
  readonly context?: string;
}

export interface ChooseOptions {
  /** Default: the current context of the kubeconfig. */
  readonly context?: string;
  /** Overrides the cluster of the context. */
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** Returns the configuration of a context. Throws a `ClientError` of code BadConfig when it is incomplete. */
export function chooseContext(kubeconfig: Kubeconfig, options: ChooseOptions = {}): ClientConfig {
  const name = options.context ?? kubeconfig.currentContext;
  if (name === undefined && options.cluster === undefined)
    throw badConfig(`no context is selected${offers(kubeconfig)}`);
  const context = name === undefined ? {} : kubeconfig.contexts.get(name);
  if (context === undefined) throw badConfig(`context ${JSON.stringify(name)} does not exist${offers(kubeconfig)}`);
  const clusterName = options.cluster ?? context.cluster;
  const userName = options.user ?? context.user;
  const cluster = clusterName === undefined ? undefined : kubeconfig.clusters.get(clusterName);
  if (cluster === undefined)
    throw badConfig(
      `context ${JSON.stringify(name)} refers to cluster ${JSON.stringify(clusterName)}, which does not exist`,
    );
  const user = userName === undefined ? {} : kubeconfig.users.get(userName);
  if (user === undefined)
    throw badConfig(`context ${JSON.stringify(name)} refers to user ${JSON.stringify(userName)}, which does not exist`);
  const { server } = cluster;
  if (server === undefined) throw badConfig(`cluster ${JSON.stringify(clusterName)} has no server`);
  check(cluster, `cluster ${JSON.stringify(clusterName)}`, user, `user ${JSON.stringify(userName)}`);
  return {
    cluster: { ...cluster, server },
    user,
    namespace: options.namespace ?? context.namespace ?? 'default',
    ...(name !== undefined && { context: name }),
  };
}

function offers({ contexts }: Kubeconfig): string {
  const names = [...contexts.keys()];
  return names.length === 0
    ? ': the kubeconfig has no contexts'
    : `: available contexts are ${names.slice(0, 20).join(', ')}`;
}

function check(cluster: KubeconfigCluster, clusterName: string, user: KubeconfigUser, userName: string): void {
  if (cluster.insecureSkipVerify && cluster.ca !== undefined)
    throw badConfig(`${clusterName} sets both a certificate authority and insecure-skip-tls-verify: set one of them`);
  if ((user.cert === undefined) !== (user.key === undefined))
    throw badConfig(
      `${userName} has a client ${user.cert ? 'certificate without a key' : 'key without a certificate'}`,
    );
  if ((user.token !== undefined || user.tokenFile !== undefined) && user.username !== undefined)
    throw badConfig(`${userName} sets both a token and a password: set one of them`);
  if (user.exec !== undefined && user.authProvider !== undefined)
    throw badConfig(`${userName} sets both an exec plugin and an auth-provider: set one of them`);
}
