import type { Clock, Eventual, Random, Runnable } from '@pintle/async';
import { after, attempt } from '@pintle/async';
import type { OtherMetrics } from '@pintle/metrics';
import type { Revision, Store } from '@pintle/store';
import { StoreError } from '@pintle/store';
import type { AdmissionPlugin } from './admission/admission.ts';
import { AdmissionChain } from './admission/admission.ts';
import type { AuditOptions } from './audit/audit-stage.ts';
import { auditRefusal, auditStage } from './audit/audit-stage.ts';
import type { Authenticator } from './auth/authenticator.ts';
import { AuthenticatorChain, authenticateStage, isUnauthenticated } from './auth/authenticator.ts';
import type { AnonymousAccess, Authorizer } from './auth/authorizer.ts';
import { authorizeStage, withPublicPathsOnly } from './auth/authorizer.ts';
import type { RequestHeaderOptions } from './auth/certificate-authenticator.ts';
import { identityHeaders, RequestHeaderAuthenticator } from './auth/certificate-authenticator.ts';
import { impersonateStage } from './auth/impersonation.ts';
import { DiscoveryCatalog } from './discovery/catalog.ts';
import type { FlowOptions } from './flow/flow-control.ts';
import { FLOW_DEFAULTS, FlowControl, flowStage } from './flow/flow-control.ts';
import { WorkEstimator } from './flow/work-estimate.ts';
import { bodyStage, compressStage } from './http/body-stages.ts';
import { isUnexpected, statusResponse } from './http/status.ts';
import type { RequestLog } from './metrics/request-log.ts';
import { metricsStage } from './metrics/request-metrics.ts';
import { ServerMetrics } from './metrics/server-metrics.ts';
import { Health } from './paths/health.ts';
import type { PathHandler, PathSources } from './paths/paths.ts';
import { incompletePath, pageNotFound, servePath } from './paths/paths.ts';
import type { serveResource } from './registry/endpoints.ts';
import type { ApiRequest, ApiResponse } from './request/exchange.ts';
import { headerOf, textResponse } from './request/exchange.ts';
import { deadlineStage, shutdownStage } from './request/lifetime-stages.ts';
import type { Next, RequestState } from './request/pipeline.ts';
import { compose, Warnings } from './request/pipeline.ts';
import { decodePath, IncompletePath, MalformedPath, RequestTargets } from './request/request-info.ts';
import type { ResponseMemoryOptions } from './request/response-memory.ts';
import { ResponseMemory, responseMemoryStage } from './request/response-memory.ts';
import { ANONYMOUS } from './request/user-info.ts';
import type { EndpointDependencies, NamespaceState } from './resource/endpoint.ts';
import { ResourceRegistry } from './resource/resource-registry.ts';
import { beginHistory, HistoryKeeper } from './storage/history-keeper.ts';

export interface ApiServerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly random: Random;
  /** Source of audit ids. Default: `random`. A separate one keeps the uids of objects independent of reads. */
  readonly auditIds?: Pick<Random, 'uuid'> | undefined;
  readonly authenticator: Authenticator;
  readonly authorizer: Authorizer;
  /** Proxies that authenticate users. Default: none. */
  readonly requestHeaders?: RequestHeaderOptions | undefined;
  /** Default: `public`. */
  readonly anonymous?: AnonymousAccess | undefined;
  /** Default: nothing is audited. */
  readonly audit?: AuditOptions | undefined;
  /** Default: requests are not followed. */
  readonly requestLog?: RequestLog | undefined;
  readonly flow?: FlowOptions | undefined;
  /** Interval of compactions of a store that no other server shares; 0: none. Default: 5 minutes. */
  readonly compactionIntervalMs?: number | undefined;
  /** Time for which such a store keeps history at least. Default: one interval. */
  readonly historyMs?: number | undefined;
  /** Limits on the memory of responses. */
  readonly responseMemory?: ResponseMemoryOptions | undefined;
  /** Plugins that check every write, in this order. */
  readonly admission?: readonly AdmissionPlugin[] | undefined;
  /** Served resources. Default: an empty registry, to which resources are added. */
  readonly resources?: ResourceRegistry | undefined;
  /** Groups, versions and resources for discovery. */
  readonly catalog?: DiscoveryCatalog | undefined;
  readonly metrics?: ServerMetrics | undefined;
  /** Serves requests before this server does. */
  readonly delegate?: Delegate | undefined;
  /** Handlers of further paths that are not about resources. */
  readonly paths?: readonly PathHandler[] | undefined;
  /** State of namespaces, where another server has it. Default: the namespaces in the store. */
  readonly namespaceState?: NamespaceState | undefined;
  /** False ignores shard selectors: the feature gate `ShardedListAndWatch` of Kubernetes. Default: true. */
  readonly isShardingEnabled?: boolean | undefined;
  /** False for a further process of a server, whose first process keeps the history. Default: true. */
  readonly hasUpkeep?: boolean | undefined;
  /** Returns the metrics of the other processes of this server. Default: it has none. */
  readonly otherMetrics?: (() => readonly OtherMetrics[]) | undefined;
  /** Called once for each error that the request does not explain. */
  readonly onError?: ErrorObserver | undefined;
}

