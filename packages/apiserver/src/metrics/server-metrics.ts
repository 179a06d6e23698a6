import { nextTurn } from '@pintle/async';
import type { Counter, Gauge, Histogram, MetricSource, NumberCell } from '@pintle/metrics';
import { counter, gauge, histogram, MetricsRegistry } from '@pintle/metrics';
import type { Store } from '@pintle/store';
import { FlowMetrics } from '../flow/flow-metrics.ts';
import type { ResponseMemory } from '../request/response-memory.ts';
import { VERSION } from '../version.ts';
import { AuditMetrics } from './audit-metrics.ts';
import { HookMetrics } from './hook-metrics.ts';
import type { RequestLabels } from './request-labels.ts';

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
const WATCH_LABELS = ['group', 'version', 'resource'] as const;
type RequestLabel = (typeof REQUEST_LABELS)[number];
type WatchLabel = (typeof WATCH_LABELS)[number];

const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
/** Objectives are not about the smallest times. */
const OBJECTIVE_BUCKETS = DURATION_BUCKETS.filter((bound) => bound >= 0.05);
/** How long these take is up to the client. */
const OPEN_ENDED = new Set(['WATCH', 'CONNECT']);
const EVENT_SIZE_BUCKETS = Array.from({ length: 8 }, (_, power) => 1024 * 2 ** power);
const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** What the server counts and measures, under the names that dashboards for Kubernetes know. */
export class ServerMetrics {
  readonly registry = new MetricsRegistry();
  readonly webhooks = new HookMetrics(this.registry);
  readonly flow = new FlowMetrics(this.registry);
  readonly audit = new AuditMetrics(this.registry);
  readonly #requests: Counter<RequestLabel | 'dry_run' | 'code'>;
  readonly #durations: Histogram<RequestLabel | 'dry_run'>;
  readonly #objectives: Histogram<RequestLabel>;
  readonly #sizes: Histogram<RequestLabel>;
  readonly #inFlight: Readonly<Record<'mutating' | 'readOnly', NumberCell>>;
  readonly #longRunning: Gauge<RequestLabel>;
  readonly #watchEvents: Counter<WatchLabel>;
  readonly #watchSizes: Histogram<WatchLabel>;
  readonly #healthChecks: Gauge<'name' | 'type'>;
  readonly #healthCheckRuns: Counter<'name' | 'type' | 'status'>;
  /** Bounded because the values of labels are. */
  readonly #series = new Map<string, RequestSeries>();
  /** As they were when somebody last asked. */
  #objects: readonly ResourceCount[] = [];
  #hasProcessMetrics = false;
  /** Set by who serves the answers. */
  responseMemory: MemoryReading | undefined;

