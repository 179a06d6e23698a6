import type { Clock, Runnable } from '@pintle/async';
import { deferred } from '@pintle/async';
import type { Client, DiscoveredResource } from '@pintle/client';
import { ClientError, discover, Informer } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { APIService } from '@pintle/kinds/apiregistration/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import type { Manager } from '@pintle/operator';
import { eachLive } from '../common/each-live.ts';
import { identityMetadata } from '../common/identity-metadata.ts';
import { groupOf } from './owner-graph.ts';

/** Receives every object of every deletable kind. */
interface MonitorSink {
  /** Called when discovery finds kinds that it did not find before, with their `kindKey`s. */
  served?(kinds: ReadonlySet<string>): Promise<void>;
  /** Called when kinds are gone with their definitions, with their `groupKindKey`s. */
  gone?(kinds: ReadonlySet<string>): Promise<void>;
  observed(type: ResourceType, object: KubernetesObject): void;
  deleted(type: ResourceType, object: KubernetesObject): void;
}

interface Monitor extends Disposable {
  readonly informer: Informer<KubernetesObject>;
}

/** The CustomResourceDefinition through which a kind is, or was, served. */
interface Definition {
  readonly name: string;
  readonly group: string;
  /** Since when the kind is served although this definition is not there. */
  missingSinceMs: number | undefined;
}

/** Interval of discovery, besides discovery on changes of CustomResourceDefinitions. */
const REDISCOVER_MS = 30_000;
/**
 * Time after which work begins although some kinds cannot be listed, as one broken webhook or API server must not stop
 * it.
 */
const READY_TIMEOUT_MS = 30_000;

/** Definitions may be large, and only their changes matter here. */
type Definitions = Pick<Informer<CustomResourceDefinition, 'Cluster'>, 'cache'>;
const DEFINITIONS = { isMetadataOnly: true, transform: identityMetadata<CustomResourceDefinition> } as const;

/** Time for which a kind cannot be listed before that is logged: an operator that starts again takes less. */
const OUTAGE_MS = 10_000;
/** Errors that are further apart belong to different outages: retries are closer. */
const RECOVERED_MS = 60_000;

/** Time after which another server serves a kind whose definition is not there: discovery may be that late. */
const TAKEN_OVER_MS = 120_000;
/** Definitions that are remembered; the oldest is forgotten, and dependents of its objects stay when it is deleted. */
const MAX_DEFINITIONS = 10_000;

const MONITORS = new WeakMap<Manager, Monitors>();

/**
 * One informer for each served kind, as kinds come and go: the manager's where it has one for the whole kind, else one
 * of metadata.
 */
export class Monitors implements Runnable {
  readonly #manager: Manager;
  readonly #client: Client;
  readonly #sinks: MonitorSink[] = [];
  readonly #monitors = new Map<string, Monitor>();
  readonly #running = new Set<Promise<void>>();
  readonly #ready = deferred();
  #isTimeoutStarted = false;
  #isSynced = false;
  #types = new Map<string, ResourceType>();
  #followed = new Map<string, ResourceType>();
  /** By `groupKindKey`. */
  readonly #definitions = new Map<string, Definition>();
  /** Kinds whose end was reported. Always a subset of the keys of #definitions. */
  readonly #gone = new Set<string>();
  #servedKinds: ReadonlySet<string> = new Set();
  #wake: () => void = () => undefined;

  private constructor(manager: Manager) {
    this.#manager = manager;
    this.#client = manager.client.live.metadataOnly();
  }

  /** Returns the monitors of the manager, which runs them. */
  static of(manager: Manager): Monitors {
    const known = MONITORS.get(manager);
    if (known !== undefined) return known;
    const monitors = new Monitors(manager);
    MONITORS.set(manager, monitors);
    manager.add(monitors);
    return monitors;
  }

  /** Call before the manager runs. */
  subscribe(sink: MonitorSink): void {
    this.#sinks.push(sink);
  }

  /** Resolves when all objects have been listed, or after half a minute. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** True when all objects have been listed. Stays false while a kind cannot be listed. */
  get isSynced(): boolean {
    return this.#isSynced;
  }

  typeOf(apiVersion: string, kind: string): ResourceType | undefined {
    return this.#types.get(kindKey({ apiVersion, kind }));
  }

