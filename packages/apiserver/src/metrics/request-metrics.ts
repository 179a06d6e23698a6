import type { Clock } from '@pintle/async';
import { attempt } from '@pintle/async';
import type { Counter, Gauge, Histogram, MetricsRegistry, NumberCell } from '@pintle/metrics';
import { counter, gauge, histogram } from '@pintle/metrics';
import type { DiscoveryCatalog } from '../discovery/catalog.ts';
import { MEDIA_TYPES } from '../http/content-negotiation.ts';
import { toStatus } from '../http/status.ts';
import type { ApiResponse } from '../request/exchange.ts';
import { whenSent } from '../request/exchange.ts';
import type { RequestState, Stage } from '../request/pipeline.ts';
import type { PathRequest, ResourceRequest, Verb } from '../request/request-info.ts';
import { isLongRunning } from '../request/request-info.ts';

interface MetricsStageOptions {
  readonly metrics: RequestMetrics;
  readonly catalog: DiscoveryCatalog;
  readonly clock: Clock;
}

/** Counts and measures every request. Stands first, to include all other stages. */
export function metricsStage({ metrics, catalog, clock }: MetricsStageOptions): Stage {
  return (state, next) => {
    const labels = labelsOf(state, catalog);
    const series = metrics.series(labels);
    const startedMs = clock.monotonic();
    const finish = isLongRunning(state.info) ? series.beginLongRunning() : metrics.begin(isMutating(state));
    const end = (code: number): void => {
      finish();
      series.answered(code, (clock.monotonic() - startedMs) / 1000);
    };
    const sent = (response: ApiResponse): ApiResponse => {
      const { status, body } = response;
      const { verb } = labels;
      if (body instanceof Uint8Array && (verb === 'GET' || verb === 'LIST')) series.sized(body.length);
      return whenSent(response, state.request, {
        done: () => end(status),
        ...(verb === 'WATCH' && { chunk: (bytes: Uint8Array) => countEvents(bytes, response, series) }),
      });
    };
    return attempt(
      () => next(state),
      sent,
      (error) => {
        end(toStatus(error).code ?? 500);
        throw error;
      },
    );
  };
}

/** Counts the events of a watch: every line of JSON, and every chunk of other encodings. */
function countEvents(bytes: Uint8Array, { headers }: ApiResponse, series: RequestSeries): void {
  const isByLine = headers['content-type'] === MEDIA_TYPES.json;
  for (let start = 0, end = 0; start < bytes.length; start = end) {
    const newline = isByLine ? bytes.indexOf(LINE_FEED, start) : -1;
    end = newline < 0 ? bytes.length : newline + 1;
    series.watched(end - start);
  }
}

const LINE_FEED = 0x0a;

function isMutating({ request }: RequestState): boolean {
  return request.method !== 'GET' && request.method !== 'HEAD';
}

/** Metrics of requests with the same labels, whose cells are looked up once. */
export interface RequestSeries {
  answered(code: number, seconds: number): void;
  sized(bytes: number): void;
  /** Returns a function to call exactly once, when the request has ended. */
  beginLongRunning(): () => void;
  /** Counts an event that was sent. */
  watched(bytes: number): void;
}

const REQUEST_LABELS = ['verb', 'group', 'version', 'resource', 'subresource', 'scope', 'component'] as const;
const WATCH_LABELS = ['group', 'version', 'resource'] as const;
type RequestLabel = (typeof REQUEST_LABELS)[number];
type WatchLabel = (typeof WATCH_LABELS)[number];

const DURATION_BUCKETS = [
  0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60,
];
/** Service level objectives need no small buckets. */
const OBJECTIVE_BUCKETS = DURATION_BUCKETS.filter((bound) => bound >= 0.05);
/** Verbs whose duration the client decides. */
const OPEN_ENDED = new Set(['WATCH', 'CONNECT']);
const EVENT_SIZE_BUCKETS = Array.from({ length: 8 }, (_, power) => 1024 * 2 ** power);
const SIZE_BUCKETS = [1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9];

