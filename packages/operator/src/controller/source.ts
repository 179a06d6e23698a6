import type { Clock } from '@pintle/async';
import type { AddOptions, CachedClient, SharedInformers } from '@pintle/client';
import type { Log } from './controller.ts';
import type { Reason } from './reason.ts';
import type { Request } from './request.ts';

/** Controller, as a source uses it. */
export interface SourceSink {
  readonly client: CachedClient;
  readonly informers: SharedInformers;
  readonly clock: Clock;
  readonly log: Log;
  enqueue(request: Request, reason: Reason, options?: AddOptions): void;
  /** Enqueues all main objects. */
  enqueueAll(reason: Reason): void;
}

/** Source of requests for a controller. */
export interface Source {
  /** Description for errors about sources that do not sync: `Deployment`. */
  readonly what: string;
  /** Number of changes that are not in the queue yet. Default: 0. */
  readonly mapping?: number;
  /** Starts to enqueue. May be called before the controller works, so that its caches are warm. */
  open(sink: SourceSink): OpenSource;
}

export interface OpenSource extends Disposable {
  /** Resolves once the initial objects are in the queue. */
  readonly synced: Promise<void>;
  /** Last error while it is not synced; the source retries. */
  readonly lastError?: unknown;
  /** Runs while the controller does. */
  run?(options: { readonly signal: AbortSignal }): Promise<void>;
}