  /**
   * True when no object of the kind is left: the kind was served through a CustomResourceDefinition, and the server answers
   * that this is deleted, which happens after its last object. A kind that is only not discovered, or that cannot be read
   * or converted, is not gone; nor is one of a group that another server may serve, or whose definition this process never
   * saw. Rejects when the server does not answer. Only what the caller read before the call is without an owner: the
   * definition may come back.
   */
  async isGone(kind: { readonly apiVersion: string; readonly kind: string }): Promise<boolean> {
    const key = groupKindKey(kind);
    const definition = this.#definitions.get(key);
    if (definition === undefined || this.#servedKinds.has(key)) return false;
    if (await this.#isPassedOn(definition.group)) return false;
    // Not found may also mean that definitions are not served; an empty list cannot.
    const options = { fieldSelector: `metadata.name=${definition.name}` };
    return (await this.#client.list(CustomResourceDefinition, options)).items.length === 0;
  }

  /** True when an APIService passes the group to another server. */
  async #isPassedOn(group: string): Promise<boolean> {
    try {
      for await (const { spec } of eachLive(this.#manager.client.live, APIService))
        if (spec?.group === group && spec.service) return true;
    } catch (error) {
      // A server without an aggregator has none.
      if (!isNotFound(error)) throw error;
    }
    return false;
  }

  typeOfResource({ group, resource }: { readonly group: string; readonly resource: string }): ResourceType | undefined {
    return this.#followed.get(`${resource}.${group}`);
  }

  async run({ signal }: { readonly signal: AbortSignal }): Promise<void> {
    using definitions = this.#manager.informers.share(CustomResourceDefinition, DEFINITIONS);
    using _listening = definitions.informer.subscribe({
      added: () => this.#wake(),
      updated: () => this.#wake(),
      deleted: () => this.#wake(),
    });
    while (!signal.aborted) {
      const woken = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await this.#refresh(definitions.informer, signal).catch((error: unknown) =>
        this.#manager.log.warn('Cannot discover resources', { error: String(error) }),
      );
      await this.#pause(woken, signal);
    }
    for (const monitor of this.#monitors.values()) monitor[Symbol.dispose]();
    await Promise.all(this.#running);
  }

  async #pause(woken: Promise<void>, signal: AbortSignal): Promise<void> {
    const waiting = new AbortController();
    const onAbort = (): void => waiting.abort();
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    const slept = this.#manager.heartbeats.sleep(REDISCOVER_MS, { signal: waiting.signal }).catch(() => undefined);
    await Promise.race([woken, slept]);
    waiting.abort();
    signal.removeEventListener('abort', onAbort);
  }

  async #refresh(definitions: Definitions, signal: AbortSignal): Promise<void> {
    const { resources, stale } = await discover(this.#manager.client.live, { signal });
    const known = this.#types;
    this.#types = new Map(resources.map(({ type }) => [kindKey(type), type]));
    const added = new Set([...this.#types.keys()].filter((key) => !known.has(key)));
    const wanted = new Map<string, ResourceType>();
    for (const { type, verbs, isPreferred } of resources) {
      const isFollowed = isPreferred && ['delete', 'list', 'watch'].every((verb) => verbs.has(verb));
      if (isFollowed && type.plural !== 'events') wanted.set(`${type.apiVersion}/${type.plural}`, type);
    }
    this.#followed = new Map([...wanted.values()].map((type) => [`${type.plural}.${type.group}`, type]));
    for (const [key, type] of wanted) if (!this.#monitors.has(key)) this.#start(key, type);
    for (const [key, monitor] of this.#monitors) {
      const isUnknown = stale.some((group) => key.startsWith(`${group}/`));
      if (wanted.has(key) || isUnknown) continue;
      monitor[Symbol.dispose]();
      this.#monitors.delete(key);
    }
    if (!this.#isTimeoutStarted) void this.#startTimeout(signal);
    this.#followDefinitions(resources, definitions);
    if (added.size > 0) for (const sink of this.#sinks) await sink.served?.(added);
    if (stale.length === 0 && !this.#isSynced)
      void Promise.all([...this.#monitors.values()].map(({ informer }) => informer.synced)).then(() => {
        this.#isSynced = true;
        this.#ready.resolve();
      });
    await this.#reportGone(definitions);
  }

  #followDefinitions(resources: readonly DiscoveredResource[], { cache }: Definitions): void {
    const nowMs = this.#manager.clock.monotonic();
    this.#servedKinds = new Set(resources.map(({ type }) => groupKindKey(type)));
    for (const { type } of resources) {
      const [key, name] = [groupKindKey(type), `${type.plural}.${type.group}`];
      const known = this.#definitions.get(key);
      const isBack = this.#gone.delete(key);
      if (cache.get({ name }) !== undefined)
        this.#definitions.set(key, { name, group: type.group, missingSinceMs: undefined });
      else if (known?.name === name) {
        known.missingSinceMs ??= nowMs;
        if (isBack || nowMs - known.missingSinceMs > TAKEN_OVER_MS) this.#definitions.delete(key);
      }
    }
    for (const key of this.#definitions.keys()) {
      if (this.#definitions.size <= MAX_DEFINITIONS) break;
      this.#definitions.delete(key);
      this.#gone.delete(key);
    }
  }

  async #reportGone({ cache }: Definitions): Promise<void> {
    const gone = new Set<string>();
    for (const [key, { name, group }] of this.#definitions) {
      if (this.#servedKinds.has(key) || this.#gone.has(key) || cache.get({ name }) !== undefined) continue;
      if (!(await this.isGone({ apiVersion: `${group}/v1`, kind: key.slice(0, key.indexOf(' ')) }))) continue;
      this.#gone.add(key);
      gone.add(key);
    }
    if (gone.size > 0) for (const sink of this.#sinks) await sink.gone?.(gone);
  }

  async #startTimeout(signal: AbortSignal): Promise<void> {
    this.#isTimeoutStarted = true;
    await this.#manager.clock.sleep(READY_TIMEOUT_MS, { signal }).catch(() => undefined);
    this.#ready.resolve();
  }

  #start(key: string, type: ResourceType): void {
    const { informers } = this.#manager;
    const monitor = informers.find(type) === undefined ? this.#watchMetadata(type) : informers.share(type);
    const subscription = monitor.informer.subscribe({
      added: (object) => this.#observed(type, object),
      updated: (object) => this.#observed(type, object),
      deleted: (object) => {
        for (const sink of this.#sinks) sink.deleted(type, object);
      },
    });
    const dispose = (): void => {
      subscription[Symbol.dispose]();
      monitor[Symbol.dispose]();
    };
    this.#monitors.set(key, { informer: monitor.informer, [Symbol.dispose]: dispose });
  }

  #watchMetadata(type: ResourceType): Monitor {
    const { clock, heartbeats, random, log } = this.#manager;
    const outage = new Outage(clock);
    const informer = new Informer({
      client: this.#client,
      type,
      clock: heartbeats,
      random,
      transform: ownershipMetadata,
      // Kinds and streams come and go, and so do operators that convert: only errors that last are logged, each once.
      onError: (error) => {
        const text = String(error);
        if (isNotFound(error) || error instanceof ClientError || !outage.isNews(text)) return;
        log.warn('Cannot watch objects', { kind: type.kind, error: text });
      },
    });
    const stop = new AbortController();
    const running = informer.run({ signal: stop.signal }).finally(() => this.#running.delete(running));
    this.#running.add(running);
    return { informer, [Symbol.dispose]: () => stop.abort() };
  }

  #observed(type: ResourceType, object: KubernetesObject): void {
    for (const sink of this.#sinks) sink.observed(type, object);
  }
}

/** Time in which a kind cannot be listed. */
class Outage {
  readonly #clock: Clock;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  #told = '';

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** True for an error that lasts and was not told before. */
  isNews(text: string): boolean {
    const nowMs = this.#clock.monotonic();
    if (nowMs - this.#lastMs > RECOVERED_MS) this.#sinceMs = nowMs;
    this.#lastMs = nowMs;
    if (nowMs - this.#sinceMs < OUTAGE_MS || text === this.#told) return false;
    this.#told = text;
    return true;
  }
}

/** Names a kind as references to owners do. */
export function kindKey({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${apiVersion} ${kind}`;
}

/** Names a kind in all its versions. */
export function groupKindKey({ apiVersion, kind }: { readonly apiVersion: string; readonly kind: string }): string {
  return `${kind} ${groupOf(apiVersion)}`;
}

/** Keeps the metadata that garbage collection needs, to save memory. */
function ownershipMetadata({ apiVersion, kind, metadata }: KubernetesObject): KubernetesObject {
  const { uid, name, namespace, resourceVersion, ownerReferences, finalizers, deletionTimestamp } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...(uid && { uid }),
      ...(name && { name }),
      ...(namespace && { namespace }),
      ...(resourceVersion && { resourceVersion }),
      ...(ownerReferences && { ownerReferences }),
      ...(finalizers && { finalizers }),
      ...(deletionTimestamp && { deletionTimestamp }),
    },
  };
}
