import { nextTurn } from '@pintle/async';
import type { Store } from '@pintle/store';
import type * as prometheus from 'prom-client';
import { FlowMetrics } from '../flow/flow-metrics.ts';
import type { ResponseMemory } from '../request/response-memory.ts';
import { VERSION } from '../version.ts';
import { AuditMetrics } from './audit-metrics.ts';
import { HookMetrics } from './hook-metrics.ts';
import { metricsText } from './metrics-text.ts';
import { Counter, collectProcessMetrics, exponentialBuckets, Gauge, Registry } from './prometheus.ts';
import type { RequestLabels } from './request-labels.ts';
import type { Count } from './tally.ts';
import { Counts, Histograms, Readings } from './tally.ts';

/** Counts of one kind of resource in the store. */
export interface ResourceCount {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
}

/** Measures of requests of one kind. Labels are looked up once for all of them, for there are many requests. */
export interface RequestSeries {
  answered(code: number, seconds: number): void;
  sized(bytes: number): void;
  /** Call what comes back exactly once, when the request has ended. */
  beginLongRunning(): () => void;
  /** An event was sent. */
  watched(bytes: number): void;
}

type MemoryReading = Pick<ResponseMemory, 'heldBytes' | 'maxBytes' | 'waiting'>;

const REQUEST_LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
/** Objectives are not about the smallest times. */
const OBJECTIVE_BUCKETS = DURATION_BUCKETS.filter((bound) => bound >= 0.05);
/** How long these take is up to the client. */
const OPEN_ENDED = new Set(['WATCH', 'CONNECT']);
const EVENT_SIZE_BUCKETS = exponentialBuckets(1024, 2, 8);
const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** What the server counts and measures, under the names that dashboards for Kubernetes know. */
export class ServerMetrics {
  readonly registry = new Registry();
  readonly webhooks = new HookMetrics(this.registry);
  readonly flow = new FlowMetrics(this.registry);
  readonly audit = new AuditMetrics(this.registry);
  readonly #requests: Counts;
  readonly #durations: Histograms;
  readonly #objectives: Histograms;
  readonly #sizes: Histograms;
  readonly #inFlight = { mutating: 0, readOnly: 0 };
  readonly #longRunning: prometheus.Gauge;
  readonly #watchEvents: Counts;
  readonly #watchSizes: Histograms;
  readonly #healthChecks: prometheus.Gauge;
  readonly #healthCheckRuns: prometheus.Counter;
  /** Bounded because the values of labels are. */
  readonly #series = new Map<string, RequestSeries>();
  /** As they were when somebody last asked. */
  #objects: readonly ResourceCount[] = [];
  #hasProcessMetrics = false;
  /** Set by who serves the answers. */
  responseMemory: MemoryReading | undefined;

