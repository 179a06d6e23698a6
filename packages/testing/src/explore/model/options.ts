import type { Client } from '@pintle/client';
import type { Duration } from '../../duration.ts';
import type { ControlPlaneOptions, OperatorOptions } from '../../options.ts';
import type { ControlPlane } from '../../plane/control-plane.ts';
import type { Setup } from '../../plane/operator.ts';
import type { Plan } from './plan.ts';

/** Arguments of a scenario. */
export interface ScenarioContext {
  /** Client of a user who may do everything. */
  readonly client: Client;
  /** Resolves when the operator and the controllers have nothing left to do. */
  settle(): Promise<void>;
  /** Advances the plane's clock. */
  advance(by: Duration): Promise<void>;
  /** Runs a named part of the scenario. Shrinking leaves out parts that a finding does not need. */
  step<T>(name: string, act: () => Promise<T>): Promise<T | undefined>;
  /** The control plane of this run. */
  readonly plane: ControlPlane;
}

/** Requests of users: create, change, delete, create again. */
export type Scenario = (context: ScenarioContext) => Promise<unknown>;

/** Creates scenarios; the same seed gives the same scenario. */
export interface Inputs {
  scenario(seed: number | string): Scenario;
}

/** Throws or returns false when a condition does not hold at a rest of the operator. */
export type Invariant = (context: {
  readonly client: Client;
  readonly plane: ControlPlane;
}) => unknown | Promise<unknown>;

/** A difference that is intended. */
export interface Ignored {
  /** The object, as findings name it, such as `configmaps default/cache`; `*` stands for any run of characters. */
  readonly object?: string;
  /** The field, such as `status.attempts`; `*` stands for any run of characters. */
  readonly field?: string;
  /** The rule, as findings name it. */
  readonly rule?: string;
  /** Reason why it is intended. */
  readonly reason: string;
}

export interface Budget {
  /** Time limit in seconds. Default: 30. */
  readonly seconds?: number;
  /** Most plans to run. Default: unlimited. */
  readonly plans?: number;
  /** Findings after which exploring ends. Default: 5. */
  readonly findings?: number;
}

/** Progress of an exploration. */
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

/** A program that is an operator, and reads `KUBECONFIG`. */
export interface ProgramOptions {
  /** Path, or name in `PATH`. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd?: string;
  /** Environment variables besides those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface ExploreOptions extends PlaneOptions {
  /** Adds the controllers of the operator to a manager. */
  readonly operator?: Setup;
  /** Runs the operator as a program instead, in any language. Its runs are not exactly repeatable. */
  readonly program?: ProgramOptions;
  /** Options of its manager: leader election, namespaces, user. */
  readonly manager?: Omit<OperatorOptions, 'name' | 'crashAfterWrite' | 'isRestarted'>;
  /** Default: the scenario of `inputs`. */
  readonly scenario?: Scenario;
  /** Creates the scenario: `fromSchema(Fruit)`. */
  readonly inputs?: Inputs;
  /** Called before each run, to reset state outside of the API, such as a fake cloud. */
  readonly reset?: () => unknown;
  readonly budget?: Budget;
  /** Seed of uids, generated names and pairs of faults. Default: 1. */
  readonly seed?: number | string;
  /** Conditions that must hold at every rest while the operator runs, by name. */
  readonly invariants?: Readonly<Record<string, Invariant>>;
  readonly ignore?: readonly Ignored[];
  /** Plan to replay instead of exploring. */
  readonly plan?: Plan;
  /** Called after every 20 plans. */
  readonly onProgress?: (progress: Progress) => void;
  /** Choice of plans. `random` draws faults and points evenly, for comparison. Default: `planned`. */
  readonly strategy?: 'planned' | 'random';
}
