import type { Clock, Eventual, Random, Runnable } from '@pintle/async';
import { after, attempt } from '@pintle/async';
import type { Store } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { AdmissionPlugin } from './admission/admission.ts';
import { AdmissionChain } from './admission/admission.ts';
import { BuiltinPlugins } from './admission/builtin-plugins.ts';
import { withFrozenPast } from './admission/frozen-past.ts';
import { alwaysPullImages } from './admission/plugins/always-pull-images.ts';
import { denyExternalIps } from './admission/plugins/deny-external-ips.ts';
import { guardParameters } from './admission/policies/guard-parameters.ts';
import type { ProxyClientCertificate, RemoteApi } from './aggregation/index.ts';
import { Aggregator } from './aggregation/index.ts';
import type { AuditOptions } from './audit/audit-stage.ts';
import { auditRefusal, auditStage } from './audit/audit-stage.ts';
import type { AnonymousAccess } from './auth/anonymous.ts';
import { withPublicPathsOnly } from './auth/anonymous.ts';
import { authenticateStage, isStranger } from './auth/authenticate-stage.ts';
import type { Authenticator } from './auth/authenticator.ts';
import { AuthenticatorChain } from './auth/authenticator.ts';
import type { AuthorizationMode } from './auth/authorization-mode.ts';
import { authorizerOf } from './auth/authorization-mode.ts';
import { authorizeStage } from './auth/authorize-stage.ts';
import type { Authorizer } from './auth/authorizer.ts';
import { certificatePlugins } from './auth/certificates/certificate-plugins.ts';
import { guardCreation } from './auth/guard-creation.ts';
import { guardOwners } from './auth/guard-owners.ts';
import { impersonateStage } from './auth/impersonation/impersonate-stage.ts';
import { NodeAuthorizer } from './auth/node/node-authorizer.ts';
import { nodeRestriction } from './auth/node/node-restriction.ts';
import { guardGrants } from './auth/rbac/guard-grants.ts';
import { RbacAuthorizer } from './auth/rbac/rbac-authorizer.ts';
import type { RequestHeaderOptions } from './auth/request-header-authenticator.ts';
import { identityHeaders, RequestHeaderAuthenticator } from './auth/request-header-authenticator.ts';
import type { AccountTokens } from './auth/tokens/account-tokens.ts';
import { LegacyTokenUse } from './auth/tokens/legacy-token-use.ts';
import type { ServiceAccountOptions } from './auth/tokens/service-account-options.ts';
import { accountTokensOf } from './auth/tokens/service-account-options.ts';
import { ANONYMOUS } from './auth/user-info.ts';
import type { BootstrapOptions } from './bootstrap/bootstrap.ts';
import { bootstrap } from './bootstrap/bootstrap.ts';
import { LeaseRenewal } from './bootstrap/lease-renewal.ts';
import { DefinitionController } from './crd/definition-controller.ts';
import { builtinVersions } from './discovery/builtin-versions.ts';
import { DiscoveryCatalog } from './discovery/catalog.ts';
import { FlowControl } from './flow/flow-control.ts';
import type { FlowOptions } from './flow/flow-stage.ts';
import { FLOW_DEFAULTS, flowStage } from './flow/flow-stage.ts';
import { FlowUpkeep } from './flow/flow-upkeep.ts';
import { WorkEstimator } from './flow/work-estimate.ts';
import { compressStage } from './http/compress-stage.ts';
import type { ApiRequest, ApiResponse } from './http/exchange.ts';
import { headerOf, textResponse } from './http/exchange.ts';
import type { ResponseMemoryOptions } from './http/response-memory.ts';
import { ResponseMemory } from './http/response-memory.ts';
import { responseMemoryStage } from './http/response-memory-stage.ts';
import { isUnexpected, statusResponse } from './http/status.ts';
import { metricsStage } from './metrics/metrics-stage.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import type { NodeConnector } from './nodes/node-connector.ts';
import { Health } from './paths/health.ts';
import type { PathSources } from './paths/paths.ts';
import { incompletePath, pageNotFound, servePath } from './paths/paths.ts';
import { builtinLoader } from './registry/builtin-loader.ts';
import type { Foundation, NamespaceState } from './registry/endpoint.ts';
import type { serveResource } from './registry/endpoints.ts';
import { ResourceRegistry } from './registry/resource-registry.ts';
import { Warnings } from './registry/warnings.ts';
import { deadlineStage } from './request/deadline-stage.ts';
import { LoopbackClient } from './request/loopback-client.ts';
import type { Next, RequestState } from './request/pipeline.ts';
import { compose } from './request/pipeline.ts';
import type { RequestInfo } from './request/request-info.ts';
import { decodePath, IncompletePath, MalformedPath } from './request/request-info.ts';
import { RequestTargets } from './request/request-target.ts';
import { shutdownStage } from './request/shutdown-stage.ts';
import { beginHistory, HistoryKeeper } from './storage/history-keeper.ts';
import type { ServiceResolver, WebhookInterceptor } from './webhook/index.ts';
import { clusterServices, WebhookClient } from './webhook/index.ts';

