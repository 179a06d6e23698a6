import type { Registry } from 'prom-client';
import type { Count, HistogramTally } from '../metrics/tally.ts';
import { Counts, Histograms, Readings } from '../metrics/tally.ts';
import type { PriorityLevel, Refusal } from './priority-level.ts';

const WAIT_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const EXECUTION_BOUNDS = [0, 0.005, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30];
const SEAT_BOUNDS = [1, 2, 4, 10];

/** What is counted about the requests of one flow schema at one priority level. */
export interface FlowTally {
  readonly dispatched: Count;
  readonly waited: HistogramTally;
  readonly executed: HistogramTally;
  readonly seats: HistogramTally;
  rejected(why: Refusal): Count;
  inQueue: number;
  executing: number;
}

/** Flow control under Kubernetes' names. Bounded by how many schemas and levels there ever were. */
export class FlowMetrics {
  readonly #dispatched: Counts;
  readonly #rejected: Counts;
  readonly #waited: Histograms;
  readonly #executed: Histograms;
  readonly #seats: Histograms;
  readonly #tallies = new Map<string, { readonly labels: FlowLabels; readonly tally: FlowTally }>();
  /** What is there now; set by who controls the flow. */
  levels: () => Iterable<PriorityLevel> = () => [];

  constructor(registry: Registry) {
    const named = (name: string, help: string) => ({ name: `apiserver_flowcontrol_${name}`, help, registry });
    this.#dispatched = new Counts(named('dispatched_requests_total', 'Requests that were let through.'));
    this.#rejected = new Counts(named('rejected_requests_total', 'Requests that were turned away, and why.'));
    this.#waited = new Histograms({
      ...named('request_wait_duration_seconds', 'How long requests waited for seats.'),
      bounds: WAIT_BOUNDS,
    });
    this.#executed = new Histograms({
      ...named('request_execution_seconds', 'How long requests held their seats.'),
      bounds: EXECUTION_BOUNDS,
    });
    this.#seats = new Histograms({
      ...named('work_estimated_seats', 'How many seats requests took.'),
      bounds: SEAT_BOUNDS,
    });
    const flows = (name: string, help: string, read: (tally: FlowTally) => number): void => {
      const samples = () => [...this.#tallies.values()].map(({ labels, tally }) => ({ labels, value: read(tally) }));
      new Readings({ ...named(name, help), samples });
    };
    flows('current_inqueue_requests', 'Requests that wait for seats.', ({ inQueue }) => inQueue);
    flows('current_executing_requests', 'Requests that have seats.', ({ executing }) => executing);
    const levels = (name: string, help: string, read: (level: PriorityLevel) => number): void => {
      const samples = () =>
        [...this.levels()].map((level) => ({ labels: { priority_level: level.name }, value: read(level) }));
      new Readings({ ...named(name, help), samples });
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

interface FlowLabels extends Record<string, string> {
  readonly priority_level: string;
  readonly flow_schema: string;
}
