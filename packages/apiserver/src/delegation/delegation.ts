import type { Clock } from '@pintle/async';
import type { Authenticator } from '../auth/authenticator.ts';
import { AuthenticatorChain } from '../auth/authenticator.ts';
import type { Authorizer } from '../auth/authorizer.ts';
import type { RequestHeaderOptions } from '../auth/certificate-authenticator.ts';
import { CertificateAuthenticator, RequestHeaderAuthenticator } from '../auth/certificate-authenticator.ts';
import type { NamespaceState } from '../resource/endpoint.ts';
import type { ClusterTransport } from './cluster.ts';
import { AnswerCache, askCluster } from './cluster.ts';
import { DelegatedAuthorizer, DelegatedTokens } from './delegated.ts';

/** The cluster's answers to who users are, what they may do and which namespaces there are: options of an `ApiServer`. */
export interface Delegation {
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  readonly requestHeaders: RequestHeaderOptions;
  readonly namespaceState: NamespaceState;
  /** Authorities of the certificates that clients show, in PEM: for the listener. */
  readonly clientCa: string;
}

const CONFIG = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
const NAMESPACE_MS = 5_000;

/**
 * For servers behind a cluster's own: has the cluster decide for them. Users come by the cluster's front proxy, by
 * certificates that the cluster takes, or by tokens that it reviews. Rejects when the cluster does not say whom to believe.
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
  /** How the cluster's server says who a user is, and how it proves to be that server. */
  readonly requestHeaders: RequestHeaderOptions;
  /** Authorities of client certificates, in PEM; empty when there are none. */
  readonly clientCa: string;
}

async function readFrontProxy(cluster: ClusterTransport): Promise<FrontProxy> {
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

/** A namespace that was there lately is taken to be there still. */
function namespacesOf(cluster: ClusterTransport, clock: Clock): NamespaceState {
  const known = new AnswerCache<'Active' | 'Terminating'>(clock, NAMESPACE_MS);
  return async (name) =>
    await known.get(name, async () => {
      const { status, body } = await askCluster(cluster, 'GET', `/api/v1/namespaces/${encodeURIComponent(name)}`);
      if (status === 404) return undefined;
      if (status !== 200) throw new Error(`Cannot look for the namespace ${name}: the cluster answered ${status}`);
      const { phase } = (body as { status?: { phase?: string } }).status ?? {};
      return phase === 'Terminating' ? 'Terminating' : 'Active';
    });
}