  constructor() {
    const { registry } = this;
    this.#requests = registry.add(
      counter('apiserver_request_total', 'Requests by what they asked for and how they were answered.', [
        ...REQUEST_LABELS,
        'dry_run',
        'code',
      ]),
    );
    this.#durations = registry.add(
      histogram(
        'apiserver_request_duration_seconds',
        'How long requests took, until their answer was made whole.',
        [...REQUEST_LABELS, 'dry_run'],
        DURATION_BUCKETS,
      ),
    );
    this.#objectives = registry.add(
      histogram(
        'apiserver_request_sli_duration_seconds',
        'How long requests took that end by themselves, for objectives; time in webhooks is part of it.',
        REQUEST_LABELS,
        OBJECTIVE_BUCKETS,
      ),
    );
    this.#sizes = registry.add(
      histogram(
        'apiserver_response_sizes',
        'Bytes in answers to reads, before compression.',
        REQUEST_LABELS,
        SIZE_BUCKETS,
      ),
    );
    const inFlight = registry.add(
      gauge('apiserver_current_inflight_requests', 'Requests that are being answered, long-running ones aside.', [
        'request_kind',
      ]),
    );
    this.#inFlight = { mutating: inFlight.cell('mutating'), readOnly: inFlight.cell('readOnly') };
    this.#longRunning = registry.add(
      gauge('apiserver_longrunning_requests', 'Watches and connections that are open.', REQUEST_LABELS),
    );
    this.#watchEvents = registry.add(counter('apiserver_watch_events_total', 'Events sent to watchers.', WATCH_LABELS));
    this.#watchSizes = registry.add(
      histogram(
        'apiserver_watch_events_sizes',
        'Bytes in events sent to watchers, before compression.',
        WATCH_LABELS,
        EVENT_SIZE_BUCKETS,
      ),
    );
    this.#healthChecks = registry.add(
      gauge('kubernetes_healthcheck', 'How a health check went last: 1 for well.', ['name', 'type']),
    );
    this.#healthCheckRuns = registry.add(
      counter('kubernetes_healthchecks_total', 'Health checks by how they went.', ['name', 'type', 'status']),
    );
    registry.add(
      gauge('apiserver_storage_objects', 'Objects in the store.', ['resource'], (family) => {
        for (const resource of this.#objects) family.cell(fullName(resource)).value = resource.count;
      }),
    );
    registry.add(
      gauge('apiserver_resource_objects', 'Objects in the store.', ['group', 'resource'], (family) => {
        for (const { group, resource, count } of this.#objects) family.cell(group, resource).value = count;
      }),
    );
    const memory = (name: string, help: string, read: (memory: MemoryReading) => number): void => {
      registry.add(
        gauge(`pintle_response_memory_${name}`, help, [], (family) => {
          if (this.responseMemory) family.cell().value = read(this.responseMemory);
        }),
      );
    };
    memory('bytes', 'Memory that answers hold until their clients have taken them.', ({ heldBytes }) => heldBytes);
    memory('limit_bytes', 'Memory that answers may hold.', ({ maxBytes }) => maxBytes);
    memory('waiting_requests', 'Requests that wait until answers hold less.', ({ waiting }) => waiting);
    this.#describeBuild();
  }

  /** Tells how much the store keeps of the past, and what of it is damaged. */
  followStore(store: Pick<Store, 'history' | 'damagedKeys'>): void {
    const { registry } = this;
    const read = (name: string, help: string, value: () => number): void => {
      registry.add(gauge(name, help, [])).cell().read = value;
    };
    read(
      'pintle_store_damaged_objects',
      'Objects that were found to be damaged and have not been deleted since.',
      () => store.damagedKeys.size,
    );
    read(
      'pintle_store_history_revisions',
      'Revisions that the store can still read, besides the newest.',
      () => store.history.revisions,
    );
    const bytes = registry.add(
      gauge(
        'pintle_store_history_bytes',
        'Bytes written since the last compaction, which history takes at most: in memory, and of values on disk.',
        ['place'],
      ),
    );
    bytes.cell('memory').read = () => store.history.memoryBytes;
    bytes.cell('disk').read = () => store.history.diskBytes;
  }

  /** A request begins; call what comes back exactly once, when its answer is known. */
  begin(isMutating: boolean): () => void {
    const count = this.#inFlight[isMutating ? 'mutating' : 'readOnly'];
    count.value++;
    return () => {
      count.value--;
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
    const codes = new Map<number, NumberCell>();
    const durations = this.#durations.of({ ...labels, dry_run });
    const objectives = OPEN_ENDED.has(labels.verb) ? undefined : this.#objectives.of(labels);
    const sizes = once(() => this.#sizes.of(labels));
    const longRunning = once(() => this.#longRunning.of(labels));
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
        longRunning().add(1);
        return () => longRunning().add(-1);
      },
      watched: (bytes) => {
        events().value++;
        eventSizes().observe(bytes);
      },
    };
  }

  checked(type: string, name: string, isOk: boolean): void {
    this.#healthChecks.of({ name, type }).value = isOk ? 1 : 0;
    this.#healthCheckRuns.of({ name, type, status: isOk ? 'success' : 'error' }).add();
  }

  /** Everything as Prometheus' text, in pieces, with turns for others between them. */
  async text(counts: readonly ResourceCount[]): Promise<AsyncIterable<Uint8Array>> {
    await this.#collectProcessMetrics();
    this.#objects = counts;
    return this.registry.text();
  }

  /** Only what the checks of health found. */
  healthText(): string {
    return [...this.#healthChecks.text(), '\n', ...this.#healthCheckRuns.text(), '\n'].join('');
  }

  /** Numbers about the process are gathered from the first time on that somebody asks. */
  async #collectProcessMetrics(): Promise<void> {
    if (this.#hasProcessMetrics) return;
    this.#hasProcessMetrics = true;
    await nextTurn();
    this.registry.add(await openProcessMetrics());
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
    const names = Object.keys(build);
    const info = this.registry.add(gauge('kubernetes_build_info', 'The Kubernetes whose API this is.', names));
    info.cell(...Object.values(build)).value = 1;
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

/**
 * Numbers about the process from now on: memory, processor time, the event loop. The library that has them brings tracing and
 * gateways along: it is loaded when somebody asks for metrics.
 */
async function openProcessMetrics(): Promise<MetricSource> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { name: 'process', text: async () => [(await registry.metrics()).trimEnd()] };
}
