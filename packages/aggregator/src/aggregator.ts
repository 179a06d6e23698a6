import type { ApiResponse, ClientCertificate, Delegate, ServiceResolver } from '@pintle/apiserver';
import type { DiscoveryCatalog } from '@pintle/apiserver/discovery';
import type { LoopbackClient, RequestInfo, RequestState } from '@pintle/apiserver/request';
import type { Clock, Runnable } from '@pintle/async';
import { runAll } from '@pintle/async';
import type { APIService } from '@pintle/kinds/apiregistration/v1';
import { APIService as ApiServices } from '@pintle/kinds/apiregistration/v1';
import type { GroupVersion } from '@pintle/machinery';
import { isConflict, isNotFound } from '@pintle/machinery/errors';
import { asJson, deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { Store } from '@pintle/store';
import { ApiServiceIndex } from './api-services.ts';
import type { Availability, AvailabilitySources } from './availability.ts';
import { checkAvailability, LOCAL } from './availability.ts';
import { BackendClient } from './backend-client.ts';
import { CustomRegistrations } from './custom-registrations.ts';
import { DiscoveredApis } from './discovered-apis.ts';
import { forwardRequest } from './forward-request.ts';
import { KeyedWork } from './keyed-work.ts';
import type { RemoteApi } from './remote-api.ts';
import { apiServiceName, availableCondition } from './remote-api.ts';
import { RemoteV2Documents, remoteOpenApi, remoteResources } from './remote-discovery.ts';
import type { ServiceName } from './service-changes.ts';
import { ServiceChanges } from './service-changes.ts';

export interface AggregatorOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly catalog: DiscoveryCatalog;
  readonly client: LoopbackClient;
  readonly resolveService: ServiceResolver;
  /**
   * Client certificate that proves this server to the backends, so that they trust the user headers. May change while
   * the server runs; connections are then opened again.
   */
  readonly proxyCertificate?: ClientCertificate | undefined;
  readonly onError: (error: unknown, apiService: string) => void;
}

/** Interval between checks of backends. */
const RESYNC_MS = 30_000;

/**
 * Aggregates the APIs of several servers. Follows the APIServices: sets their Available condition, publishes their
 * discovery, and forwards requests to their servers. Versions of definitions get their own APIServices.
 */
export class Aggregator implements Runnable, Delegate {
  readonly #options: AggregatorOptions;
  readonly #backends: BackendClient;
  readonly #sources: AvailabilitySources;
  readonly #index: ApiServiceIndex;
  readonly #services: ServiceChanges;
  readonly #discovered: DiscoveredApis;
  readonly #v2 = new RemoteV2Documents();
  readonly #registrations: CustomRegistrations;
  readonly #checks: KeyedWork;
  readonly #registering: KeyedWork;
  /** Availability that was last found, by the name of the APIService. */
  readonly #found = new Map<string, Availability>();

  /** Most servers have none, and then no request is looked at. */
  #hasRemotes = false;

  constructor(options: AggregatorOptions) {
    this.#options = options;
    this.#backends = new BackendClient(options);
    this.#sources = { ...options, backends: this.#backends };
    this.#index = new ApiServiceIndex(options.store, (name, now, before) => this.#changed(name, now, before));
    this.#services = new ServiceChanges(options.store, (service) => this.#serviceChanged(service));
    this.#discovered = new DiscoveredApis(options.catalog);
    this.#registrations = new CustomRegistrations({ ...options, index: this.#index });
    this.#checks = new KeyedWork((name, signal) => this.#check(name, signal), options.onError);
    this.#registering = new KeyedWork((name) => this.#registrations.reconcile(name), options.onError);
  }