  constructor() {
    const { registry } = this;
    const registers = [registry];
    this.#requests = new Counts({
      name: 'apiserver_request_total',
      help: 'Requests by what they asked for and how they were answered.',
      registry,
    });
    this.#durations = new Histograms({
      name: 'apiserver_request_duration_seconds',
      help: 'How long requests took, until their answer was made whole.',
      registry,
      bounds: DURATION_BUCKETS,
    });
    this.#objectives = new Histograms({
      name: 'apiserver_request_sli_duration_seconds',
      help: 'How long requests took that end by themselves, for objectives; time in webhooks is part of it.',
      registry,
      bounds: OBJECTIVE_BUCKETS,
    });
    this.#sizes = new Histograms({
      name: 'apiserver_response_sizes',
      help: 'Bytes in answers to reads, before compression.',
      registry,
      bounds: SIZE_BUCKETS,
    });
    const inFlight = this.#inFlight;
    new Gauge({
      name: 'apiserver_current_inflight_requests',
      help: 'Requests that are being answered, long-running ones aside.',
      labelNames: ['request_kind'],
      registers,
      collect() {
        for (const kind of ['mutating', 'readOnly'] as const) this.set({ request_kind: kind }, inFlight[kind]);
      },
    });
    this.#longRunning = new Gauge({
      name: 'apiserver_longrunning_requests',
      help: 'Watches and connections that are open.',
      labelNames: [...REQUEST_LABELS],
      registers,
    });
    this.#watchEvents = new Counts({
      name: 'apiserver_watch_events_total',
      help: 'Events sent to watchers.',
      registry,
    });
    this.#watchSizes = new Histograms({
      name: 'apiserver_watch_events_sizes',
      help: 'Bytes in events sent to watchers, before compression.',
      registry,
      bounds: EVENT_SIZE_BUCKETS,
    });
    this.#healthChecks = new Gauge({
      name: 'kubernetes_healthcheck',
      help: 'How a health check went last: 1 for well.',
      labelNames: ['name', 'type'],
      registers,
    });
    this.#healthCheckRuns = new Counter({
      name: 'kubernetes_healthchecks_total',
      help: 'Health checks by how they went.',
      labelNames: ['name', 'type', 'status'],
      registers,
    });
    new Readings({
      name: 'apiserver_storage_objects',
      help: 'Objects in the store.',
      registry,
      samples: () =>
        this.#objects.map(({ count, ...resource }) => ({ labels: { resource: fullName(resource) }, value: count })),
    });
    new Readings({
      name: 'apiserver_resource_objects',
      help: 'Objects in the store.',
      registry,
      samples: () => this.#objects.map(({ group, resource, count }) => ({ labels: { group, resource }, value: count })),
    });
    const memory = (name: string, help: string, read: (memory: MemoryReading) => number): void => {
      const samples = () => (this.responseMemory ? [{ labels: {}, value: read(this.responseMemory) }] : []);
      new Readings({ name: `pintle_response_memory_${name}`, help, registry, samples });
    };
    memory('bytes', 'Memory that answers hold until their clients have taken them.', ({ heldBytes }) => heldBytes);
    memory('limit_bytes', 'Memory that answers may hold.', ({ maxBytes }) => maxBytes);
    memory('waiting_requests', 'Requests that wait until answers hold less.', ({ waiting }) => waiting);
    this.#describeBuild();
  }

  /** Tells how much the store keeps of the past, and what of it is damaged. */
  followStore(store: Pick<Store, 'history' | 'damagedKeys'>): void {
    const { registry } = this;
    new Readings({
      name: 'pintle_store_damaged_objects',
      help: 'Objects that were found to be damaged and have not been deleted since.',
      registry,
      samples: () => [{ labels: {}, value: store.damagedKeys.size }],
    });
    new Readings({
      name: 'pintle_store_history_revisions',
      help: 'Revisions that the store can still read, besides the newest.',
      registry,
      samples: () => [{ labels: {}, value: store.history.revisions }],
    });
    new Readings({
      name: 'pintle_store_history_bytes',
      help: 'Bytes written since the last compaction, which history takes at most: in memory, and of values on disk.',
      registry,
      samples: () => {
        const { memoryBytes, diskBytes } = store.history;
        return [
          { labels: { place: 'memory' }, value: memoryBytes },
          { labels: { place: 'disk' }, value: diskBytes },
        ];
      },
    });
  }

  /** A request begins; call what comes back exactly once, when its answer is known. */
  begin(isMutating: boolean): () => void {
    const kind = isMutating ? 'mutating' : 'readOnly';
    this.#inFlight[kind]++;
    return () => {
      this.#inFlight[kind]--;
    };
  }

  /** The measures of requests that share these labels; the same ones at every call. */
  series(labels: RequestLabels): RequestSeries {
    const { verb, dry_run, group, version, resource, subresource, scope } = labels;
    const key = `${verb}|${dry_run}|${group}|${version}|${resource}|${subresource}|${scope}`;
    let series = this.#series.get(key);
    if (series === undefined) {
      series = this.#makeSeries(labels);
      this.#series.set(key, series);
    }
    return series;
  }

  #makeSeries({ dry_run, ...labels }: RequestLabels): RequestSeries {
    const { group, version, resource } = labels;
    const codes = new Map<number, Count>();
    const durations = this.#durations.of({ ...labels, dry_run });
    const objectives = OPEN_ENDED.has(labels.verb) ? undefined : this.#objectives.of(labels);
    const sizes = once(() => this.#sizes.of(labels));
    const longRunning = once(() => this.#longRunning.labels(labels));
    const events = once(() => this.#watchEvents.of({ group, version, resource }));
    const eventSizes = once(() => this.#watchSizes.of({ group, version, resource }));
    return {
      answered: (code, seconds) => {
        const count = codes.get(code) ?? this.#requests.of({ ...labels, dry_run, code: String(code) });
        codes.set(code, count);
        count.value++;
        durations.observe(seconds);
        objectives?.observe(seconds);
      },
      sized: (bytes) => sizes().observe(bytes),
      beginLongRunning: () => {
        longRunning().inc();
        return () => longRunning().dec();
      },
      watched: (bytes) => {
        events().value++;
        eventSizes().observe(bytes);
      },
    };
  }

  checked(type: string, name: string, isOk: boolean): void {
    this.#healthChecks.set({ name, type }, isOk ? 1 : 0);
    this.#healthCheckRuns.inc({ name, type, status: isOk ? 'success' : 'error' });
  }

  /** Everything as Prometheus' text, in pieces, with turns for others between them. */
  async text(counts: readonly ResourceCount[]): Promise<AsyncIterable<Uint8Array>> {
    await this.#collectProcessMetrics();
    this.#objects = counts;
    return metricsText(this.registry);
  }

  /** Only what the checks of health found. */
  async healthText(): Promise<string> {
    const names = ['kubernetes_healthcheck', 'kubernetes_healthchecks_total'];
    const texts = await Promise.all(names.map((name) => this.registry.getSingleMetricAsString(name)));
    return `${texts.join('\n')}\n`;
  }

  /** Numbers about the process are gathered from the first time on that somebody asks. */
  async #collectProcessMetrics(): Promise<void> {
    if (this.#hasProcessMetrics) return;
    this.#hasProcessMetrics = true;
    await nextTurn();
    collectProcessMetrics(this.registry);
    await nextTurn();
  }

  #describeBuild(): void {
    const build = {
      major: VERSION.major,
      minor: VERSION.minor,
      git_version: VERSION.gitVersion,
      git_commit: VERSION.gitCommit,
      git_tree_state: VERSION.gitTreeState,
      build_date: VERSION.buildDate,
      go_version: VERSION.goVersion,
      compiler: VERSION.compiler,
      platform: VERSION.platform,
    };
    new Gauge({
      name: 'kubernetes_build_info',
      help: 'The Kubernetes whose API this is.',
      labelNames: Object.keys(build),
      registers: [this.registry],
    }).set(build, 1);
  }
}

function fullName({ group, resource }: Pick<ResourceCount, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** Makes it with the first call: what never happens is not in the text. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
