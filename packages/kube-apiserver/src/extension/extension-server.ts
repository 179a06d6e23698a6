import type { ApiRequest, ApiResponse } from '@pintle/apiserver';
import { AuthenticatorChain, CertificateAuthenticator, HttpsListener, inProcess } from '@pintle/apiserver';
import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import { LOOPBACK } from '@pintle/apiserver/request';
import type { Clock, Random } from '@pintle/async';
import { deferred, realClock, systemRandom } from '@pintle/async';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KeyPair } from '@pintle/pki';
import type { Store } from '@pintle/store';
import type { KubeApiServerOptions } from '../kube-api-server.ts';
import { KubeApiServer } from '../kube-api-server.ts';
import type { ClusterTransport } from './cluster.ts';
import { askCluster } from './cluster.ts';
import { DelegatedAuthorizer, DelegatedTokens } from './delegated.ts';
import type { ExtensionKind } from './extension-kind.ts';
import { definitionOf } from './extension-kind.ts';
import type { FrontProxy } from './front-proxy.ts';
import { readFrontProxy } from './front-proxy.ts';
import { kindAdmission } from './kind-admission.ts';
import { ShortMemory } from './short-memory.ts';

export interface ExtensionOptions {
  /** The cluster that is extended. It says who users are, what they may do and which namespaces there are. */
  readonly cluster: ClusterTransport;
  readonly group: string;
  readonly version: string;
  readonly kinds: readonly ExtensionKind[];
  /** Where objects are kept that are not computed. */
  readonly store: Store;
  /** The service in the cluster that leads to this server. */
  readonly service: ExtensionService;
  /** Look at every write after the server's own plugins. */
  readonly admission?: readonly AdmissionPlugin[];
  readonly clock?: Clock;
  readonly random?: Random;
  readonly onError?: KubeApiServerOptions['onError'];
}

export interface ExtensionService {
  readonly namespace: string;
  readonly name: string;
  /** Default 443. */
  readonly port?: number;
}

export interface ExtensionListenOptions {
  /** Default 127.0.0.1. */
  readonly host?: string;
  /** Default 0: any free port. */
  readonly port?: number;
  /** Default: one that this server makes for itself, which `register` tells the cluster of. */
  readonly serving?: KeyPair & { readonly authority: string };
}

const SERVING_DAYS = 365;
const NAMESPACE_MS = 5_000;

/**
 * A server of an API of one's own behind a cluster's: `kubectl get` and every other client find its kinds among the
 * cluster's, with the cluster's users and roles.
 *
 *     await using server = await ExtensionServer.open({ cluster, group, version, kinds, store, service });
 *     await server.listen({ port: 8443 });
 *     await server.register();
 */
export class ExtensionServer implements AsyncDisposable {
  readonly #options: ExtensionOptions;
  readonly #api: KubeApiServer;
  readonly #proxy: FrontProxy;
  #listener: HttpsListener | undefined;
  #authority = '';

  private constructor(options: ExtensionOptions, api: KubeApiServer, proxy: FrontProxy) {
    this.#options = options;
    this.#api = api;
    this.#proxy = proxy;
  }

  /** Rejects when the cluster does not say whom to believe. */
  static async open(options: ExtensionOptions): Promise<ExtensionServer> {
    const { cluster, store, clock = realClock, random = systemRandom, group, kinds } = options;
    const proxy = await readFrontProxy(cluster);
    const { clientCa, requestHeaders } = proxy;
    const api = await KubeApiServer.open({
      store,
      clock,
      random,
      authenticator: new AuthenticatorChain([
        ...(clientCa === '' ? [] : [new CertificateAuthenticator({ authorities: clientCa, clock })]),
        new DelegatedTokens(cluster, clock),
      ]),
      authorizer: new DelegatedAuthorizer(cluster, clock),
      requestHeaders,
      // Each limits or fills in kinds that are the cluster's own.
      disabledAdmission: ['ServiceAccount', 'ResourceQuota', 'LimitRanger', 'PodSecurity'],
      admission: [kindAdmission(group, kinds), ...(options.admission ?? [])],
      namespaceState: namespacesOf(cluster, clock),
      ...(options.onError && { onError: options.onError }),
    });
    const server = new ExtensionServer(options, api, proxy);
    try {
      await server.#serveKinds();
      return server;
    } catch (error) {
      await api.close();
      throw error;
    }
  }

  /** Answers a request without a socket. */
  handle(request: ApiRequest): Promise<ApiResponse> {
    return this.#api.handle(request);
  }

  /** The port that is listened on; 0 before `listen`. */
  get port(): number {
    return this.#listener?.port ?? 0;
  }

