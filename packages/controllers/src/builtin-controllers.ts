import { table } from '@pintle/machinery/table';
import type { Manager } from '@pintle/operator';
import { addCertificateApproving } from './certificates/certificate-approving-controller.ts';
import { addCertificateCleaner } from './certificates/certificate-cleaner-controller.ts';
import type { CertificateSigningOptions } from './certificates/certificate-signing-controller.ts';
import { addCertificateSigning } from './certificates/certificate-signing-controller.ts';
import { addClusterRoleAggregation } from './clusterrole-aggregation/clusterrole-aggregation-controller.ts';
import type { ControllerName } from './controller-names.ts';
import { chooseControllers } from './controller-names.ts';
import { addCronJobController } from './cron-jobs/cron-job-controller.ts';
import { addDaemonSetController } from './daemon-sets/daemon-set-controller.ts';
import { addDeploymentController } from './deployments/deployment-controller.ts';
import { addDeviceTaintEvictionController } from './device-taint-eviction/device-taint-eviction-controller.ts';
import { addDisruptionController } from './disruption/disruption-controller.ts';
import { addEndpointSliceController } from './endpoints/endpoint-slice-controller.ts';
import { addEndpointsController } from './endpoints/endpoints-controller.ts';
import { addEndpointSliceMirroringController } from './endpoints/mirroring-controller.ts';
import { GarbageCollector } from './garbage-collector/garbage-collector.ts';
import { addHorizontalPodAutoscaler } from './horizontal-pod-autoscaler/horizontal-pod-autoscaler-controller.ts';
import type { MetricsSource } from './horizontal-pod-autoscaler/metrics-source.ts';
import { addJobController } from './jobs/job-controller.ts';
import { addNamespaceController } from './namespaces/namespace-controller.ts';
import { addNodeLifecycleController } from './node-lifecycle/node-lifecycle-controller.ts';
import { addNodeTtlController } from './node-ttl/node-ttl-controller.ts';
import { PodGarbageCollector } from './pod-gc/pod-garbage-collector.ts';
import { addPolicyStatusController } from './policy-status/policy-status-controller.ts';
import { addQuotaController } from './quota/quota-controller.ts';
import { addReplicaSetController, addReplicationControllerController } from './replica-sets/replica-set-controller.ts';
import { addResourceClaimController } from './resource-claims/resource-claim-controller.ts';
import { addRootCaPublisher } from './root-ca/root-ca-publisher.ts';
import { addServiceAccountController } from './service-accounts/service-account-controller.ts';
import { addServiceCidrController } from './service-cidrs/service-cidr-controller.ts';
import { addStatefulSetController } from './stateful-sets/stateful-set-controller.ts';
import { addTaintEvictionController } from './taint-eviction/taint-eviction-controller.ts';
import { addBootstrapTokenCleaner } from './token-cleaners/bootstrap-token-cleaner.ts';
import { addLegacyTokenCleaner } from './token-cleaners/legacy-token-cleaner.ts';
import type { TokenSecretOptions } from './token-secrets/token-secret-controller.ts';
import { addTokenSecretController } from './token-secrets/token-secret-controller.ts';
import { addTtlAfterFinishedController } from './ttl-after-finished/ttl-after-finished-controller.ts';
import { addVolumeAttachController } from './volumes/attach-controller.ts';
import { addPersistentVolumeBinder } from './volumes/binder-controller.ts';
import { addEphemeralVolumeController } from './volumes/ephemeral-volume-controller.ts';
import { addPersistentVolumeExpander } from './volumes/expander-controller.ts';
import {
  addPersistentVolumeClaimProtection,
  addPersistentVolumeProtection,
  addVolumeAttributesClassProtection,
} from './volumes/protection-controllers.ts';

/** Options of individual controllers. */
export interface BuiltinControllerOptions {
  /** CA certificate of the API server, in PEM. Without it the root CA is not published. */
  readonly rootCa?: string;
  /** Signs service account tokens that are stored in Secrets. Without it none are created. */
  readonly signToken?: TokenSecretOptions['signToken'];
  /** Signs certificates. Without it certificate signing requests are neither approved nor signed. */
  readonly certificates?: CertificateSigningOptions;
  /** Source of metrics for autoscalers. Default: the metrics API, when it is served. */
  readonly metrics?: MetricsSource;
  /**
   * Delay between the deletion of a namespace and the deletion of its content. Default: 0; kube-controller-manager
   * waits 5 s.
   */
  readonly namespaceGraceMs?: number;
}

