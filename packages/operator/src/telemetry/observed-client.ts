import {
  CachedClient,
  type CacheListOptions,
  type CallOptions,
  type Client,
  type RefOf,
  type SharedInformers,
} from '@pintle/client';
import type { Cached, KubernetesObject, ResourceType, Scope } from '@pintle/machinery';
import { currentRecording, type Recording } from './recording.ts';

/** Records reads of reconciles from caches, while they are recorded. */
export class ObservedClient extends CachedClient {
  readonly #informers: SharedInformers;

  constructor(live: Client, informers: SharedInformers) {
    super(live, informers);
    this.#informers = informers;
  }

  override find<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    ref: RefOf<S>,
    options?: CallOptions,
  ): Promise<Cached<T, S> | undefined> {
    const found = super.find(type, ref, options);
    const recording = currentRecording();
    return recording === undefined ? found : this.#recorded(recording, found, type, ref);
  }

  override list<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    options: CacheListOptions<NoInfer<T>> & CallOptions = {},
  ): Promise<Cached<T, S>[]> {
    const found = super.list(type, options);
    const recording = currentRecording();
    return recording === undefined ? found : this.#recorded(recording, found, type, { namespace: options.namespace });
  }

  /** Reads without a cache are recorded as requests. */
  async #recorded<R>(
    recording: Recording,
    reading: Promise<R>,
    type: ResourceType,
    ref: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  ): Promise<R> {
    const found = await reading;
    const [informer] = this.#informers.findEach(type, ref.namespace) ?? [];
    if (informer !== undefined) {
      const count = Array.isArray(found) ? found.length : found === undefined ? 0 : 1;
      recording.readFromCache(type, ref, informer.resourceVersion, count);
    }
    return found;
  }
}
