import type { RequestHeaderOptions } from '@pintle/apiserver';
import type { ClusterTransport } from './cluster.ts';
import { askCluster } from './cluster.ts';

const CONFIG = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

export interface FrontProxy {
  /** How the cluster's server says who a user is, and how it proves to be that server. */
  readonly requestHeaders: RequestHeaderOptions;
  /** Authorities of client certificates, in PEM; empty when there are none. */
  readonly clientCa: string;
}

/** Whom a server that extends the cluster is to believe, as the cluster itself says. */
export async function readFrontProxy(cluster: ClusterTransport): Promise<FrontProxy> {
  const { status, body } = await askCluster(cluster, 'GET', CONFIG);
  if (status !== 200) throw new Error(`Cannot read whom to believe: the cluster answered ${status} for ${CONFIG}`);
  const { data = {} } = body as { data?: Readonly<Record<string, string>> };
  const authorities = data['requestheader-client-ca-file'] ?? '';
  if (authorities === '') {
    throw new Error(
      'Cannot believe the cluster: it has no front proxy. Start it with --proxy-client-cert-file and --requestheader-client-ca-file.',
    );
  }
  return {
    requestHeaders: {
      authorities,
      allowedNames: listIn(data['requestheader-allowed-names']),
      usernameHeaders: listIn(data['requestheader-username-headers']),
      uidHeaders: listIn(data['requestheader-uid-headers']),
      groupHeaders: listIn(data['requestheader-group-headers']),
      extraPrefixes: listIn(data['requestheader-extra-headers-prefix']),
    },
    clientCa: data['client-ca-file'] ?? '',
  };
}

function listIn(text: string | undefined): string[] {
  const value: unknown = text === undefined ? [] : JSON.parse(text);
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}
