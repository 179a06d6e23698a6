import type { Clock } from '@pintle/async';
import type { Authenticator } from '../auth/authenticator.ts';
import { AuthenticatorChain } from '../auth/authenticator.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import type { RequestHeaderOptions } from '../auth/certificate-authenticator.ts';
import { CertificateAuthenticator, RequestHeaderAuthenticator } from '../auth/certificate-authenticator.ts';
import type { NamespaceState } from '../resource/endpoint.ts';
import type { ClusterTransport } from './cluster.ts';
import { ResponseCache, requestCluster } from './cluster.ts';
import { DelegatedAuthorizer, DelegatedTokens } from './delegated.ts';

/** Authentication, authorization and namespaces of a cluster, as options of an `ApiServer`. */
export interface Delegation {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly requestHeaders: RequestHeaderOptions;
  readonly namespaceState: NamespaceState;
  /** PEM certificates of the authorities of client certificates, for the listener. */
  readonly clientCa: string;
}

const CONFIG = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const NAMESPACE_MS = 5_000;

/**
 * Delegates authentication and authorization to a cluster, for servers behind its aggregator. Users come through the
 * cluster's front proxy, with certificates that the cluster accepts, or with tokens that it reviews. Rejects when the
 * cluster does not publish its authentication configuration.
 *
 *     const server = new ApiServer({ store, clock, random, ...(await delegateTo(cluster, { clock })) });
 */
export async function delegateTo(cluster: ClusterTransport, { clock }: { readonly clock: Clock }): Promise<Delegation> {
  const { requestHeaders, clientCa } = await readFrontProxy(cluster);
  return {
    authenticator: new AuthenticatorChain([
      new RequestHeaderAuthenticator(requestHeaders, clock),
      ...(clientCa === '' ? [] : [new CertificateAuthenticator({ authorities: clientCa, clock })]),
      new DelegatedTokens(cluster, clock),
    ]),
    authorizer: new DelegatedAuthorizer(cluster, clock),
    requestHeaders,
    namespaceState: namespacesOf(cluster, clock),
    clientCa: `${requestHeaders.authorities}\n${clientCa}`,
  };
}

interface FrontProxy {
  /** Headers in which the cluster's server passes on a user, and the certificates that prove it. */
  readonly requestHeaders: RequestHeaderOptions;
  /** PEM certificates of the authorities of client certificates; empty when there are none. */
  readonly clientCa: string;
}

async function readFrontProxy(cluster: ClusterTransport): Promise<FrontProxy> {
  const { status, body } = await requestCluster(cluster, 'GET', CONFIG);
  if (status !== 200)
    throw new Error(`Cannot read the authentication configuration: the cluster responded ${status} for ${CONFIG}`);
  const { data = {} } = body as { data?: Readonly<Record<string, string>> };
  const authorities = data['requestheader-client-ca-file'] ?? '';
  if (authorities === '') {
    throw new Error(
      'Cannot delegate authentication: the cluster has no front proxy. Start it with --proxy-client-cert-file and --requestheader-client-ca-file.',
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

/** Caches namespaces that exist for a short time. */
function namespacesOf(cluster: ClusterTransport, clock: Clock): NamespaceState {
  const known = new ResponseCache<'Active' | 'Terminating'>(clock, NAMESPACE_MS);
  return async (name) =>
    await known.get(name, async () => {
      const { status, body } = await requestCluster(cluster, 'GET', `/api/v1/namespaces/${encodeURIComponent(name)}`);
      if (status === 404) return undefined;
      if (status !== 200) throw new Error(`Cannot read namespace ${name}: the cluster responded ${status}`);
      const { phase } = (body as { status?: { phase?: string } }).status ?? {};
      return phase === 'Terminating' ? 'Terminating' : 'Active';
    });
}