  async listen({ host, port, serving }: ExtensionListenOptions = {}): Promise<void> {
    const { certificate, privateKey, authority } = serving ?? (await this.#makeServing());
    this.#authority = authority;
    this.#listener = await HttpsListener.listen({
      handle: (request) => this.#api.answer(request),
      certificate,
      privateKey,
      clientCa: `${this.#proxy.requestHeaders.authorities}\n${this.#proxy.clientCa}`,
      ...(host && { host }),
      ...(port !== undefined && { port }),
    });
  }

  /** Tells the cluster that the API is served here. The service is the caller's to make. */
  async register({ groupPriorityMinimum = 1_000, versionPriority = 15 } = {}): Promise<void> {
    const { cluster, group, version, service } = this.#options;
    const name = `${version}.${group}`;
    const caBundle = Buffer.from(this.#authority).toString('base64');
    const spec = { group, version, groupPriorityMinimum, versionPriority, service: { ...service }, caBundle };
    const body = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec };
    const path = `/apis/apiregistration.k8s.io/v1/apiservices/${name}`;
    const query = 'fieldManager=pintle-extension&force=true';
    const contentType = 'application/apply-patch+yaml';
    const { status, body: answer } = await askCluster(cluster, 'PATCH', path, { body, query, contentType });
    if (status >= 300) throw new Error(`Cannot register ${name}: ${String(answer.message ?? status)}`);
  }

  /** Lets requests in flight finish. The store stays open. */
  async close(): Promise<void> {
    this.#api.beginShutdown();
    await this.#listener?.close({ graceMs: 5_000 });
    await this.#api.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #makeServing(): Promise<KeyPair & { readonly authority: string }> {
    const { createAuthority, issueCertificate } = await import('@pintle/pki');
    const { service, clock = realClock } = this.#options;
    const hosts = [`${service.name}.${service.namespace}.svc`];
    // The authority needs a name of its own: a certificate with its issuer's name would sign for itself.
    const authority = await createAuthority(`${hosts[0]} authority`, SERVING_DAYS, clock.now());
    const spec = { commonName: hosts[0]!, hosts, usage: 'server' as const, days: SERVING_DAYS };
    return { ...(await issueCertificate(authority, spec, clock.now())), authority: authority.certificate };
  }

  /** Resolves once all kinds are served. */
  async #serveKinds(): Promise<void> {
    const { group, version, kinds } = this.#options;
    for (const kind of kinds) await this.#define(definitionOf(group, version, kind));
    const isServed = (): boolean =>
      kinds.every(({ plural }) => this.#api.resources.has({ group, version, resource: plural }));
    const served = deferred();
    using _subscription = this.#api.catalog.subscribe(() => isServed() && served.resolve());
    if (!isServed()) await served.promise;
    await this.#serveComputed();
  }

  async #define(definition: CustomResourceDefinition): Promise<void> {
    const cluster: ClusterTransport = { send: inProcess(this.#api, LOOPBACK) };
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${definition.metadata.name}`;
    const query = 'fieldManager=pintle-extension&force=true';
    const contentType = 'application/apply-patch+yaml';
    const { status, body } = await askCluster(cluster, 'PATCH', path, { body: definition, query, contentType });
    if (status >= 300) throw new Error(`Cannot serve ${definition.metadata.name}: ${String(body.message ?? status)}`);
  }

  /** Puts what is computed in the place of what would be kept, and says so in discovery. */
  async #serveComputed(): Promise<void> {
    const { group, version, kinds } = this.#options;
    const { computedEndpoints } = await import('./computed-endpoints.ts');
    const computed = new Set<string>();
    for (const { plural, computed: objects } of kinds) {
      if (objects === undefined) continue;
      const kept = await this.#api.resources.find({ group, version, resource: plural });
      const { shape: _shape, ...rest } = kept!;
      this.#api.resources.add({
        ...rest,
        verbs: new Set(['get', 'list']),
        subresources: new Map(),
        endpoints: computedEndpoints(objects),
      });
      computed.add(plural);
    }
    const told = this.#api.catalog.local({ group, version });
    if (told === undefined || computed.size === 0) return;
    const resources = told.resources.map((resource) =>
      computed.has(resource.resource) ? { ...resource, verbs: ['get', 'list'], subresources: [] } : resource,
    );
    this.#api.catalog.put({ ...told, resources });
  }
}

/** What the cluster says of a namespace; one that was there lately is taken to be there still. */
function namespacesOf(cluster: ClusterTransport, clock: Clock): NonNullable<KubeApiServerOptions['namespaceState']> {
  const known = new ShortMemory<'Active' | 'Terminating'>(clock, NAMESPACE_MS);
  return async (name) =>
    await known.of(name, async () => {
      const { status, body } = await askCluster(cluster, 'GET', `/api/v1/namespaces/${encodeURIComponent(name)}`);
      if (status === 404) return undefined;
      if (status !== 200) throw new Error(`Cannot look for the namespace ${name}: the cluster answered ${status}`);
      const { phase } = (body as { status?: { phase?: string } }).status ?? {};
      return phase === 'Terminating' ? 'Terminating' : 'Active';
    });
}