/** What a token that is kept in a Secret is for. */
export interface SecretTokenClaims {
  readonly namespace: string;
  readonly secret: string;
  readonly account: { readonly name: string; readonly uid: string };
}

export interface ApiServerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Where requests that bring no id get one from. Default: `random`. Apart, what is asked changes no uid. */
  readonly auditIds?: Pick<Random, 'uuid'>;
  readonly authenticator: Authenticator;
  /** Who may do what; `system:masters` may always do everything. Default: what roles say. */
  readonly authorization?: readonly AuthorizationMode[];
  /** How tokens of service accounts are signed. Default: with a key that is made for this run. */
  readonly serviceAccounts?: ServiceAccountOptions;
  /** Decides in the place of all that. */
  readonly authorizer?: Authorizer;
  /** Proxies that say who somebody is. Default: none is believed. */
  readonly requestHeaders?: RequestHeaderOptions;
  /** Default: `public`. */
  readonly anonymous?: AnonymousAccess;
  /** Default: nothing is audited. */
  readonly audit?: AuditOptions;
  readonly flow?: FlowOptions;
  /** How much memory answers may hold. */
  readonly responseMemory?: ResponseMemoryOptions;
  readonly bootstrap?: BootstrapOptions;
  /** Look at every write after the server's own plugins. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Names of the server's own plugins that stay out: `ServiceAccount`. */
  readonly disabledAdmission?: readonly string[];
  /** Names of those that stay out unless asked for, as in kube-apiserver: `OwnerReferencesPermissionEnforcement`, `DenyServiceExternalIPs`. */
  readonly enabledAdmission?: readonly string[];
  /** Where the services are that webhooks and APIServices name. Default: as the objects in the store say. */
  readonly resolveService?: ServiceResolver;
  /** Sees every question to a webhook and may answer it: for tests whose webhooks have no port. */
  readonly interceptWebhooks?: WebhookInterceptor;
  /** What this server shows to the servers of other APIs. Default: nothing, and they will not believe who a user is. */
  readonly proxyCertificate?: ProxyClientCertificate;
  /** The way to what runs on nodes: logs, commands. Default: there is none. */
  readonly nodes?: NodeConnector;
  /** Who knows which namespaces there are, where that is another server. Default: those in the store. */
  readonly namespaceState?: NamespaceState;
  /** Told of errors that no request can explain, once each. */
  readonly onError?: (error: unknown, request: { readonly auditId: string; readonly path: string }) => void;
}

/**
 * Kubernetes' API over a store. Sockets, tests and other parts of the process all come through `handle`:
 *
 *     request info ► deadline ► authenticate ► audit ► impersonate ► memory ► flow control ► authorize ► endpoint
 */
export class ApiServer {
  readonly resources = new ResourceRegistry(builtinLoader);
  /** What clients are told the server offers. */
  readonly catalog = new DiscoveryCatalog(builtinVersions());
  readonly health: Health;
  readonly #options: ApiServerOptions;
  readonly #pathSources: PathSources;
  readonly #rbac: RbacAuthorizer;
  readonly #nodeAuthorizer: NodeAuthorizer | undefined;
  /** Absent where plain limits hold. */
  readonly #flow: FlowControl | undefined;
  readonly #flowUpkeep: FlowUpkeep;
  readonly #accountTokens: AccountTokens;
  readonly #foundation: Foundation;
  readonly #targets = new RequestTargets();
  readonly #pipeline: Next;
  readonly #stopping = new AbortController();
  /** Aborts when no further request will be answered, which is after watches have ended. */
  readonly #closing = new AbortController();
  readonly #definitions: DefinitionController;
  readonly #aggregator: Aggregator;
  readonly #webhooks: WebhookClient;
  readonly #plugins: BuiltinPlugins;
  readonly #background: Promise<void>[] = [];
  /** Loaded with the first request for a resource. */
  #serveResource: typeof serveResource | undefined;
  #isWarming = false;

