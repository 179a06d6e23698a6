import type { Clock, Runnable } from '@pintle/async';
import { deferred } from '@pintle/async';
import type { Client } from '@pintle/client';
import { ClientError, discover, Informer } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { isNotFound } from '@pintle/machinery/errors';
import type { Manager } from '@pintle/operator';
import { identityMetadata } from '../common/identity-metadata.ts';

/** Receives every object of every deletable kind. */
interface MonitorSink {
  /** Called when discovery finds kinds that it did not find before, with their `kindKey`s. */
  served?(kinds: ReadonlySet<string>): Promise<void>;
  observed(type: ResourceType, object: KubernetesObject): void;
  deleted(type: ResourceType, object: KubernetesObject): void;
}

interface Monitor extends Disposable {
  readonly informer: Informer<KubernetesObject>;
}

/** Interval of discovery, besides discovery on changes of CustomResourceDefinitions. */
const REDISCOVER_MS = 30_000;
/**
 * Time after which work begins although some kinds cannot be listed, as one broken webhook or API server must not stop
 * it.
 */
const READY_TIMEOUT_MS = 30_000;

/** Definitions may be large, and only their changes matter here. */
const DEFINITIONS = { isMetadataOnly: true, transform: identityMetadata<CustomResourceDefinition> } as const;

/** Time for which a kind cannot be listed before that is logged: an operator that starts again takes less. */
const OUTAGE_MS = 10_000;
/** Errors that are further apart belong to different outages: retries are closer. */
const RECOVERED_MS = 60_000;

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
      await this.#refresh(signal).catch((error: unknown) =>
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

  async #refresh(signal: AbortSignal): Promise<void> {
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
    if (added.size > 0) for (const sink of this.#sinks) await sink.served?.(added);
    if (stale.length > 0 || this.#isSynced) return;
    void Promise.all([...this.#monitors.values()].map(({ informer }) => informer.synced)).then(() => {
      this.#isSynced = true;
      this.#ready.resolve();
    });
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
