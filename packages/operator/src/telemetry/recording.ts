import { AsyncLocalStorage } from 'node:async_hooks';
import { channel } from 'node:diagnostics_channel';
import type { Clock } from '@pintle/async';
import type { Interceptor, TransportRequest, TransportResponse } from '@pintle/client';
import { readAll } from '@pintle/client';
import type { ResourceType } from '@pintle/machinery';
import { errorText } from '@pintle/machinery/errors';
import { accessOf } from '../permissions/request-access.ts';
import type {
  ReconcileTrace,
  StepTarget,
  TracedOutcome,
  TracedReason,
  TracedRequest,
  TraceStep,
  WriteStep,
} from './trace.ts';

/** Publishes each reconcile when it starts, as a `Recording`. Costs nothing without subscribers. */
const reconciles = channel('pintle:reconcile');

/** Steps kept of one reconcile, the first ones. */
const MAX_STEPS = 200;
const MAX_ERROR = 1_000;
/** Part of a response in which its revision is looked for. */
const MAX_SEARCHED_BYTES = 64 * 1024;

/** Holds the recording of the reconcile that runs. Created with the first recording, because it slows down promises. */
let storage: AsyncLocalStorage<Recording> | undefined;
let lastId = 0;

interface RecordingOptions {
  readonly clock: Clock;
  /** The controller, by which subscribers find its manager. */
  readonly controller: { readonly name: string };
  readonly request: TracedRequest;
  readonly reasons: readonly TracedReason[];
  readonly failures: number;
}

interface Finished {
  readonly outcome: TracedOutcome;
  readonly durationMs: number;
  readonly error?: unknown;
}

/** Starts to record a reconcile; `undefined` without subscribers. */
export function beginRecording(options: () => RecordingOptions): Recording | undefined {
  if (!reconciles.hasSubscribers) return undefined;
  const recording = new Recording(options());
  reconciles.publish(recording);
  return recording;
}

/** Returns the recording of the running reconcile; `undefined` outside of one, and without subscribers. */
export function currentRecording(): Recording | undefined {
  return reconciles.hasSubscribers ? storage?.getStore() : undefined;
}

/** Releases the storage once there are no subscribers. */
export function endRecordings(): void {
  if (reconciles.hasSubscribers) return;
  storage?.disable();
  storage = undefined;
}

/** Records requests of reconciles: reads from the server, and writes. */
export const recordRequests: Interceptor = (request, next) => {
  const recording = currentRecording();
  return recording === undefined ? next(request) : recording.send(request, next);
};

/** Collects the steps of one reconcile. */
export class Recording {
  readonly controller: RecordingOptions['controller'];
  readonly #clock: Clock;
  readonly #startedMonotonicMs: number;
  readonly #steps: TraceStep[] = [];
  readonly #about: Pick<ReconcileTrace, 'id' | 'controller' | 'name' | 'reasons' | 'startedMs' | 'failures'>;
  #omittedSteps = 0;
  #end: Pick<ReconcileTrace, 'durationMs' | 'outcome' | 'requeueAfterMs' | 'error'> | undefined;

