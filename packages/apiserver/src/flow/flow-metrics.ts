import type { Counter, Histogram, HistogramCell, Labels, MetricsRegistry, NumberCell } from '@pintle/metrics';
import { counter, gauge, histogram } from '@pintle/metrics';
import type { PriorityLevel, Refusal } from './priority-level.ts';

const WAIT_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const EXECUTION_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const SEAT_BOUNDS = [1, 2, 4, 10];

const FLOW_LABELS = ['priority_level', 'flow_schema'] as const;
type FlowLabel = (typeof FLOW_LABELS)[number];
type FlowLabels = Labels<FlowLabel>;

/** Metrics of one flow schema at one priority level. */
export interface FlowTally {
  readonly dispatched: NumberCell;
  readonly waited: HistogramCell;
  readonly executed: HistogramCell;
  readonly seats: HistogramCell;
  rejected(why: Refusal): NumberCell;
  inQueue: number;
  executing: number;
}

/** Metrics of flow control under Kubernetes' names. Bounded by the number of schemas and levels that ever existed. */
export class FlowMetrics {
  readonly #dispatched: Counter<FlowLabel>;
  readonly #rejected: Counter<FlowLabel | 'reason'>;
  readonly #waited: Histogram<FlowLabel | 'execute'>;
  readonly #executed: Histogram<FlowLabel | 'type'>;
  readonly #seats: Histogram<FlowLabel>;
  readonly #tallies = new Map<string, { readonly labels: FlowLabels; readonly tally: FlowTally }>();
  /** Current levels; set by `FlowControl`. */
  levels: () => Iterable<PriorityLevel> = () => [];

  constructor(registry: MetricsRegistry) {
    const named = (name: string): string => `apiserver_flowcontrol_${name}`;
    this.#dispatched = registry.add(
      counter(named('dispatched_requests_total'), 'Requests that were let through.', FLOW_LABELS),
    );
    this.#rejected = registry.add(
      counter(named('rejected_requests_total'), 'Requests that were turned away, and why.', [...FLOW_LABELS, 'reason']),
    );
    const measured = <L extends string>(name: string, help: string, labels: readonly L[], bounds: readonly number[]) =>
      registry.add(histogram(named(name), help, [...FLOW_LABELS, ...labels], bounds));
    this.#waited = measured(
      'request_wait_duration_seconds',
      'How long requests waited for seats.',
      ['execute'],
      WAIT_BOUNDS,
    );
    this.#executed = measured(
      'request_execution_seconds',
      'How long requests held their seats.',
      ['type'],
      EXECUTION_BOUNDS,
    );
    this.#seats = measured('work_estimated_seats', 'How many seats requests took.', [], SEAT_BOUNDS);
    const flows = (name: string, help: string, read: (tally: FlowTally) => number): void => {
      registry.add(
        gauge(named(name), help, FLOW_LABELS, (family) => {
          for (const { labels, tally } of this.#tallies.values()) family.of(labels).value = read(tally);
        }),
      );
    };
    flows('current_inqueue_requests', 'Requests that wait for seats.', ({ inQueue }) => inQueue);
    flows('current_executing_requests', 'Requests that have seats.', ({ executing }) => executing);
    const levels = (name: string, help: string, read: (level: PriorityLevel) => number): void => {
      registry.add(
        gauge(named(name), help, ['priority_level'], (family) => {
          for (const level of this.levels()) family.cell(level.name).value = read(level);
        }),
      );
    };
    levels('nominal_limit_seats', 'The share of the server that a level is given.', ({ limits }) => limits.nominal);
    levels('lower_limit_seats', 'What a level keeps whatever others need.', ({ limits }) => limits.lower);
    levels('upper_limit_seats', 'What a level may have while others have no need.', ({ limits }) => limits.upper);
    levels('current_limit_seats', 'What a level has with what it borrowed and lent.', ({ limit }) => limit);
    levels('current_executing_seats', 'Seats that are taken.', ({ seatsInUse }) => seatsInUse);
    levels('demand_seats_high_watermark', 'The most seats that could be used at once.', ({ highDemand }) => highDemand);
  }

  of(schema: string, level: string): FlowTally {
    const key = `${level}|${schema}`;
    const known = this.#tallies.get(key);
    if (known !== undefined) return known.tally;
    const labels: FlowLabels = { priority_level: level, flow_schema: schema };
    const tally: FlowTally = {
      dispatched: this.#dispatched.of(labels),
      waited: this.#waited.of({ ...labels, execute: 'true' }),
      executed: this.#executed.of({ ...labels, type: 'regular' }),
      seats: this.#seats.of(labels),
      rejected: (reason) => this.#rejected.of({ ...labels, reason }),
      inQueue: 0,
      executing: 0,
    };
    this.#tallies.set(key, { labels, tally });
    return tally;
  }
}