/** Counts and measures requests, under the names that dashboards for Kubernetes know. */
export class RequestMetrics {
  readonly #requests: Counter<RequestLabel | 'dry_run' | 'code'>;
  readonly #durations: Histogram<RequestLabel | 'dry_run'>;
  readonly #objectives: Histogram<RequestLabel>;
  readonly #sizes: Histogram<RequestLabel>;
  readonly #inFlight: Readonly<Record<'mutating' | 'readOnly', NumberCell>>;
  readonly #longRunning: Gauge<RequestLabel>;
  readonly #watchEvents: Counter<WatchLabel>;
  readonly #watchSizes: Histogram<WatchLabel>;
  /** Bounded because the label values are. */
  readonly #series = new Map<string, RequestSeries>();

  constructor(registry: MetricsRegistry) {
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
  }

  /** Counts a request in flight. Returns a function to call exactly once, when its response is known. */
  begin(isMutating: boolean): () => void {
    const count = this.#inFlight[isMutating ? 'mutating' : 'readOnly'];
    count.value++;
    return () => {
      count.value--;
    };
  }

  /** Returns the metrics for these labels: always the same object. */
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
}

/** Creates a cell with the first call: unused ones are not exposed. */
function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Labels of a request. Every value is one of a known set, whatever clients send. */
export interface RequestLabels {
  readonly verb: string;
  readonly dry_run: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly scope: string;
  readonly component: 'apiserver';
}

const METHODS: ReadonlySet<string> = new Set(['get', 'post', 'put', 'patch', 'delete', 'head', 'options']);
const VERBS: Readonly<Record<Verb, string>> = {
  get: 'GET',
  list: 'LIST',
  watch: 'WATCH',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETECOLLECTION',
  proxy: 'CONNECT',
  'unsafe-delete-ignore-read-errors': 'DELETE',
  '': 'OTHER',
};
const CONNECTIONS: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);
const PATHS = ['/api', '/apis', '/healthz', '/livez', '/metrics', '/openapi/v2', '/openapi/v3', '/readyz', '/version'];

export function labelsOf(state: RequestState, catalog: DiscoveryCatalog): RequestLabels {
  const { info } = state;
  return info.kind === 'path' ? ofPath(info) : ofResource(state, info, catalog);
}

function ofPath({ verb, path }: PathRequest): RequestLabels {
  const known = PATHS.find((candidate) => path === candidate || path.startsWith(`${candidate}/`)) ?? '';
  return {
    verb: METHODS.has(verb) ? verb.toUpperCase() : 'OTHER',
    dry_run: '',
    group: '',
    version: '',
    resource: '',
    subresource: known,
    scope: '',
    component: 'apiserver',
  };
}

/** Leaves the labels of unknown resources empty. */
function ofResource(state: RequestState, info: ResourceRequest, catalog: DiscoveryCatalog): RequestLabels {
  const found = catalog.resource(info);
  return {
    verb: verbOf(state, info),
    dry_run: dryRunOf(state.query),
    group: found ? info.group : '',
    version: found ? info.version : '',
    resource: found?.resource ?? '',
    subresource: found?.subresources.some(({ subresource }) => subresource === info.subresource)
      ? info.subresource
      : '',
    scope: scopeOf(info),
    component: 'apiserver',
  };
}

function verbOf({ request }: RequestState, { verb, subresource }: ResourceRequest): string {
  if (CONNECTIONS.has(subresource)) return 'CONNECT';
  const type = request.headers['content-type'];
  if (verb === 'patch' && typeof type === 'string' && type.startsWith('application/apply-patch')) return 'APPLY';
  return VERBS[verb];
}

function dryRunOf(query: URLSearchParams): string {
  const values = query.getAll('dryRun');
  if (values.length === 0) return '';
  return values.every((value) => value === 'All') ? 'All' : 'invalid';
}

function scopeOf({ name, verb, namespace }: ResourceRequest): string {
  if (name !== '' || verb === 'create') return 'resource';
  return namespace === '' ? 'cluster' : 'namespace';
}