  constructor({ clock, controller, request, reasons, failures }: RecordingOptions) {
    this.controller = controller;
    this.#clock = clock;
    this.#startedMonotonicMs = clock.monotonic();
    this.#about = {
      id: ++lastId,
      controller: controller.name,
      name: request.name,
      ...(request.namespace !== undefined && { namespace: request.namespace }),
      reasons,
      startedMs: clock.now(),
      failures,
    };
  }

  get isFinished(): boolean {
    return this.#end !== undefined;
  }

  /** Runs a reconcile, whose steps are recorded here. */
  run<R>(reconcile: () => Promise<R>): Promise<R> {
    storage ??= new AsyncLocalStorage();
    return storage.run(this, reconcile);
  }

  finish({ outcome, durationMs, error }: Finished, result: { readonly requeueAfterMs?: number } | undefined): void {
    this.#end = {
      outcome,
      durationMs,
      ...(result?.requeueAfterMs !== undefined && { requeueAfterMs: result.requeueAfterMs }),
      ...(outcome === 'error' && { error: errorText(error).slice(0, MAX_ERROR) }),
    };
  }

  /** Records a read from a cache that was at `revision`. */
  readFromCache(
    type: ResourceType,
    ref: { readonly namespace?: string | undefined; readonly name?: string | undefined },
    revision: string,
    found: number,
  ): void {
    this.#add({ type: 'read', atMs: this.#sinceStart(), ...targetOf(type, ref), from: 'cache', revision, found });
  }

  /** Records a write that was not needed. */
  suppressed(
    verb: string,
    type: ResourceType,
    ref: { readonly namespace?: string | undefined; readonly name?: string | undefined },
    subresource?: string,
  ): void {
    const target = targetOf(type, ref, subresource);
    this.#add({ type: 'write', atMs: this.#sinceStart(), ...target, verb, outcome: 'suppressed' });
  }

  /** Sends a request of the reconcile, and records it with its response. */
  async send(request: TransportRequest, next: Parameters<Interceptor>[1]): Promise<TransportResponse> {
    const use = this.isFinished ? undefined : accessOf(request);
    if (use === undefined || use.verb === 'watch') return await next(request);
    const atMs = this.#sinceStart();
    const response = await next(request);
    const body = await readAll(response);
    const seen = isSuccess(response.status) ? seenIn(body) : {};
    const [plural, subresource] = use.resource.split('/');
    const resource = resourceName(use.group, plural!, subresource);
    const where = { ...(use.namespace && { namespace: use.namespace }), ...(use.name && { name: use.name }) };
    const target: StepTarget = { resource, ...where, ...(seen.kind && { kind: seen.kind }) };
    const revision = seen.revision === undefined ? {} : { revision: seen.revision };
    if (request.method === 'GET') {
      const found = response.status === 404 ? 0 : 1;
      this.#add({ type: 'read', atMs, ...target, from: 'server', found, ...revision });
    } else {
      const { status } = response;
      const named = target.name === undefined && seen.name !== undefined ? { name: seen.name } : {};
      this.#add({
        type: 'write',
        atMs,
        ...target,
        ...named,
        verb: isApply(request) ? 'apply' : use.verb,
        outcome: outcomeOf(status),
        status,
        ...revision,
      });
    }
    return { ...response, body };
  }

  /** Returns the trace so far, as data. */
  report(): ReconcileTrace {
    return { ...this.#about, steps: [...this.#steps], omittedSteps: this.#omittedSteps, ...this.#end };
  }

  #add(step: TraceStep): void {
    if (this.isFinished) return;
    if (this.#steps.length < MAX_STEPS) this.#steps.push(step);
    else this.#omittedSteps++;
  }

  #sinceStart(): number {
    return this.#clock.monotonic() - this.#startedMonotonicMs;
  }
}

function targetOf(
  { kind, group, plural }: ResourceType,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name?: string | undefined },
  subresource?: string,
): StepTarget {
  return {
    resource: resourceName(group, plural, subresource),
    kind,
    ...(namespace && { namespace }),
    ...(name && { name }),
  };
}

function resourceName(group: string, plural: string, subresource: string | undefined): string {
  const resource = group === '' ? plural : `${plural}.${group}`;
  return subresource === undefined ? resource : `${resource}/${subresource}`;
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function outcomeOf(status: number): WriteStep['outcome'] {
  if (isSuccess(status)) return 'sent';
  return status === 409 ? 'conflict' : 'refused';
}

function isApply({ headers = {} }: TransportRequest): boolean {
  return String(headers['content-type'] ?? '').startsWith('application/apply-patch');
}

/** Finds kind, name and revision in the text of a response, whose first ones are those of the object or list itself. */
function seenIn(body: Uint8Array): { kind?: string; name?: string; revision?: string } {
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, MAX_SEARCHED_BYTES)).toString('latin1');
  const [, kind] = /"kind":\s?"(\w+)"/.exec(text) ?? [];
  const [, revision] = /"resourceVersion":\s?"(\d+)"/.exec(text) ?? [];
  const [, name] = /"metadata":\s?\{"name":\s?"([^"]+)"/.exec(text) ?? [];
  return { ...(kind && { kind }), ...(name && { name }), ...(revision && { revision }) };
}
