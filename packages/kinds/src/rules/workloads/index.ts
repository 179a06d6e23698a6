import type { ResourceRules } from '@pintle/machinery/rules';
import type { RulesTable } from '../rules-table.ts';
import { controllerRevisionRules } from './controller-revision.ts';
import { cronJobRules } from './cron-job/index.ts';
import { daemonSetRules } from './daemon-set.ts';
import { deploymentRules } from './deployment.ts';
import { horizontalPodAutoscalerRules } from './horizontal-pod-autoscaler/index.ts';
import { jobRules } from './job/index.ts';
import { podRules } from './pod/index.ts';
import { podDisruptionBudgetRules } from './pod-disruption-budget.ts';
import { podTemplateRules } from './pod-template.ts';
import { replicaSetRules } from './replica-set.ts';
import { replicationControllerRules } from './replication-controller.ts';
import { statefulSetRules } from './stateful-set.ts';

export { type AnyAutoscaler, toVersion1, toVersion2 } from './horizontal-pod-autoscaler/index.ts';
export {
  type BindingTarget,
  bindingRefusal,
  type LogOptions,
  validateBinding,
  validateLogOptions,
} from './pod/index.ts';

/** Pods, what makes them, and what watches over them. */
export const workloadRules: RulesTable = {
  '': {
    Pod: podRules as ResourceRules,
    PodTemplate: podTemplateRules as ResourceRules,
    ReplicationController: replicationControllerRules as ResourceRules,
  },
  apps: {
    ControllerRevision: controllerRevisionRules as ResourceRules,
    DaemonSet: daemonSetRules as ResourceRules,
    Deployment: deploymentRules as ResourceRules,
    ReplicaSet: replicaSetRules as ResourceRules,
    StatefulSet: statefulSetRules as ResourceRules,
  },
  autoscaling: { HorizontalPodAutoscaler: horizontalPodAutoscalerRules as ResourceRules },
  batch: { CronJob: cronJobRules as ResourceRules, Job: jobRules as ResourceRules },
  policy: { PodDisruptionBudget: podDisruptionBudgetRules as ResourceRules },
};
