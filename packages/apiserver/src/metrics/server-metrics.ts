import { yieldToEventLoop } from '@pintle/async';
import type { Combination, Counter, Gauge, MetricSource, OtherMetrics } from '@pintle/metrics';
import { counter, gauge, MetricsRegistry } from '@pintle/metrics';
import type { Store } from '@pintle/store';
import { AuditMetrics } from '../audit/audit-sink.ts';
import { FlowMetrics } from '../flow/flow-metrics.ts';
import type { ResponseMemory } from '../request/response-memory.ts';
import { VERSION } from '../version.ts';
import { HookMetrics } from './hook-metrics.ts';
import { RequestMetrics } from './request-metrics.ts';
import { ShardMetrics } from './shard-metrics.ts';

/** Number of objects of a resource in the store. */
export interface ResourceCount {
  readonly group: string;
  readonly resource: string;
  readonly count: number;
}

type MemoryReading = Pick<ResponseMemory, 'heldBytes' | 'maxBytes' | 'waiting'>;

/** Metrics of the server, under the names that dashboards for Kubernetes use. */
export class ServerMetrics {
  readonly registry = new MetricsRegistry();
  readonly webhooks = new HookMetrics(this.registry);
  readonly flow = new FlowMetrics(this.registry);
  readonly audit = new AuditMetrics(this.registry);
  readonly requests = new RequestMetrics(this.registry);
  readonly shards = new ShardMetrics(this.registry);
  readonly #healthChecks: Gauge<'name' | 'type'>;
  readonly #healthCheckRuns: Counter<'name' | 'type' | 'status'>;
  /** Counts of the last scrape. */
  #objects: readonly ResourceCount[] = [];
  #hasProcessMetrics = false;
  /** Set by the server. */
  responseMemory: MemoryReading | undefined;

  constructor() {
    const { registry } = this;
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

  /** Adds metrics of the store's history and damaged objects. */
  followStore(store: Pick<Store, 'history' | 'damagedKeys' | 'staleMs'>): void {
    const { registry } = this;
    const read = (name: string, help: string, value: () => number): void => {
      registry.add(gauge(name, help, [])).cell().read = value;
    };
    read(
      'pintle_store_damaged_objects',
      'Objects that were found to be damaged and have not been deleted since.',
      () => store.damagedKeys.size,
    );
    if (store.staleMs !== undefined)
      read(
        'pintle_store_stale_seconds',
        'Time since the shared store last reported a change, or that there was none; caches may be that old.',
        () => store.staleMs! / 1000,
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

  /** Adds the number of processes, for a server that may have several. */
  followProcesses(count: () => number): void {
    this.registry
      .add(gauge('pintle_server_processes', 'Processes of this server that serve requests.', []))
      .cell().read = count;
  }

  checked(type: string, name: string, isOk: boolean): void {
    this.#healthChecks.of({ name, type }).value = isOk ? 1 : 0;
    this.#healthCheckRuns.of({ name, type, status: isOk ? 'success' : 'error' }).add();
  }

  /** Returns all metrics as Prometheus' text, in pieces between which it yields. */
  async text(
    counts: readonly ResourceCount[],
    others: readonly OtherMetrics[] = [],
  ): Promise<AsyncIterable<Uint8Array>> {
    await this.#collectProcessMetrics();
    this.#objects = counts;
    return this.registry.text({ others, combinationOf });
  }

  /** Returns the text of one source, for the process that adds up those of all. */
  async textOf(source: string): Promise<string> {
    await this.#collectProcessMetrics();
    return await this.registry.textOf(source);
  }

  /** Returns the metrics of health checks. */
  healthText(): string {
    return [...this.#healthChecks.text(), '\n', ...this.#healthCheckRuns.text(), '\n'].join('');
  }

  /** Begins to collect metrics of the process with the first scrape. */
  async #collectProcessMetrics(): Promise<void> {
    if (this.#hasProcessMetrics) return;
    this.#hasProcessMetrics = true;
    await yieldToEventLoop();
    this.registry.add(await openProcessMetrics());
    await yieldToEventLoop();
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

/** Gauges of what the processes of a server share: one value is that of all. */
const SHARED: ReadonlySet<string> = new Set([
  'apiserver_resource_objects',
  'apiserver_storage_objects',
  'kubernetes_build_info',
  'kubernetes_healthcheck',
  'nodejs_version_info',
  'pintle_store_damaged_objects',
  'pintle_store_history_revisions',
  'pintle_store_stale_seconds',
  'process_start_time_seconds',
]);
/** Gauges of which the largest is told: their sum means nothing. */
const LARGEST = 'nodejs_eventloop_lag_';

function combinationOf(name: string, type: string): Combination {
  if (type !== 'gauge') return 'sum';
  if (SHARED.has(name)) return 'first';
  return name.startsWith(LARGEST) ? 'largest' : 'sum';
}

function fullName({ group, resource }: Pick<ResourceCount, 'group' | 'resource'>): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/**
 * Collects metrics of the process: memory, CPU time, the event loop. Loads their library with the first scrape, because it
 * includes tracing and gateways.
 */
async function openProcessMetrics(): Promise<MetricSource> {
  const { collectDefaultMetrics, Registry } = await import('prom-client');
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return { name: 'process', text: async () => [(await registry.metrics()).trimEnd()] };
}
