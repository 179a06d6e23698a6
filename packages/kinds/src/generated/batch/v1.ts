import type { KubernetesList, KubernetesObject, ObjectMeta, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { ObjectReference, PodTemplateSpec } from '../core/v1.ts';
import type { LabelSelector, Time } from '../meta/v1.ts';

/** Makes Jobs at set times. */
export interface CronJob extends KubernetesObject {
  /** When Jobs are made, and how. */
  spec: CronJobSpec;
  /** Which Jobs run, and when the last ones were made. */
  status?: CronJobStatus;
}
export const CronJob: ResourceType<CronJob, 'Namespaced'> = /* @__PURE__ */ resourceType<CronJob, 'Namespaced'>({ group: 'batch', version: 'v1', kind: 'CronJob', plural: 'cronjobs', scope: 'Namespaced', shortNames: ['cj'], categories: ['all'] });

/** A list of CronJobs. */
export type CronJobList = KubernetesList<CronJob>;

/** The desired state of a CronJob. */
export interface CronJobSpec {
  /**
   * Says what happens if a Job is due while the previous one still runs.
   * - `Allow`: Both run.
   * - `Forbid`: The new one is skipped.
   * - `Replace`: The old one is ended, and the new one takes its place.
   * @default "Allow"
   */
  concurrencyPolicy?: 'Allow' | 'Forbid' | 'Replace';
  /**
   * How many Jobs that failed are kept.
   * @default 1
   */
  failedJobsHistoryLimit?: number;
  /** The template from which Jobs are made. */
  jobTemplate: JobTemplateSpec;
  /**
   * When Jobs are made, in Cron's five columns, as `30 4 * * 1-5`, or as `@hourly` and the like. A time zone does not
   * belong here.
   */
  schedule: string;
  /**
   * How many seconds late a Job may still start; without it, there is no deadline. A Job that misses the deadline is
   * skipped and counts as failed.
   */
  startingDeadlineSeconds?: number;
  /**
   * How many Jobs that succeeded are kept.
   * @default 3
   */
  successfulJobsHistoryLimit?: number;
  /**
   * Whether no further Jobs are made. Jobs that run are not affected.
   * @default false
   */
  suspend?: boolean;
  /** The time zone of `schedule`, as `Europe/Berlin`. Without it, that of the controller manager applies. */
  timeZone?: string;
}

/** Which Jobs of a CronJob run, and when the last ones were made. */
export interface CronJobStatus {
  /** The Jobs that run at present. */
  active?: ObjectReference[];
  /** The scheduled time of the Job that was made last. */
  lastScheduleTime?: Time;
  /** When a Job last succeeded. */
  lastSuccessfulTime?: Time;
}

/** Runs pods until a number of them have ended with success. */
export interface Job extends KubernetesObject {
  /** How many pods should succeed, how they are made and what happens when they fail. */
  spec?: JobSpec;
  /** How far the Job has come. */
  status?: JobStatus;
}
export const Job: ResourceType<Job, 'Namespaced'> = /* @__PURE__ */ resourceType<Job, 'Namespaced'>({ group: 'batch', version: 'v1', kind: 'Job', plural: 'jobs', scope: 'Namespaced', categories: ['all'] });

/** An observation about the state of a Job. */
export interface JobCondition {
  /** When the condition was last looked at. */
  lastProbeTime?: Time | null;
  /** When `status` last changed. */
  lastTransitionTime?: Time | null;
  /** An explanation of the last change for people. */
  message?: string;
  /** The reason of the last change as a CamelCase word, such as `BackoffLimitExceeded`. */
  reason?: string;
  /** Whether the condition holds, one of `True`, `False` and `Unknown`. */
  status: string;
  /** The name of the condition, such as `Complete`. */
  type: string;
}

/** A list of Jobs. */
export type JobList = KubernetesList<Job>;

/** The desired state of a Job. */
export interface JobSpec {
  /**
   * How many seconds the Job may be active before its pods are ended and it fails. Time while it is suspended does not
   * count.
   */
  activeDeadlineSeconds?: number;
  /** How many failures of pods the Job survives. The server sets 6, or 2147483647 if `backoffLimitPerIndex` is given. */
  backoffLimit?: number;
  /**
   * How many failures each index survives before it counts as failed. It needs `completionMode` `Indexed` and restart
   * policy `Never`. It cannot change after creation.
   */
  backoffLimitPerIndex?: number;
  /**
   * Says what counts as the completion of the Job. It cannot change after creation.
   * - `Indexed`: One success for each index from 0 to `completions` - 1, which the pod finds in an annotation and in
   * `JOB_COMPLETION_INDEX`.
   * - `NonIndexed`: As many successes as `completions` says.
   * @default "NonIndexed"
   */
  completionMode?: 'Indexed' | 'NonIndexed';
  /**
   * How many pods must succeed; without it one success ends the Job, and the server sets 1 if `parallelism` is absent
   * too. It can change only for indexed Jobs, together with `parallelism`.
   */
  completions?: number;
  /**
   * The controller that runs the Job, a domain with a path, at most 63 characters. Without it, or with
   * `kubernetes.io/job-controller`, the built-in one does. It cannot change after creation.
   */
  managedBy?: string;
  /**
   * Whether `selector` and the template's labels are written by hand. Otherwise the server makes them from the Job's
   * UID.
   * @default false
   */
  manualSelector?: boolean;
  /**
   * How many indexes may fail before the whole Job does. It needs `backoffLimitPerIndex`; without it, all indexes are
   * run.
   */
  maxFailedIndexes?: number;
  /**
   * How many pods may run at the same time. Fewer run when fewer are left to do; 0 pauses the Job.
   * @default 1
   */
  parallelism?: number;
  /**
   * Rules that decide by exit codes and conditions what the failure of a pod means. It needs restart policy `Never`.
   * It cannot change after creation.
   */
  podFailurePolicy?: PodFailurePolicy;
  /**
   * When a new pod is made for one that ends. With a `podFailurePolicy` only `Failed` is allowed, which the server
   * then sets; else it sets `TerminatingOrFailed`.
   * - `Failed`: Once the old pod has ended.
   * - `TerminatingOrFailed`: As soon as the old pod is being ended.
   */
  podReplacementPolicy?: 'Failed' | 'TerminatingOrFailed';
  /**
   * Selects the pods of the Job. The server sets it unless `manualSelector` is `true`. It cannot change after
   * creation.
   */
  selector?: LabelSelector;
  /**
   * When an indexed Job counts as successful before all of its indexes have succeeded. It cannot change after
   * creation.
   */
  successPolicy?: SuccessPolicy;
  /**
   * Whether the Job is suspended. Suspending a running Job ends its pods and resets its start time.
   * @default false
   */
  suspend?: boolean;
  /**
   * The template from which pods are made, with restart policy `Never` or `OnFailure`. It is fixed, except for
   * scheduling and resources while the Job is suspended.
   */
  template: PodTemplateSpec;
  /** How many seconds after its end the Job is deleted. Without it, the Job stays; 0 deletes it at once. */
  ttlSecondsAfterFinished?: number;
}

/** How far a Job has come, as last seen. */
export interface JobStatus {
  /** How many pods are pending or running, without those that are being ended. */
  active?: number;
  /** The indexes that have succeeded, as `1,3-5,7`. */
  completedIndexes?: string;
  /** When the Job succeeded. It is absent if the Job failed, and does not change. */
  completionTime?: Time;
  /** Observations such as `Complete`, `Failed`, `Suspended`, `SuccessCriteriaMet` and `FailureTarget`. */
  conditions?: JobCondition[];
  /** How many pods have failed. */
  failed?: number;
  /** The indexes that have failed for good, as `1,3-5,7`. It needs `backoffLimitPerIndex`. */
  failedIndexes?: string;
  /** How many active pods are ready. */
  ready?: number;
  /** When the controller took up the Job. Suspension resets it. */
  startTime?: Time;
  /** How many pods have succeeded. */
  succeeded?: number;
  /** How many pods are being ended, but are not gone yet. */
  terminating?: number;
  /** Pods that have ended, but are not in the counts yet. */
  uncountedTerminatedPods?: UncountedTerminatedPods;
}

/** A Job as a CronJob creates it, without a name of its own. */
export interface JobTemplateSpec {
  /** The labels and annotations that Jobs made from the template get. */
  metadata?: ObjectMeta;
  /** The `spec` that Jobs made from the template get. */
  spec?: JobSpec;
}

/** Says what the failure of a pod means for its Job. */
export interface PodFailurePolicy {
  /** The rules, at most 20. The first one that fits counts; if none does, the failure counts towards `backoffLimit`. */
  rules: PodFailurePolicyRule[];
}

/** A set of exit codes of containers. */
export interface PodFailurePolicyOnExitCodesRequirement {
  /** The container whose exit code counts. Without it, those of all containers do. */
  containerName?: string;
  /**
   * How exit codes are compared. Code 0 is left out.
   * - `In`: At least one is in `values`.
   * - `NotIn`: At least one is not in `values`.
   */
  operator: 'In' | 'NotIn';
  /** The exit codes in ascending order, 1 to 255 of them. 0 is not allowed with `In`. */
  values: number[];
}

/** A condition of a pod. */
export interface PodFailurePolicyOnPodConditionsPattern {
  /**
   * The status that the condition must have.
   * @default "True"
   */
  status?: string;
  /** The type that the condition must have, such as `DisruptionTarget`. */
  type: string;
}

/** Says what the failure of certain pods means. Exactly one of `onExitCodes` and `onPodConditions` is given. */
export interface PodFailurePolicyRule {
  /**
   * Says what is done when a pod fails and the rule fits.
   * - `Count`: The failure counts towards `backoffLimit`.
   * - `FailIndex`: The pod's index fails without further tries.
   * - `FailJob`: The whole Job fails.
   * - `Ignore`: The failure does not count, and a new pod is made.
   */
  action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore';
  /** The exit codes of containers to which the rule applies. */
  onExitCodes?: PodFailurePolicyOnExitCodesRequirement;
  /** Conditions of the pod to which the rule applies, at most 20. One that fits is enough. */
  onPodConditions?: PodFailurePolicyOnPodConditionsPattern[];
}

/** When an indexed Job counts as successful before all of its indexes have succeeded. */
export interface SuccessPolicy {
  /** The rules, 1 to 20. The first one that fits ends the Job and its remaining pods. */
  rules: SuccessPolicyRule[];
}

/** Which indexes, or how many of them, must succeed. At least one field is given. */
export interface SuccessPolicyRule {
  /** How many indexes must succeed, of those in `succeededIndexes` or of all. */
  succeededCount?: number;
  /** The indexes that must succeed, as `1,3-5,7`. Without it, all indexes are meant. */
  succeededIndexes?: string;
}

/**
 * Pods that have ended, but are not in the counts of their Job yet. The controller moves them there when it removes
 * their finalizers.
 */
export interface UncountedTerminatedPods {
  /** The UIDs of the pods that failed. */
  failed?: string[];
  /** The UIDs of the pods that succeeded. */
  succeeded?: string[];
}
