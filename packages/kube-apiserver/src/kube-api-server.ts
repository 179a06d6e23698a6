import { Aggregator } from '@pintle/aggregator';
import { DefinitionController } from '@pintle/apiextensions';
import type {
  ApiRequest,
  ApiResponse,
  ApiServerOptions,
  Authenticator,
  Authorizer,
  ClientCertificate,
  ServerPart,
  ServiceResolver,
  WebhookInterceptor,
} from '@pintle/apiserver';
import { ApiServer, authenticatorsOf } from '@pintle/apiserver';
import type { AdmissionPlugin } from '@pintle/apiserver/admission';
import { guardParameters, withReadOnlyOldObject } from '@pintle/apiserver/admission';
import { DiscoveryCatalog } from '@pintle/apiserver/discovery';
import { ServerMetrics } from '@pintle/apiserver/metrics';
import type { Health } from '@pintle/apiserver/paths';
import { LoopbackClient } from '@pintle/apiserver/request';
import { ResourceRegistry } from '@pintle/apiserver/resource';
import { beginHistory } from '@pintle/apiserver/storage';
import { clusterServices, WebhookClient } from '@pintle/apiserver/webhook';
import type { Clock, Eventual, Random } from '@pintle/async';
import type { Store } from '@pintle/store';
import { BuiltinPlugins } from './admission/builtin-plugins.ts';
import { alwaysPullImages } from './admission/plugins/always-pull-images.ts';
import { certificatePlugins } from './admission/plugins/certificate-plugins.ts';
import { denyExternalIps } from './admission/plugins/deny-external-ips.ts';
import { guardCreation } from './admission/plugins/guard-creation.ts';
import { guardGrants } from './admission/plugins/guard-grants.ts';
import { guardOwners } from './admission/plugins/guard-owners.ts';
import { nodeRestriction } from './admission/plugins/node-restriction.ts';
import type { AuthorizationMode } from './auth/authorization-mode.ts';
import { authorizerOf } from './auth/authorization-mode.ts';
import { NodeAuthorizer } from './auth/node/node-authorizer.ts';
import { RbacAuthorizer } from './auth/rbac/rbac-authorizer.ts';
import type { SecretTokenClaims } from './auth/tokens/account-claims.ts';
import type { AccountTokens } from './auth/tokens/account-tokens.ts';
import { signSecretToken } from './auth/tokens/account-tokens.ts';
import { LegacyTokenUse } from './auth/tokens/legacy-token-use.ts';
import type { ServiceAccountOptions } from './auth/tokens/service-account-options.ts';
import { accountTokensOf } from './auth/tokens/service-account-options.ts';
import type { BootstrapOptions } from './bootstrap/bootstrap.ts';
import { bootstrap, DEFAULT_PORT } from './bootstrap/bootstrap.ts';
import { FlowUpkeep } from './bootstrap/flow-upkeep.ts';
import { LeaseRenewal } from './bootstrap/lease-renewal.ts';
import { builtinLoader } from './builtin/builtin-loader.ts';
import { builtinVersions } from './builtin/builtin-versions.ts';
import { NODE_PORT_RANGE } from './builtin/special/node-port-ledger.ts';
import type { NodeConnector } from './nodes/node-connector.ts';
import { serveOpenId } from './openid.ts';

type Shared =
  | 'auditIds'
  | 'requestHeaders'
  | 'anonymous'
  | 'audit'
  | 'requestLog'
  | 'flow'
  | 'compactionIntervalMs'
  | 'historyMs'
  | 'isShardingEnabled'
  | 'responseMemory'
  | 'namespaceState'
  | 'paths'
  | 'hasUpkeep'
  | 'otherMetrics'
  | 'onError';

