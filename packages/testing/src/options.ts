import type { KubernetesObject } from '@pintle/machinery';
import type { ManagerOptions } from '@pintle/operator';
import type { Stepped } from './clock/plane-clock.ts';
import type { PolicyRule } from './wire/permissions.ts';

export interface ControlPlaneOptions {
  /** Definitions of custom resources, or kinds that carry one; they are served once the plane has started. */
  readonly crds?: readonly Definition[];
  /** Created before the plane has started, in this order, with their status. */
  readonly objects?: readonly KubernetesObject[];
  /** Who may speak as `plane.as(name)`, and what for: without rules they may do what everybody may. */
  readonly users?: Readonly<Record<string, UserOptions>>;
  /** Built-in controllers to run, by the names of kube-controller-manager: `*` all, `-name` not this one. Default: none. */
  readonly controllers?: readonly string[];
  /** How many simulated nodes run pods. Default: none. */
  readonly nodes?: number;
  /** Default: the machine's. `stepped()`: one that only the test moves. */
  readonly clock?: Stepped;
  /** Where uids, generated names and jitter come from. Default: 1. */
  readonly seed?: number | string;
}

/** A CustomResourceDefinition, or what is defined by one. */
export type Definition = KubernetesObject | { readonly definition: KubernetesObject };

export interface UserOptions {
  readonly groups?: readonly string[];
  /** What they may do, everywhere. */
  readonly rules?: readonly PolicyRule[];
}

export interface PlaneManagerOptions extends Omit<ManagerOptions, 'client' | 'clock' | 'heartbeats' | 'random'> {
  /** What the request log calls it. Default: `operator`. */
  readonly name?: string;
  /** Whom it acts as, as `plane.as` takes it. Default: somebody who may do everything. */
  readonly user?: string;
}

export interface OperatorOptions extends PlaneManagerOptions {
  /**
   * Its process is gone when it has made so many writes: the last takes effect, and nobody hears of it. Events and leases
   * do not count.
   */
  readonly crashAfterWrite?: number;
  /** Whether another takes its place after a crash, with empty hands. Default: true. */
  readonly isRestarted?: boolean;
}