export type ErrorObserver = (error: unknown, request: { readonly auditId: string; readonly path: string }) => void;

/** Serves requests that belong to another server. */
export interface Delegate {
  /** Returns `undefined` for requests of this server. */
  serve(state: RequestState): Promise<ApiResponse> | undefined;
}

/** Background work of a server. */
export interface ServerPart {
  /** Name in error reports. */
  readonly name: string;
  readonly work: Runnable & { load?(): Promise<void> };
  /** End of the work: when shutdown begins, or after the last request. Default: `closed`. */
  readonly until?: 'stopping' | 'closed';
}

/**
 * An API over a store, for any resources. Requests of sockets, tests and other parts of the process pass through `handle`:
 *
 *     metrics ► compress ► deadline ► authenticate ► audit ► impersonate ► memory ► body ► flow control ► authorize ► shutdown
 *                                                                                                                   │
 *                                                                     delegate │ path │ endpoint of a resource  ◄───┘
 */
export class ApiServer {
  readonly resources: ResourceRegistry;
  /** Groups, versions and resources for discovery. */
  readonly catalog: DiscoveryCatalog;
  readonly health: Health;
  readonly clock: Clock;
  readonly #options: ApiServerOptions;
  readonly #pathSources: PathSources;
  /** `undefined` when plain limits are used. */
  readonly #flow: FlowControl | undefined;
  readonly #dependencies: EndpointDependencies;
  readonly #targets = new RequestTargets();
  readonly #pipeline: Next;
  readonly #stopping = new AbortController();
  /** Aborts when no further request will be answered, after watches have ended. */
  readonly #closing = new AbortController();
  readonly #background: Promise<void>[] = [];
  /** Loaded with the first request for a resource. */
  #serveResource: typeof serveResource | undefined;
  #isWarming = false;