type AddController = (manager: Manager, options: BuiltinControllerOptions) => unknown;

/** The controllers by their names in kube-controller-manager's `--controllers`. */
export const BUILTIN_CONTROLLERS: Readonly<Record<ControllerName, AddController>> = table({
  'certificatesigningrequest-approving-controller': (manager, { certificates }) =>
    certificates === undefined ? undefined : addCertificateApproving(manager, certificates),
  'certificatesigningrequest-cleaner-controller': addCertificateCleaner,
  'certificatesigningrequest-signing-controller': (manager, { certificates }) =>
    certificates === undefined ? undefined : addCertificateSigning(manager, certificates),
  'clusterrole-aggregation-controller': addClusterRoleAggregation,
  'cronjob-controller': addCronJobController,
  'daemonset-controller': addDaemonSetController,
  'deployment-controller': addDeploymentController,
  'device-taint-eviction-controller': addDeviceTaintEvictionController,
  'disruption-controller': addDisruptionController,
  'endpoints-controller': addEndpointsController,
  'endpointslice-controller': addEndpointSliceController,
  'endpointslice-mirroring-controller': addEndpointSliceMirroringController,
  'ephemeral-volume-controller': addEphemeralVolumeController,
  'garbage-collector-controller': (manager) => manager.add(new GarbageCollector(manager)),
  'horizontal-pod-autoscaler-controller': (manager, { metrics }) =>
    addHorizontalPodAutoscaler(manager, metrics === undefined ? {} : { metrics }),
  'job-controller': addJobController,
  'legacy-serviceaccount-token-cleaner-controller': addLegacyTokenCleaner,
  'namespace-controller': (manager, { namespaceGraceMs: graceMs = 0 }) => addNamespaceController(manager, { graceMs }),
  'node-lifecycle-controller': (manager) => addNodeLifecycleController(manager),
  'persistentvolume-attach-detach-controller': addVolumeAttachController,
  'persistentvolume-binder-controller': addPersistentVolumeBinder,
  'persistentvolume-expander-controller': addPersistentVolumeExpander,
  'persistentvolume-protection-controller': addPersistentVolumeProtection,
  'persistentvolumeclaim-protection-controller': addPersistentVolumeClaimProtection,
  'pod-garbage-collector-controller': (manager) => manager.add(new PodGarbageCollector(manager)),
  'replicaset-controller': addReplicaSetController,
  'replicationcontroller-controller': addReplicationControllerController,
  'resourceclaim-controller': addResourceClaimController,
  'resourcequota-controller': addQuotaController,
  'root-ca-certificate-publisher-controller': (manager, { rootCa }) =>
    rootCa === undefined ? undefined : addRootCaPublisher(manager, { rootCa }),
  'service-cidr-controller': addServiceCidrController,
  'serviceaccount-controller': addServiceAccountController,
  'serviceaccount-token-controller': (manager, { rootCa, signToken }) =>
    rootCa === undefined || signToken === undefined
      ? undefined
      : addTokenSecretController(manager, { rootCa, signToken }),
  'statefulset-controller': addStatefulSetController,
  'taint-eviction-controller': addTaintEvictionController,
  'token-cleaner-controller': addBootstrapTokenCleaner,
  'ttl-after-finished-controller': addTtlAfterFinishedController,
  'ttl-controller': addNodeTtlController,
  'validatingadmissionpolicy-status-controller': addPolicyStatusController,
  'volumeattributesclass-protection-controller': addVolumeAttributesClassProtection,
});

/**
 * Adds the chosen controllers, as kube-controller-manager's flag does: `*` all, `name` this one, `-name` all but this
 * one. Throws when a name is unknown.
 */
export function addBuiltinControllers(
  manager: Manager,
  choices: readonly string[] = ['*'],
  options: BuiltinControllerOptions = {},
): void {
  for (const name of chooseControllers(choices)) BUILTIN_CONTROLLERS[name](manager, options);
}