  /** Loads all APIServices, so that a server starts complete. */
  async load(): Promise<void> {
    await this.#index.load();
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    const subscription = this.#options.catalog.subscribe((version) => this.#catalogChanged(version));
    for (const name of this.#registrations.names()) this.#registering.add(name);
    try {
      await runAll([this.#index, this.#services, { run: (options) => this.#resync(options.signal) }], { signal });
    } finally {
      subscription[Symbol.dispose]();
      await Promise.all([this.#checks.close(), this.#registering.close()]);
      this.#backends.close();
    }
  }

  serve(state: RequestState): Promise<ApiResponse> | undefined {
    if (!this.#hasRemotes) return undefined;
    const version = versionOf(state.info);
    const api = version && this.#index.remote(apiServiceName(version));
    return api && forwardRequest(this.#backends, api, state);
  }

  #changed(name: string, now: APIService | undefined, before: APIService | undefined): void {
    this.#hasRemotes = this.#index.hasRemotes;
    if (now === undefined) {
      this.#discovered.withdraw(name);
      this.#v2.forget(name);
      this.#found.delete(name);
    } else {
      this.#discovered.publish(name, now);
      if (!this.#isOwnStatus(name, now, before)) this.#checks.add(name);
    }
    this.#registering.add(name);
  }

  /** True when the change is the status that was written here. */
  #isOwnStatus(name: string, now: APIService, before: APIService | undefined): boolean {
    const found = now.spec?.service === undefined ? LOCAL : this.#found.get(name);
    if (found === undefined || !hasAvailability(now, found)) return false;
    return now.spec?.service === undefined || sameSpec(now, before);
  }

  #catalogChanged(version: GroupVersion): void {
    this.#registering.add(apiServiceName(version));
  }

  /** Without a name, any service may have changed. */
  #serviceChanged(changed?: ServiceName): void {
    for (const [apiService, { service }] of this.#index.remotes) {
      const isSame = changed?.namespace === service.namespace && changed.name === service.name;
      if (changed === undefined || isSame) this.#checks.add(apiService);
    }
  }

  async #resync(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#options.clock.sleep(RESYNC_MS, { signal });
      this.#serviceChanged();
    }
  }

  async #check(name: string, signal: AbortSignal): Promise<void> {
    const apiService = this.#index.get(name);
    if (apiService === undefined) return;
    const api = this.#index.remote(name);
    const found = api === undefined ? LOCAL : await checkAvailability(this.#sources, api, signal);
    if (api !== undefined && found.status === 'True') await this.#discover(name, api, signal);
    this.#found.set(name, found);
    await this.#updateStatus(apiService, found);
    // The APIService may have changed or been deleted meanwhile.
    const current = this.#index.get(name);
    if (current === undefined) this.#found.delete(name);
    else this.#discovered.publish(name, current);
  }

  /** Publishes discovery of a backend. A failure does not make the API unavailable. */
  async #discover(name: string, api: RemoteApi, signal: AbortSignal): Promise<void> {
    try {
      const [resources, openApiV3, openApiV2] = await Promise.all([
        remoteResources(this.#backends, api, signal),
        remoteOpenApi(this.#backends, api, signal).catch(() => undefined),
        this.#v2.of(this.#backends, api, signal).catch(() => undefined),
      ]);
      if (resources === undefined) return;
      this.#discovered.record(name, { resources, ...(openApiV3 && { openApiV3 }), ...(openApiV2 && { openApiV2 }) });
    } catch {
      signal.throwIfAborted();
    }
  }

  async #updateStatus(apiService: APIService, found: Availability): Promise<void> {
    if (hasAvailability(apiService, found)) return;
    const before = availableCondition(apiService);
    const lastTransitionTime =
      before?.status === found.status ? before.lastTransitionTime : formatTime(this.#options.clock.now());
    const others = (apiService.status?.conditions ?? []).filter(({ type }) => type !== 'Available');
    const condition = { type: 'Available', ...found, ...(lastTransitionTime && { lastTransitionTime }) };
    try {
      const next = { ...apiService, status: { ...apiService.status, conditions: [...others, condition] } };
      await this.#options.client.update(ApiServices, next, { subresource: 'status' });
    } catch (error) {
      // It has changed meanwhile: its event follows.
      if (!isConflict(error) && !isNotFound(error)) throw error;
    }
  }
}

function hasAvailability(apiService: APIService, { status, reason, message }: Availability): boolean {
  const condition = availableCondition(apiService);
  return condition?.status === status && condition.reason === reason && condition.message === message;
}

function sameSpec(a: APIService, b: APIService | undefined): boolean {
  return b !== undefined && deepEqual(asJson(a.spec), asJson(b.spec));
}

/** Returns the group and version of a request, or those whose resources it asks for. */
function versionOf(info: RequestInfo): GroupVersion | undefined {
  if (info.kind === 'resource') return info;
  const [root, group, version, more] = info.path.split('/').filter((segment) => segment !== '');
  const isVersion = root === 'apis' && group !== undefined && version !== undefined && more === undefined;
  return isVersion ? { group, version } : undefined;
}