export interface KubeApiServerOptions extends Pick<ApiServerOptions, Shared> {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  readonly authenticator: Authenticator;
  /** Authorizers, in order; `system:masters` may always do everything. Default: RBAC. */
  readonly authorization?: readonly AuthorizationMode[];
  /** Default: tokens are signed with a key that is generated for this run. */
  readonly serviceAccounts?: ServiceAccountOptions;
  /** Replaces all authorizers. */
  readonly authorizer?: Authorizer;
  readonly bootstrap?: BootstrapOptions;
  /** Plugins that run after the built-in ones. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Names of built-in plugins to disable, such as `ServiceAccount`. */
  readonly disabledAdmission?: readonly string[];
  /**
   * Names of plugins that are disabled by default, as in kube-apiserver: `OwnerReferencesPermissionEnforcement`,
   * `DenyServiceExternalIPs`.
   */
  readonly enabledAdmission?: readonly string[];
  /** Resolves the services of webhooks and APIServices. Default: by the objects in the store. */
  readonly resolveService?: ServiceResolver;
  /** Intercepts calls of webhooks and may respond: for tests whose webhooks have no port. */
  readonly interceptWebhooks?: WebhookInterceptor;
  /** Client certificate for backends of aggregated APIs. Default: none, and they do not trust the user headers. */
  readonly proxyCertificate?: ClientCertificate;
  /** Connects to nodes, for logs and commands. Default: none. */
  readonly nodes?: NodeConnector;
}

/**
 * Kubernetes' API server: the generic server with built-in resources, custom resources, aggregated APIs, RBAC, the
 * admission plugins and the objects that every cluster has. The only place where they are put together.
 */
export class KubeApiServer {
  readonly #server: ApiServer;
  readonly #rbac: RbacAuthorizer;
  readonly #nodeAuthorizer: NodeAuthorizer | undefined;
  readonly #flowUpkeep: FlowUpkeep;
  readonly #accountTokens: AccountTokens;
  readonly #definitions: DefinitionController;
  readonly #aggregator: Aggregator;
  readonly #webhooks: WebhookClient;
  readonly #plugins: BuiltinPlugins;
  readonly #hasUpkeep: boolean;

