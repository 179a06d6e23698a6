import type { PodRule } from '@pintle/controllers';
import type { KubernetesObject } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { ManagerOptions } from '@pintle/operator';
import type { MemoryDisk } from '@pintle/store';
import type { Environment } from './backend/environment.ts';
import type { Stepped } from './clock/plane-clock.ts';
import type { Duration } from './duration.ts';
import type { PolicyRule } from './requests/permissions.ts';

export interface ControlPlaneOptions {
  /** Definitions of custom resources, kinds that carry one, or files and folders with some. All are served at the start. */
  readonly crds?: readonly (Definition | string)[];
  /** Objects, or files and folders with some: created before the plane has started, in this order, with their status. */
  readonly objects?: readonly (KubernetesObject | string)[];
  /**
   * Webhooks to ask, without a port: those of an operator, or configurations that say where others are. They are asked
   * about everything but the objects above.
   */
  readonly webhooks?: readonly (WebhookHandlers | KubernetesObject)[];
  /** Who may speak as `plane.as(name)`, and what for: without rules they may do what everybody may. */
  readonly users?: Readonly<Record<string, UserOptions>>;
  /** Built-in controllers to run, by the names of kube-controller-manager: `*` all, `-name` not this one. Default: none. */
  readonly controllers?: readonly string[];
  /** How many simulated nodes run pods. Default: none. */
  readonly nodes?: number;
  /** How pods on simulated nodes behave. Default: as their annotations and commands say. */
  readonly pods?: PodRule;
  /** Default: the machine's. `stepped()`: one that only the test moves. */
  readonly clock?: Stepped;
  /** Where uids, generated names and jitter come from. Default: 1. */
  readonly seed?: number | string;
  /**
   * How long after the plane's start a wait that fails ends, in everybody's time. It then tells what is missing, so this has
   * to be less than what the test runner allows a test. Default: PINTLE_TEST_PATIENCE of the process's environment, else as
   * long as something is under way in the process, at most 3.5 s; longer where the server is elsewhere.
   */
  readonly patience?: Duration;
  /** Begins with what another plane held when this was taken, at that time. */
  readonly from?: PlaneSnapshot;
  /**
   * Says which server to run on: `USE_EXISTING_CLUSTER=true` the one of the kubeconfig, `KUBEBUILDER_ASSETS=DIR` the etcd
   * and kube-apiserver found there, else one in this process. Default: the process's environment.
   */
  readonly env?: Environment;
}

/** What a plane held at some moment. Any number of planes can begin with it. */
export interface PlaneSnapshot {
  readonly nowMs: number;
  readonly disk: MemoryDisk;
  /** Converts objects of the definitions that the plane was given. */
  readonly conversions?: WebhookHandlers;
  readonly options: ControlPlaneOptions;
}

/** A CustomResourceDefinition, or what is defined by one. */
export type Definition = KubernetesObject | { readonly definition: KubernetesObject };

/** Webhooks as `@pintle/operator` has them: reviews go in and come out answered. */
export interface WebhookHandlers {
  readonly name: string;
  handle(path: string, review: JsonObject, options: { readonly signal: AbortSignal }): Promise<JsonObject | undefined>;
  configurations(address: { readonly url: string }): {
    readonly mutating: KubernetesObject;
    readonly validating: KubernetesObject;
  };
}

export interface UserOptions {
  readonly groups?: readonly string[];
  /** What they may do, everywhere. */
  readonly rules?: readonly PolicyRule[];
}

export interface PlaneManagerOptions extends Omit<ManagerOptions, 'client' | 'clock' | 'heartbeats' | 'random'> {
  /** What the request log calls it too. Default: `operator`. */
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

/** How an operator runs by its manifests. Who it is and what it may do stands there. */
export interface DeployOptions extends Omit<OperatorOptions, 'name' | 'user'> {
  /** The folder or file that `pintle generate manifests` wrote. Default: `manifests`. */
  readonly manifests?: string;
}
