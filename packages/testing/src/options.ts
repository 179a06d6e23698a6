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
  /** CustomResourceDefinitions, kinds that have one, or files and folders with some. All are served at the start. */
  readonly crds?: readonly (Definition | string)[];
  /** Objects, or files and folders with some. They are created before the plane has started, in this order, with their status. */
  readonly objects?: readonly (AnyObject | string)[];
  /**
   * Webhooks for the server to call: those of an operator, which need no port, or configurations with addresses. They are not
   * called for the objects above.
   */
  readonly webhooks?: readonly (WebhookHandlers | AnyObject)[];
  /** Users for `plane.as(name)` with their rights. A user without rules has the rights of every authenticated user. */
  readonly users?: Readonly<Record<string, UserOptions>>;
  /** Built-in controllers to run, by the names of kube-controller-manager: `*` all, `-name` not this one. Default: none. */
  readonly controllers?: readonly string[];
  /** Number of simulated nodes that run pods. Default: 0. */
  readonly nodes?: number;
  /** Decides how pods on simulated nodes behave. Default: by their annotations and commands. */
  readonly pods?: PodRule;
  /** Default: the machine's clock. `stepped()` gives a clock that only the test moves. */
  readonly clock?: Stepped;
  /** Seed of UIDs, generated names and jitter. Default: 1. */
  readonly seed?: number | string;
  /**
   * Real time after the plane's start at which a wait fails. It then reports what is missing, so this must be less than the
   * test runner's limit for a test. Default: PINTLE_TEST_PATIENCE of the environment, else as long as work is under way in the
   * process, at most 3.5 s; longer when the server is in another process.
   */
  readonly patience?: Duration;
  /** Starts with the objects and the time of another plane. */
  readonly from?: PlaneSnapshot | Promise<PlaneSnapshot>;
  /**
   * Selects the server: `USE_EXISTING_CLUSTER=true` the one of the kubeconfig, `KUBEBUILDER_ASSETS=DIR` the etcd and
   * kube-apiserver in that folder, else one in this process. Default: the process's environment.
   */
  readonly env?: Environment;
}

/** Objects and time of a plane at some moment. Any number of planes can start with it. */
export interface PlaneSnapshot {
  readonly nowMs: number;
  readonly disk: MemoryDisk;
  /** True when the objects come from another cluster, which may lack some that every plane has. */
  readonly isForeign?: boolean;
  /** Converts objects of the plane's definitions. */
  readonly conversions?: WebhookHandlers;
  readonly options: ControlPlaneOptions;
}

/** An object of any kind. The second form admits the fields of its kind in an object that is written in place. */
export type AnyObject = KubernetesObject | (KubernetesObject & { readonly [field: string]: unknown });

/** A CustomResourceDefinition, or a kind that has one. */
export type Definition = AnyObject | { readonly definition: KubernetesObject };

/** Webhooks as `@pintle/operator` has them: a review goes in, and comes out with its response. */
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
  /** Rights in all namespaces. */
  readonly rules?: readonly PolicyRule[];
}

export interface PlaneManagerOptions extends Omit<ManagerOptions, 'client' | 'clock' | 'heartbeats' | 'random'> {
  /** Name of the manager, also in the request log. Default: `operator`. */
  readonly name?: string;
  /** User that it acts as, like the one of `plane.as`. Default: an administrator. */
  readonly user?: string;
  /** True: the test goes on when a reconcile does not await what it began, and retries. Default: waits and `close` reject. */
  readonly allowsUnawaited?: boolean;
}

export interface OperatorOptions extends PlaneManagerOptions {
  /**
   * Kills its process after so many writes. The last write takes effect, but its response is lost. Events and leases do not
   * count.
   */
  readonly crashAfterWrite?: number;
  /** Starts another process after a crash, with empty caches. Default: true. */
  readonly isRestarted?: boolean;
}

/** Options of an operator that runs by its manifests, which have its name, user and rights. */
export interface DeployOptions extends Omit<OperatorOptions, 'name' | 'user'> {
  /** The folder or file that `pintle generate manifests` wrote. Default: `manifests`. */
  readonly manifests?: string;
}
