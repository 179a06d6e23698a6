import type { Client } from '@pintle/client';
import type { Duration } from '../../duration.ts';
import type { ControlPlaneOptions, OperatorOptions } from '../../options.ts';
import type { ControlPlane } from '../../plane/control-plane.ts';
import type { Setup } from '../../plane/operator.ts';
import type { Plan } from './plan.ts';

/** What a scenario works with. */
export interface ScenarioContext {
  /** Talks to the server as a user who may do everything. */
  readonly client: Client;
  /** Resolves when everything has come to rest: the operator has done what it wants to do. */
  settle(): Promise<void>;
  /** Lets time pass. */
  advance(by: Duration): Promise<void>;
  /** Runs a part of the scenario under a name. Shrinking leaves out parts that a finding does not need. */
  step<T>(name: string, act: () => Promise<T>): Promise<T | undefined>;
  /** The control plane of this run. */
  readonly plane: ControlPlane;
}

/** The life of some objects, as users lead it: create, change, delete, create again. */
export type Scenario = (context: ScenarioContext) => Promise<unknown>;

/** Makes scenarios, the same of the same seed. */
export interface Inputs {
  scenario(seed: number | string): Scenario;
}

/** Must hold whenever everything rests: throws, or returns false, where it does not. */
export type Invariant = (context: {
  readonly client: Client;
  readonly plane: ControlPlane;
}) => unknown | Promise<unknown>;

/** A difference that is meant. */
export interface Ignored {
  /** The object, as findings name it, such as `configmaps default/cache`; `*` stands for any run of characters. */
  readonly object?: string;
  /** The field, such as `status.attempts`; `*` stands for any run of characters. */
  readonly field?: string;
  /** The rule, as findings name it. */
  readonly rule?: string;
  /** Why it is meant. */
  readonly reason: string;
}

export interface Budget {
  /** How long exploring may take. Default: 30. */
  readonly seconds?: number;
  /** How many plans are run at most. Default: as many as there is time for. */
  readonly plans?: number;
  /** Ends when so many findings were made. Default: 5. */
  readonly findings?: number;
}

/** How far an exploration has come. */
export interface Progress {
  readonly plans: number;
  readonly planned: number;
  readonly findings: number;
  readonly elapsedMs: number;
}

type PlaneOptions = Pick<
  ControlPlaneOptions,
  'crds' | 'objects' | 'webhooks' | 'users' | 'controllers' | 'nodes' | 'pods'
>;

export interface ExploreOptions extends PlaneOptions {
  /** Adds the controllers of the operator to a manager. */
  readonly operator: Setup;
  /** How its manager is made: leader election, namespaces, user. */
  readonly manager?: Omit<OperatorOptions, 'name' | 'crashAfterWrite' | 'isRestarted'>;
  /** The life of some objects. Default: what `inputs` make of a schema. */
  readonly scenario?: Scenario;
  /** Makes a scenario: `fromSchema(Fruit)`. */
  readonly inputs?: Inputs;
  /** Is called before each run: puts back what the operator keeps outside of the API, such as a pretended cloud. */
  readonly reset?: () => unknown;
  readonly budget?: Budget;
  /** Decides uids, names and the order of what is tried. Default: 1. */
  readonly seed?: number | string;
  /** By name: what must hold whenever everything rests. */
  readonly invariants?: Readonly<Record<string, Invariant>>;
  readonly ignore?: readonly Ignored[];
  /** Replays this plan in the place of exploring. */
  readonly plan?: Plan;
  /** Is called now and then while exploring. */
  readonly onProgress?: (progress: Progress) => void;
  /** How plans are chosen. `random` is for comparison: faults at random points. Default: `planned`. */
  readonly strategy?: 'planned' | 'random';
}
