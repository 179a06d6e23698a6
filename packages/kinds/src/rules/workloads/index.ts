import type { RulesLoaders } from '../generic-rules.ts';

/** The rules of Pods, of the controllers of Pods, and of autoscalers and disruption budgets. */
export const workloadRules: RulesLoaders = {
  '': {
    Pod: async () => (await import('./pod/rules.ts')).podRules,
    PodTemplate: async () => (await import('./pod-template.ts')).podTemplateRules,
    ReplicationController: async () => (await import('./replication-controller.ts')).replicationControllerRules,
  },
  apps: {
    ControllerRevision: async () => (await import('./controller-revision.ts')).controllerRevisionRules,
    DaemonSet: async () => (await import('./daemon-set.ts')).daemonSetRules,
    Deployment: async () => (await import('./deployment.ts')).deploymentRules,
    ReplicaSet: async () => (await import('./replica-set.ts')).replicaSetRules,
    StatefulSet: async () => (await import('./stateful-set.ts')).statefulSetRules,
  },
  autoscaling: {
    HorizontalPodAutoscaler: async () =>
      (await import('./horizontal-pod-autoscaler/rules.ts')).horizontalPodAutoscalerRules,
  },
  batch: {
    CronJob: async () => (await import('./cron-job/rules.ts')).cronJobRules,
    Job: async () => (await import('./job/rules.ts')).jobRules,
  },
  policy: { PodDisruptionBudget: async () => (await import('./pod-disruption-budget.ts')).podDisruptionBudgetRules },
};