  constructor(options: ApiServerOptions) {
    this.#options = options;
    const { store, clock, random, anonymous = 'public' } = options;
    const {
      resources = new ResourceRegistry(),
      catalog = new DiscoveryCatalog(),
      metrics = new ServerMetrics(),
    } = options;
    this.clock = clock;
    this.resources = resources;
    this.catalog = catalog;
    metrics.followStore(store);
    const { otherMetrics } = options;
    if (otherMetrics !== undefined) metrics.followProcesses(() => 1 + otherMetrics().length);
    this.health = new Health({ store, clock, onCheck: (type, name, isOk) => metrics.checked(type, name, isOk) });
    this.#pathSources = {
      startedMs: clock.now(),
      store,
      clock,
      catalog,
      metrics,
      health: this.health,
      more: options.paths ?? [],
      otherMetrics,
    };
    const responseMemory = new ResponseMemory({ ...options.responseMemory, clock });
    metrics.responseMemory = responseMemory;
    this.#dependencies = {
      store,
      clock,
      random,
      responseMemory,
      resources,
      authorizer: options.authorizer,
      admission: new AdmissionChain(options.admission ?? []),
      namespaceState: options.namespaceState,
      onDamaged: (error) => this.reportError(error, 'list'),
      shards: { isEnabled: options.isShardingEnabled ?? true, observer: metrics.shards },
    };
    const { isFair = true, maxReadOnly, maxMutating } = { ...FLOW_DEFAULTS, ...options.flow };
    const seats = maxReadOnly + maxMutating;
    this.#flow = isFair ? new FlowControl({ store, clock, metrics: metrics.flow, seats }) : undefined;
    const estimator = new WorkEstimator({ store, clock, catalog });
    const authorizer = anonymous === 'public' ? withPublicPathsOnly(options.authorizer) : options.authorizer;
    const audit = options.audit && metrics.audit.counted(options.audit);
    this.#pipeline = compose(
      [
        metricsStage({ metrics: metrics.requests, catalog, clock }),
        compressStage,
        deadlineStage(clock),
        authenticateStage({
          authenticator: options.authenticator,
          anonymous,
          isIdentity: identityHeaders(options.requestHeaders),
          onRefused: audit && ((state) => auditRefusal(audit, clock, state)),
        }),
        ...(audit === undefined ? [] : [auditStage(audit, clock)]),
        impersonateStage(authorizer),
        ...(options.requestLog === undefined ? [] : [options.requestLog.stage(clock, store)]),
        responseMemoryStage(responseMemory),
        bodyStage(responseMemory),
        flowStage(options.flow, this.#flow && { control: this.#flow, estimator }),
        authorizeStage(authorizer),
        shutdownStage(this.#stopping.signal),
      ],
      (state) => this.#serve(state),
    );
  }

  /**
   * Resolves once the server and these parts have loaded the store; they run until the server stops. Without `origin`, the
   * history of an empty store begins here.
   */
  async start(
    parts: readonly ServerPart[] = [],
    { origin }: { readonly origin?: Revision | undefined } = {},
  ): Promise<void> {
    const { store, clock, compactionIntervalMs: intervalMs, historyMs: keepMs, hasUpkeep = true } = this.#options;
    if (this.#flow !== undefined) await this.startPart({ name: 'flow control', work: this.#flow });
    for (const part of parts) await this.startPart(part);
    if (hasUpkeep) {
      const begin = origin ?? ((await store.count({ start: '' })) === 0 ? await beginHistory(store, clock) : undefined);
      await this.startPart({ name: 'history', work: new HistoryKeeper({ store, clock, intervalMs, keepMs }, begin) });
      this.#reportDamage();
    }
    this.health.markStarted();
  }

  /** Starts background work that ends with the server. */
  async startPart({ name, work, until = 'closed' }: ServerPart): Promise<void> {
    await work.load?.();
    const { signal } = until === 'closed' ? this.#closing : this.#stopping;
    const run = work.run({ signal }).catch((error: unknown) => {
      if (!signal.aborted) this.reportError(error, name);
    });
    this.#background.push(run);
  }

  /** Answers any request. Never rejects: errors become responses. */
  async handle(request: ApiRequest): Promise<ApiResponse> {
    return await this.answer(request);
  }

  /** As `handle`, but synchronous when nothing has to be waited for. */
  answer(request: ApiRequest): Eventual<ApiResponse> {
    const auditId = auditIdOf(request) ?? (this.#options.auditIds ?? this.#options.random).uuid();
    const warnings = new Warnings();
    const responseHeaders: Record<string, string> = {};
    return after(this.#answer(request, auditId, warnings, responseHeaders), (response) => {
      for (const name in responseHeaders) response.headers[name] = responseHeaders[name]!;
      response.headers['audit-id'] = auditId;
      response.headers['cache-control'] ??= 'no-cache, private';
      const texts = warnings.toHeaders();
      if (texts.length > 0) response.headers.warning = texts;
      return response;
    });
  }

  /** Makes `/readyz` fail and ends watches. Other requests are answered as before. */
  beginShutdown(): void {
    this.health.markShuttingDown();
    this.#stopping.abort(new Error('The server is stopping'));
  }

  /** Resolves once background work has stopped. The store may be closed then. */
  async close(): Promise<void> {
    this.beginShutdown();
    this.#closing.abort(new Error('The server is closed'));
    await Promise.all(this.#background);
  }

  /** Returns the text of one source of metrics, for the process that adds up those of all. */
  async metricsOf(source: string): Promise<string> {
    return await this.#pathSources.metrics.textOf(source);
  }

  /** Reports an error outside of requests. */
  reportError(error: unknown, path: string): void {
    this.#options.onError?.(error, { auditId: '', path });
  }

  /** Reports damaged objects, which responses leave out. */
  #reportDamage(): void {
    for (const key of this.#options.store.damagedKeys) {
      const problem = 'it is damaged, and left out until it is deleted';
      this.reportError(new StoreError({ code: 'Corrupt', key, problem }), 'start');
    }
  }

  #answer(
    request: ApiRequest,
    auditId: string,
    warnings: Warnings,
    responseHeaders: Record<string, string>,
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
          responseHeaders,
          user: ANONYMOUS,
          authenticatedBy: '',
          audit: undefined,
        });
      },
      (response) => response,
      (error) =>
        after(this.#answerError(error, request, auditId), (response) => {
          // Errors may precede authentication, which does this for other responses.
          if (isUnauthenticated(request)) response.headers.connection = 'close';
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
    const delegated = this.#options.delegate?.serve(state);
    if (delegated !== undefined) return delegated;
    if (info.kind === 'path') {
      return servePath(this.#pathSources, state, info).then((response) => {
        // Clients that request health or discovery will request objects next.
        this.#warmUp();
        return response;
      });
    }
    if (info.group === '' && decodePath(state.request.path).startsWith('/apis/')) return pageNotFound();
    const versions = this.catalog.group(info.group)?.versions ?? [];
    if (versions.every(({ remote }) => remote !== undefined)) return pageNotFound();
    const serve = this.#serveResource;
    if (serve !== undefined) return serve(this.#dependencies, state, info);
    return this.#loadEndpoints().then((loaded) => loaded(this.#dependencies, state, info));
  }

  #warmUp(): void {
    if (this.#serveResource !== undefined || this.#isWarming) return;
    this.#isWarming = true;
    // The request that needs the module reports a failure to load it.
    this.#loadEndpoints().catch(() => {});
  }

  async #loadEndpoints(): Promise<typeof serveResource> {
    this.#serveResource = (await import('./registry/endpoints.ts')).serveResource;
    return this.#serveResource;
  }
}

/** Puts the authenticator of proxies, if any, before the others. */
export function authenticatorsOf(
  { requestHeaders, clock }: Pick<ApiServerOptions, 'requestHeaders' | 'clock'>,
  authenticators: readonly Authenticator[],
): Authenticator {
  const proxies = requestHeaders ? [new RequestHeaderAuthenticator(requestHeaders, clock)] : [];
  return new AuthenticatorChain([...proxies, ...authenticators]);
}

/** Returns the client's audit id when it is valid in a header. */
function auditIdOf(request: ApiRequest): string | undefined {
  const id = headerOf(request, 'audit-id');
  return id !== undefined && /^[\x21-\x7e]{1,128}$/.test(id) ? id : undefined;
}
