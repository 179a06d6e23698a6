import type { Clock } from '@pintle/async';
import type { AddOptions, CachedClient, SharedInformers } from '@pintle/client';
import type { Log } from './controller.ts';
import type { Reason } from './reason.ts';
import type { Request } from './request.ts';

/** What a source may use, and where it puts what it hears. */
export interface SourceSink {
  readonly client: CachedClient;
  readonly informers: SharedInformers;
  readonly clock: Clock;
  readonly log: Log;
  enqueue(request: Request, reason: Reason, options?: AddOptions): void;
  /** All main objects there are. */
  enqueueAll(reason: Reason): void;
}

/** Where a controller hears that something changed. */
export interface Source {
  /** For people who wait for it: `Deployment`. */
  readonly what: string;
  /** How many changes it has heard of and is about to put into the queue. Default: it puts them there at once. */
  readonly mapping?: number;
  /** Begins to hear. May be called before the controller works, so that its caches are warm. */
  open(sink: SourceSink): OpenSource;
}

export interface OpenSource extends Disposable {
  /** What was there at the beginning has been put into the queue. */
  readonly synced: Promise<void>;
  /** Why it is not synced yet, where something failed that is tried again. */
  readonly lastError?: unknown;
  /** Runs while the controller does, for sources that have work of their own. */
  run?(options: { readonly signal: AbortSignal }): Promise<void>;
}
