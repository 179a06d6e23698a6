import type { Clock } from '@pintle/async';
import { realClock } from '@pintle/async';
import type { KubernetesList, KubernetesObject, ResourceType, Scope, Stored } from '@pintle/machinery';
import type { Status } from '@pintle/machinery/errors';
import { isNotFound } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import { encodeJson } from '@pintle/machinery/json';
import { ClientError } from '../errors.ts';
import type { MessageSocket, SocketRequest } from '../transport/message-socket.ts';
import type { Interceptor, Transport, TransportRequest, TransportResponse } from '../transport/transport.ts';
import { intercept } from '../transport/transport.ts';
import { withDeadline } from './deadline.ts';
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  GetOptions,
  ListOptions,
  Patch,
  SelectOptions,
  WatchOptions,
  WriteOptions,
} from './options.ts';
import { queryOf } from './options.ts';
import type { ObjectRef, RefOf } from './resource-path.ts';
import { resourcePath } from './resource-path.ts';
import { kindIn, listIn, nextPageOf, objectIn, readFailure, readJson, warningsOf } from './response.ts';
import type { WatchEvent } from './watch-stream.ts';
import { readWatchEvents } from './watch-stream.ts';

export interface ClientOptions {
  readonly transport: Transport;
  readonly clock?: Clock;
  /** Timeout of calls that set none. Default: 32 s. */
  readonly timeoutMs?: number;
  /** User-Agent header; the server names field managers after it. */
  readonly userAgent?: string;
  /** Called with each warning of the server: deprecated versions, unknown fields. */
  readonly onWarning?: (warning: string) => void;
  /** Reads only the metadata of objects. See `metadataOnly`. */
  readonly isMetadataOnly?: boolean;
}

/** Configuration for server-side apply; fields that it leaves out are left to other managers. */
export type Configuration<T extends KubernetesObject> = DeepPartial<Omit<T, 'apiVersion' | 'kind' | 'metadata'>> & {
  readonly metadata: DeepPartial<T['metadata']> & { readonly name: string };
};

/** Object to create; the client sets apiVersion and kind. */
export type NewObject<T extends KubernetesObject> = Omit<T, 'apiVersion' | 'kind'> &
  Partial<Pick<T, 'apiVersion' | 'kind'>>;

type DeepPartial<T> = T extends readonly (infer E)[]
  ? readonly DeepPartial<E>[]
  : T extends object
    ? { readonly [K in keyof T]?: DeepPartial<T[K]> }
    : T;

const DEFAULT_TIMEOUT_MS = 32_000;
const PAGE_SIZE = 500;
const PATCH_TYPES = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
} as const;

/**
 * Client of a Kubernetes API. Kinds are given as descriptors:
 *
 *     const pod = await client.get(Pod, { namespace: 'default', name: 'web' });
 *
 * Throws a `StatusError` when the API refuses a request, and a `ClientError` when there is no response. Returns objects as
 * the server sent them: unknown fields are kept, integers beyond 2^53 are bigints.
 */
export class Client implements AsyncDisposable {
  readonly transport: Transport;
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #userAgent: string;
  readonly #onWarning: (warning: string) => void;
  readonly #options: ClientOptions;
  readonly #isMetadataOnly: boolean;

  constructor(options: ClientOptions) {
    const { transport, clock = realClock, timeoutMs = DEFAULT_TIMEOUT_MS, userAgent = 'pintle', onWarning } = options;
    this.transport = transport;
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    this.#userAgent = userAgent;
    this.#onWarning = onWarning ?? (() => undefined);
    this.#options = options;
    this.#isMetadataOnly = options.isMetadataOnly ?? false;
  }

  get clock(): Clock {
    return this.#clock;
  }