  private constructor(options: ApiServerOptions) {
    this.#options = options;
    const { resolveService = clusterServices(options.store) } = options;
    this.#webhooks = new WebhookClient({
      clock: options.clock,
      resolveService,
      ...(options.interceptWebhooks && { intercept: options.interceptWebhooks }),
    });
    const client = new LoopbackClient((request) => this.handle(request));
    const legacyUse = new LegacyTokenUse({ ...options, client });
    const noteUse = (namespace: string, secret: string): void => {
      const path = `secret ${namespace}/${secret}`;
      legacyUse.note(namespace, secret).catch((error: unknown) => options.onError?.(error, { auditId: '', path }));
    };
    this.#accountTokens = accountTokensOf({ ...options, onLegacyUse: noteUse });
    const { catalog } = this;
    const metrics = new ServerMetrics();
    metrics.followStore(options.store);
    this.health = new Health({ ...options, onCheck: (type, name, isOk) => metrics.checked(type, name, isOk) });
    this.#pathSources = {
      startedMs: options.clock.now(),
      ...options,
      catalog,
      metrics,
      health: this.health,
      accountTokens: this.#accountTokens,
    };
    this.#definitions = new DefinitionController({
      store: options.store,
      clock: options.clock,
      resources: this.resources,
      catalog: this.catalog,
      client,
      webhooks: this.#webhooks,
      random: options.random,
      onError: (error, definition) => options.onError?.(error, { auditId: '', path: `definition ${definition}` }),
    });
    this.#aggregator = new Aggregator({
      store: options.store,
      clock: options.clock,
      catalog: this.catalog,
      client,
      resolveService,
      proxyCertificate: options.proxyCertificate,
      onError: (error, name) => options.onError?.(error, { auditId: '', path: `apiservice ${name}` }),
    });
    const { anonymous = 'public' } = options;
    this.#rbac = new RbacAuthorizer(options.store);
    const modes = options.authorization ?? ['RBAC'];
    this.#nodeAuthorizer = modes.includes('Node') ? new NodeAuthorizer(options.store) : undefined;
    const chosen = options.authorizer ?? authorizerOf(modes, this.#rbac, this.#nodeAuthorizer);
    const authorizer = anonymous === 'public' ? withPublicPathsOnly(chosen) : chosen;
    const { clock, store, random } = options;
    const audit = options.audit && metrics.audit.counted(options.audit);
    const authenticator = new AuthenticatorChain([
      ...(options.requestHeaders ? [new RequestHeaderAuthenticator(options.requestHeaders, clock)] : []),
      options.authenticator,
      this.#accountTokens,
    ]);
    const disabled = new Set(options.disabledAdmission);
    this.#plugins = new BuiltinPlugins({
      store,
      random,
      asking: { client: this.#webhooks, metrics: metrics.webhooks },
      disabled,
    });
    const admission = new AdmissionChain([
      guardCreation,
      ...this.#plugins.plugins,
      ...(options.admission ?? []).map(withFrozenPast),
      ...[nodeRestriction(store)].filter(({ name }) => !disabled.has(name)),
      ...[alwaysPullImages, guardOwners(catalog), denyExternalIps].filter(
        ({ name }) => options.enabledAdmission?.includes(name) && !disabled.has(name),
      ),
      guardParameters,
      ...certificatePlugins,
      ...this.#plugins.last,
      // Behind all that change a role: what is compared is what will be stored.
      guardGrants(this.#rbac),
    ]);
    const responseMemory = new ResponseMemory({ ...options.responseMemory, clock });
    metrics.responseMemory = responseMemory;
    this.#foundation = {
      store,
      clock,
      random,
      responseMemory,
      resources: this.resources,
      authenticator,
      authorizer: chosen,
      accountTokens: this.#accountTokens,
      admission,
      nodes: options.nodes,
      namespaceState: options.namespaceState,
      onDamaged: (error) => options.onError?.(error, { auditId: '', path: 'list' }),
    };
    const { isFair = true, maxReadOnly, maxMutating } = { ...FLOW_DEFAULTS, ...options.flow };
    const seats = maxReadOnly + maxMutating;
    this.#flow = isFair ? new FlowControl({ store, clock, metrics: metrics.flow, seats }) : undefined;
    this.#flowUpkeep = new FlowUpkeep({ store, clock, client });
    const estimator = new WorkEstimator({ store, clock, catalog });
    this.#pipeline = compose(
      [
        metricsStage({ metrics, catalog, clock }),
        compressStage,
        deadlineStage(clock),
        authenticateStage({
          authenticator,
          anonymous,
          isIdentity: identityHeaders(options.requestHeaders),
          onRefused: audit && ((state) => auditRefusal(audit, clock, state)),
        }),
        ...(audit === undefined ? [] : [auditStage(audit, clock)]),
        impersonateStage(authorizer),
        responseMemoryStage(responseMemory),
        flowStage(options.flow, this.#flow && { control: this.#flow, estimator }),
        authorizeStage(authorizer),
        shutdownStage(this.#stopping.signal),
      ],
      (state) => this.#serve(state),
    );
  }

  /** Resolves once the objects that every server has are in the store. */
  static async open(options: ApiServerOptions): Promise<ApiServer> {
    const server = new ApiServer(options);
    const { store, clock, random, requestHeaders } = options;
    const seeds = { ...options.bootstrap, ...(requestHeaders && { requestHeaders }) };
    const isNew = (await store.count({ start: '' })) === 0;
    const { lease } = await bootstrap({ ...options, groups: server.catalog.groups }, seeds);
    const renewal = new LeaseRenewal({ store, clock, lease, uuid: () => random.uuid() });
    server.#start('lease', renewal, server.#closing.signal);
    const origin = isNew ? await beginHistory(store, clock) : undefined;
    await server.#plugins.load();
    server.#start('admission', server.#plugins, server.#closing.signal);
    await server.#flow?.load();
    if (server.#flow !== undefined) server.#start('flow control', server.#flow, server.#closing.signal);
    await server.#flowUpkeep.load();
    server.#start('flow schemas', server.#flowUpkeep, server.#stopping.signal);
    if (server.#nodeAuthorizer !== undefined) {
      await server.#nodeAuthorizer.load();
      server.#start('nodes', server.#nodeAuthorizer, server.#closing.signal);
    }
    await server.#rbac.load();
    server.#start('roles', server.#rbac, server.#closing.signal);
    await server.#definitions.load();
    server.#start('definitions', server.#definitions, server.#stopping.signal);
    await server.#aggregator.load();
    server.#start('aggregation', server.#aggregator, server.#closing.signal);
    server.#start('history', new HistoryKeeper(options, origin), server.#closing.signal);
    server.#tellOfDamage();
    server.health.markStarted();
    return server;
  }

  /** A token without an end, to be kept in a Secret; it counts for as long as that Secret holds it. */
  async signSecretToken({ namespace, account, secret }: SecretTokenClaims): Promise<string> {
    return await this.#accountTokens.sign({
      namespace,
      account,
      secret: { name: secret, uid: '' },
      audiences: [],
      isLegacy: true,
    });
  }

  /** Answers any request. Never rejects: what goes wrong becomes an answer. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    return await this.answer(request);
  }

  /** As `handle`; at once when nothing has to be waited for. */
  answer(request: ApiRequest): Eventual<ApiResponse> {
    const auditId = auditIdOf(request) ?? (this.#options.auditIds ?? this.#options.random).uuid();
    const warnings = new Warnings();
    const answerHeaders: Record<string, string> = {};
    return after(this.#answer(request, auditId, warnings, answerHeaders), (response) => {
      for (const name in answerHeaders) response.headers[name] = answerHeaders[name]!;
      response.headers['audit-id'] = auditId;
      response.headers['cache-control'] ??= 'no-cache, private';
      const texts = warnings.toHeaders();
      if (texts.length > 0) response.headers.warning = texts;
      return response;
    });
  }

  /** From now on `/readyz` fails and watches end. Other requests are answered as before. */
  beginShutdown(): void {
    this.health.markShuttingDown();
    this.#stopping.abort(new Error('The server is stopping'));
  }

  /** Resolves once the server's own work has stopped. The store may then be closed. */
  async close(): Promise<void> {
    this.beginShutdown();
    this.#closing.abort(new Error('The server is closed'));
    await Promise.all(this.#background);
    await this.#webhooks.close();
  }

  /** Called with each damaged object that an answer leaves out. */
  #tellOfDamage(): void {
    for (const key of this.#options.store.damagedKeys) {
      const error = new StoreError({
        code: 'Corrupt',
        key,
        problem: 'it is damaged, and left out until it is deleted',
      });
      this.#options.onError?.(error, { auditId: '', path: 'start' });
    }
  }

  #start(name: string, work: Runnable, signal: AbortSignal): void {
    const run = work.run({ signal }).catch((error: unknown) => {
      if (!signal.aborted) this.#options.onError?.(error, { auditId: '', path: name });
    });
    this.#background.push(run);
  }

  #answer(
    request: ApiRequest,
    auditId: string,
    warnings: Warnings,
    answerHeaders: Record<string, string>,
  ): Eventual<ApiResponse> {
    return attempt(
      () => {
        const { query, info } = this.#targets.of(request);
        return this.#pipeline({
          request,
          query,
          info,
          auditId,
          warnings,
          answerHeaders,
          user: ANONYMOUS,
          authenticatedBy: '',
          audit: undefined,
        });
      },
      (response) => response,
      (error) =>
        after(this.#answerError(error, request, auditId), (response) => {
          // Errors may come before authentication could see to that.
          if (isStranger(request)) response.headers.connection = 'close';
          return response;
        }),
    );
  }

  #answerError(error: unknown, request: ApiRequest, auditId: string): Eventual<ApiResponse> {
    if (error instanceof MalformedPath) return textResponse(400, '400 Bad Request');
    if (error instanceof IncompletePath) return incompletePath(request, error);
    if (isUnexpected(error)) this.#options.onError?.(error, { auditId, path: request.path });
    return statusResponse(error, request);
  }

  #serve(state: RequestState): Eventual<ApiResponse> {
    const { info } = state;
    const remote = this.#remoteOf(info);
    if (remote !== undefined) return this.#aggregator.passOn(remote, state);
    if (info.kind === 'path') {
      return servePath(this.#pathSources, state, info).then((response) => {
        // Whoever asks how the server is and what it offers will ask for objects next.
        this.#warmUp();
        return response;
      });
    }
    if (info.group === '' && decodePath(state.request.path).startsWith('/apis/')) return pageNotFound();
    const versions = this.catalog.group(info.group)?.versions ?? [];
    if (versions.every(({ remote: elsewhere }) => elsewhere !== undefined)) return pageNotFound();
    const serve = this.#serveResource;
    if (serve !== undefined) return serve(this.#foundation, state, info);
    return this.#loadEndpoints().then((loaded) => loaded(this.#foundation, state, info));
  }

  #remoteOf(info: RequestInfo): RemoteApi | undefined {
    if (info.kind === 'resource') return this.#aggregator.remote(info);
    const [root, group, version, more] = info.path.split('/').filter((segment) => segment !== '');
    const isVersion = root === 'apis' && group !== undefined && version !== undefined && more === undefined;
    return isVersion ? this.#aggregator.remote({ group, version }) : undefined;
  }

  #warmUp(): void {
    if (this.#serveResource !== undefined || this.#isWarming) return;
    this.#isWarming = true;
    // A failure is told to the request that needs what cannot be loaded.
    this.#loadEndpoints().catch(() => {});
  }

  async #loadEndpoints(): Promise<typeof serveResource> {
    this.#serveResource = (await import('./registry/endpoints.ts')).serveResource;
    return this.#serveResource;
  }
}

/** The client's own id when it is fit to be sent back in a header. */
function auditIdOf(request: ApiRequest): string | undefined {
  const id = headerOf(request, 'audit-id');
  return id !== undefined && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
}