  private constructor(options: KubeApiServerOptions) {
    const { store, clock, random, resolveService = clusterServices(store) } = options;
    const report = (path: string) => (error: unknown) => this.#server.reportError(error, path);
    const client = new LoopbackClient((request) => this.handle(request));
    this.#webhooks = new WebhookClient({
      clock,
      resolveService,
      ...(options.interceptWebhooks && { intercept: options.interceptWebhooks }),
    });
    const legacyUse = new LegacyTokenUse({ store, clock, client });
    this.#accountTokens = accountTokensOf({
      ...options,
      onLegacyUse: (namespace, secret) => {
        legacyUse.note(namespace, secret).catch(report(`secret ${namespace}/${secret}`));
      },
    });
    const authenticator = authenticatorsOf(options, [options.authenticator, this.#accountTokens]);
    const services = { authenticator, accountTokens: this.#accountTokens, nodes: options.nodes };
    const resources = new ResourceRegistry(builtinLoader(services));
    const catalog = new DiscoveryCatalog(builtinVersions());
    this.#definitions = new DefinitionController({
      store,
      clock,
      random,
      resources,
      catalog,
      client,
      webhooks: this.#webhooks,
      onError: (error, definition) => this.#server.reportError(error, `definition ${definition}`),
    });
    this.#aggregator = new Aggregator({
      store,
      clock,
      catalog,
      client,
      resolveService,
      proxyCertificate: options.proxyCertificate,
      onError: (error, name) => this.#server.reportError(error, `apiservice ${name}`),
    });
    this.#hasUpkeep = options.hasUpkeep ?? true;
    this.#flowUpkeep = new FlowUpkeep({ store, clock, client });
    const modes = options.authorization ?? ['RBAC'];
    this.#rbac = new RbacAuthorizer(store);
    this.#nodeAuthorizer = modes.includes('Node') ? new NodeAuthorizer(store) : undefined;
    const metrics = new ServerMetrics();
    const disabled = new Set(options.disabledAdmission);
    this.#plugins = new BuiltinPlugins({
      store,
      random,
      webhookDependencies: { client: this.#webhooks, metrics: metrics.webhooks },
      disabled,
    });
    this.#server = new ApiServer({
      ...options,
      authenticator,
      authorizer: options.authorizer ?? authorizerOf(modes, this.#rbac, this.#nodeAuthorizer),
      admission: this.#admission(options, catalog, disabled),
      resources,
      catalog,
      metrics,
      delegate: this.#aggregator,
      paths: [(state, path) => serveOpenId(this.#accountTokens, state, path), ...(options.paths ?? [])],
    });
  }

  /**
   * Resolves when the objects that every cluster has are in the store. Without upkeep, they are already there, and another
   * process keeps them.
   */
  static async open(options: KubeApiServerOptions): Promise<KubeApiServer> {
    const kube = new KubeApiServer(options);
    const server = kube.#server;
    if (options.hasUpkeep === false) {
      await server.start(kube.#parts());
      return kube;
    }
    const { store, clock, random, requestHeaders } = options;
    const seeds = { ...options.bootstrap, ...(requestHeaders && { requestHeaders }) };
    const isNew = (await store.count({ start: '' })) === 0;
    const { lease } = await bootstrap({ ...options, groups: server.catalog.groups }, seeds);
    if (store.isShared || (await store.get(NODE_PORT_RANGE)) !== undefined) {
      const { claimStoredNodePorts } = await import('./builtin/special/service-node-ports.ts');
      await claimStoredNodePorts(store);
    }
    await server.startPart({
      name: 'lease',
      work: new LeaseRenewal({ store, clock, lease, uuid: () => random.uuid() }),
    });
    const { advertiseAddress, port = DEFAULT_PORT } = seeds;
    if (store.isShared && advertiseAddress !== undefined) {
      const { ServerAddresses } = await import('./bootstrap/server-addresses.ts');
      const work = new ServerAddresses({ store, clock, uuid: () => random.uuid() }, advertiseAddress, port);
      await server.startPart({ name: 'addresses', work, until: 'stopping' });
    }
    const origin = isNew ? await beginHistory(store, clock) : undefined;
    await server.start(kube.#parts(), { origin });
    return kube;
  }

  get resources(): ResourceRegistry {
    return this.#server.resources;
  }

  /** Discovery of everything that the server serves. */
  get catalog(): DiscoveryCatalog {
    return this.#server.catalog;
  }

  get health(): Health {
    return this.#server.health;
  }

  /** Returns a token without expiry, to be stored in a Secret; it is valid as long as that Secret has it. */
  async signSecretToken(claims: SecretTokenClaims): Promise<string> {
    return await signSecretToken(await this.#accountTokens.keys(), claims);
  }

  /** Serves any request. Never rejects: errors become responses. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    return await this.#server.answer(request);
  }

  /** Like `handle`, but synchronous when nothing has to be awaited. */
  answer(request: ApiRequest): Eventual<ApiResponse> {
    return this.#server.answer(request);
  }

  /** Returns the text of one source of metrics, for the process that adds up those of all. */
  async metricsOf(source: string): Promise<string> {
    return await this.#server.metricsOf(source);
  }

  /** Makes `/readyz` fail and ends watches. Other requests are served as before. */
  beginShutdown(): void {
    this.#server.beginShutdown();
  }

  /** Resolves when the server's own work has stopped. The store may then be closed. */
  async close(): Promise<void> {
    await this.#server.close();
    await this.#webhooks.close();
  }

  /** Returns the plugins in Kubernetes' order. */
  #admission(
    options: KubeApiServerOptions,
    catalog: DiscoveryCatalog,
    disabled: ReadonlySet<string>,
  ): readonly AdmissionPlugin[] {
    return [
      guardCreation,
      ...this.#plugins.plugins,
      ...(options.admission ?? []).map(withReadOnlyOldObject),
      ...[nodeRestriction(options.store)].filter(({ name }) => !disabled.has(name)),
      ...[alwaysPullImages, guardOwners(catalog), denyExternalIps].filter(
        ({ name }) => options.enabledAdmission?.includes(name) && !disabled.has(name),
      ),
      guardParameters,
      ...certificatePlugins,
      ...this.#plugins.last,
      // After all plugins that change a role: it compares the role as it will be stored.
      guardGrants(this.#rbac),
    ];
  }

  #parts(): readonly ServerPart[] {
    return [
      { name: 'admission', work: this.#plugins },
      ...(this.#hasUpkeep ? [{ name: 'flow schemas', work: this.#flowUpkeep, until: 'stopping' as const }] : []),
      ...(this.#nodeAuthorizer === undefined ? [] : [{ name: 'nodes', work: this.#nodeAuthorizer }]),
      { name: 'roles', work: this.#rbac },
      { name: 'definitions', work: this.#definitions, until: 'stopping' },
      { name: 'aggregation', work: this.#aggregator },
    ];
  }
}
