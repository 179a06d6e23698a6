import { bad } from './fields.ts';
import type { Kubeconfig, KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';

/** Everything needed to talk to one server as one user. */
export interface ClientConfig {
  readonly cluster: KubeconfigCluster & { readonly server: string };
  readonly user: KubeconfigUser;
  /** Where objects live whose namespace nobody says. */
  readonly namespace: string;
  /** The context it comes from; `undefined` in a pod. */
  readonly context?: string;
}

export interface ChooseOptions {
  /** Default: the kubeconfig's current one. */
  readonly context?: string;
  /** In place of the context's own. */
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** The configuration a context stands for. */
export function chooseContext(kubeconfig: Kubeconfig, options: ChooseOptions = {}): ClientConfig {
  const name = options.context ?? kubeconfig.currentContext;
  if (name === undefined && options.cluster === undefined) throw bad(`no context is chosen${offers(kubeconfig)}`);
  const context = name === undefined ? {} : kubeconfig.contexts.get(name);
  if (context === undefined) throw bad(`there is no context ${JSON.stringify(name)}${offers(kubeconfig)}`);
  const clusterName = options.cluster ?? context.cluster;
  const userName = options.user ?? context.user;
  const cluster = clusterName === undefined ? undefined : kubeconfig.clusters.get(clusterName);
  if (cluster === undefined)
    throw bad(`context ${JSON.stringify(name)} needs the cluster ${JSON.stringify(clusterName)}`);
  const user = userName === undefined ? {} : kubeconfig.users.get(userName);
  if (user === undefined) throw bad(`context ${JSON.stringify(name)} needs the user ${JSON.stringify(userName)}`);
  const { server } = cluster;
  if (server === undefined) throw bad(`cluster ${JSON.stringify(clusterName)} has no server`);
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
  return names.length === 0 ? ': the configuration has none' : `: there are ${names.slice(0, 20).join(', ')}`;
}

function check(cluster: KubeconfigCluster, clusterName: string, user: KubeconfigUser, userName: string): void {
  if (cluster.insecureSkipVerify && cluster.ca !== undefined)
    throw bad(`${clusterName} has a certificate authority and is not to be verified: say one of them`);
  if ((user.cert === undefined) !== (user.key === undefined))
    throw bad(`${userName} has a client ${user.cert ? 'certificate without a key' : 'key without a certificate'}`);
  if ((user.token !== undefined || user.tokenFile !== undefined) && user.username !== undefined)
    throw bad(`${userName} has a token and a password: say one of them`);
  if (user.exec !== undefined && user.authProvider !== undefined)
    throw bad(`${userName} has an exec plugin and an auth-provider: say one of them`);
}