  /** Returns a client that reads only the metadata of objects, which is a fraction of the bytes. */
  metadataOnly(): Client {
    return new Client({ ...this.#options, isMetadataOnly: true });
  }

  /** Returns a client whose requests pass these interceptors first, and whose responses pass them last. */
  intercepted(...interceptors: readonly Interceptor[]): Client {
    return new Client({ ...this.#options, transport: intercept(this.transport, ...interceptors) });
  }

  async get<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    { namespace, name }: RefOf<S>,
    { subresource, ...options }: GetOptions & { readonly subresource?: string } = {},
  ): Promise<Stored<T, S>> {
    const path = resourcePath(type, { namespace, name, ...(subresource !== undefined && { subresource }) });
    const request = { method: 'GET', path, query: queryOf(options), headers: this.#reads('') };
    return kindIn<Stored<T, S>>(await this.call(request, options));
  }

  /** Resolves with `undefined` when the object does not exist. */
  async find<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    ref: RefOf<S>,
    options?: GetOptions,
  ): Promise<Stored<T, S> | undefined> {
    try {
      return await this.get(type, ref, options);
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** Returns one page: all objects, unless `limit` is set. Sets apiVersion and kind of the items. */
  async list<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    options: ListOptions = {},
  ): Promise<KubernetesList<Stored<T, S>>> {
    const path = resourcePath(type, { namespace: options.namespace });
    const request = { method: 'GET', path, query: queryOf(options), headers: this.#reads('List') };
    const list = listIn(await this.call(request, options)) as KubernetesList<Stored<T, S>>;
    for (const item of list.items) {
      if (this.#isMetadataOnly) Object.assign(item, { apiVersion: type.apiVersion, kind: type.kind });
      item.apiVersion ??= type.apiVersion;
      item.kind ??= type.kind;
    }
    return list;
  }

  /** Iterates over all objects, page by page from one snapshot. */
  async *each<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    options: ListOptions = {},
  ): AsyncGenerator<Stored<T, S>, void> {
    let next: string | undefined = options.continue;
    do {
      const { resourceVersion: _, resourceVersionMatch: __, ...rest } = options;
      const page: KubernetesList<Stored<T, S>> = await this.list(type, {
        ...(next ? rest : options),
        limit: options.limit ?? PAGE_SIZE,
        ...(next && { continue: next }),
      });
      yield* page.items;
      next = nextPageOf(page, next);
    } while (next);
  }

  /**
   * Watches changes from now on, or after `resourceVersion`, until the server ends the stream, which it does every few
   * minutes; use an informer to go on. Throws a `StatusError` when the server refuses, or with 410 Gone.
   */
  watch<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    options: WatchOptions = {},
  ): AsyncGenerator<WatchEvent<Stored<T, S>>, void> {
    return readWatchEvents<Stored<T, S>>(() => this.watchBytes(type, options), options.signal);
  }

  /** Returns the raw body of a watch: one event in JSON a line. Throws a `StatusError` when the server refuses. */
  async watchBytes(type: ResourceType, options: WatchOptions = {}): Promise<TransportResponse['body']> {
    const path = resourcePath(type, { namespace: options.namespace });
    const query = queryOf(options);
    const response = await this.send({
      method: 'GET',
      path,
      query: query === '' ? 'watch=true' : `watch=true&${query}`,
      headers: this.#reads(''),
      ...(options.signal && { signal: options.signal }),
    });
    if (response.status !== 200) throw await readFailure(response);
    options.onOpen?.();
    return response.body;
  }

  /** `Input`, when the resource has one, is the type without defaults, which the server fills in. */
  async create<T extends KubernetesObject, Input extends KubernetesObject = T, S extends Scope = Scope>(
    type: ResourceType<T, S> & { readonly Input?: Input },
    object: NewObject<Input>,
    options: WriteOptions = {},
  ): Promise<Stored<T, S>> {
    const { namespace, name } = object.metadata;
    const { subresource } = options;
    const path = resourcePath(type, { namespace, ...(subresource !== undefined && { name: name ?? '', subresource }) });
    return await this.#write('POST', path, typed(type, object), options);
  }

  async update<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    object: NewObject<T>,
    options: WriteOptions = {},
  ): Promise<Stored<T, S>> {
    const path = this.#objectPath(type, { ...object.metadata, name: object.metadata.name ?? '' }, options);
    return await this.#write('PUT', path, typed(type, object), options);
  }

  async patch<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    ref: RefOf<S>,
    patch: Patch<NoInfer<T>>,
    options: WriteOptions = {},
  ): Promise<Stored<T, S>> {
    const body = patch.type === 'json' ? patch.operations : patch.body;
    return await this.#write('PATCH', this.#objectPath(type, ref, options), body, options, PATCH_TYPES[patch.type]);
  }

  /** Server-side apply: creates or updates the object; removes fields that were applied before and are left out now. */
  async apply<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    configuration: Configuration<NoInfer<T>>,
    options: ApplyOptions,
  ): Promise<Stored<T, S>> {
    const path = this.#objectPath(type, configuration.metadata as ObjectRef, options);
    const body = typed(type, configuration);
    return await this.#write('PATCH', path, body, options, 'application/apply-patch+yaml');
  }

  /**
   * Resolves once the server has accepted the delete: with the object while finalizers or the grace period of a pod hold
   * it, with `undefined` when it is gone.
   */
  async delete<T extends KubernetesObject, S extends Scope = Scope>(
    type: ResourceType<T, S>,
    ref: RefOf<S>,
    options: DeleteOptions = {},
  ): Promise<Stored<T, S> | undefined> {
    const answer = (await this.#delete(resourcePath(type, ref), '', options)) as T | Status;
    return answer.kind === type.kind && 'metadata' in answer && 'uid' in (answer.metadata ?? {})
      ? (answer as Stored<T, S>)
      : undefined;
  }

  /** Deletes all objects that the selectors match. */
  async deleteAll<T extends KubernetesObject>(
    type: ResourceType<T>,
    { namespace, labelSelector, fieldSelector, shardSelector, ...options }: SelectOptions & DeleteOptions = {},
  ): Promise<void> {
    const query = queryOf({ labelSelector, fieldSelector, shardSelector });
    await this.#delete(resourcePath(type, { namespace }), query, options);
  }

  /** Sends a request and parses its JSON response. Throws a `StatusError` when the API refuses. */
  async call(request: TransportRequest, options: CallOptions = {}): Promise<unknown> {
    const { timeoutMs = this.#timeoutMs, signal } = options;
    return await withDeadline(
      this.#clock,
      { timeoutMs, signal, what: `${request.method} ${request.path}` },
      // Awaits here, not at the caller, so that the stack of an error leads to the line that asked.
      async (deadline) => await readJson(await this.send({ ...request, signal: deadline })),
    );
  }

  /** Sends a request with this client's headers. The caller reads the body of the response. */
  async send(request: TransportRequest): Promise<TransportResponse> {
    const headers = { accept: 'application/json', 'user-agent': this.#userAgent, ...request.headers };
    const response = await this.transport.send({ ...request, headers });
    for (const warning of warningsOf(response)) this.#onWarning(warning);
    return response;
  }

  /** Opens a WebSocket. Throws a `StatusError` when the server refuses. */
  async openSocket(request: SocketRequest): Promise<MessageSocket> {
    if (this.transport.openSocket === undefined)
      throw new ClientError({ code: 'Unsupported', what: `a WebSocket for ${request.path}` });
    const headers = { 'user-agent': this.#userAgent, ...request.headers };
    const answer = await this.transport.openSocket({ ...request, headers });
    if ('status' in answer) throw await readFailure(answer);
    return answer;
  }

  /** Closes the transport. May be called twice. */
  async close(): Promise<void> {
    await this.transport.close?.();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #reads(form: '' | 'List'): TransportRequest['headers'] & object {
    if (!this.#isMetadataOnly) return {};
    return { accept: `application/json;as=PartialObjectMetadata${form};g=meta.k8s.io;v=v1,application/json` };
  }

  #objectPath(type: ResourceType, { namespace, name }: ObjectRef, { subresource }: WriteOptions): string {
    return resourcePath(type, { namespace, name, ...(subresource !== undefined && { subresource }) });
  }

  async #write<T extends KubernetesObject>(
    method: string,
    path: string,
    body: unknown,
    options: WriteOptions,
    contentType: string = 'application/json',
  ): Promise<T> {
    const headers = { 'content-type': contentType };
    const request = { method, path, query: queryOf(options), headers, body: encodeJson(body as JsonValue) };
    return kindIn<T>(await this.call(request, options));
  }

  async #delete(path: string, query: string, { signal, timeoutMs, dryRun, ...rest }: DeleteOptions): Promise<unknown> {
    const body = { kind: 'DeleteOptions', apiVersion: 'v1', ...rest, ...(dryRun && { dryRun: ['All'] }) };
    const headers = { 'content-type': 'application/json' };
    const answer = await this.call(
      { method: 'DELETE', path, query, headers, body: encodeJson(body as JsonValue) },
      { ...(signal && { signal }), ...(timeoutMs !== undefined && { timeoutMs }) },
    );
    return objectIn(answer);
  }
}

function typed(type: ResourceType, object: object): object {
  return { apiVersion: type.apiVersion, kind: type.kind, ...object };
}
