/** Names of the controllers in kube-controller-manager's `--controllers`. */
const CONTROLLER_NAMES = [
  'certificatesigningrequest-approving-controller',
  'certificatesigningrequest-cleaner-controller',
  'certificatesigningrequest-signing-controller',
  'clusterrole-aggregation-controller',
  'cronjob-controller',
  'daemonset-controller',
  'deployment-controller',
  'device-taint-eviction-controller',
  'disruption-controller',
  'endpoints-controller',
  'endpointslice-controller',
  'endpointslice-mirroring-controller',
  'ephemeral-volume-controller',
  'garbage-collector-controller',
  'horizontal-pod-autoscaler-controller',
  'job-controller',
  'legacy-serviceaccount-token-cleaner-controller',
  'namespace-controller',
  'node-lifecycle-controller',
  'persistentvolume-attach-detach-controller',
  'persistentvolume-binder-controller',
  'persistentvolume-expander-controller',
  'persistentvolume-protection-controller',
  'persistentvolumeclaim-protection-controller',
  'pod-garbage-collector-controller',
  'replicaset-controller',
  'replicationcontroller-controller',
  'resourceclaim-controller',
  'resourcequota-controller',
  'root-ca-certificate-publisher-controller',
  'service-cidr-controller',
  'serviceaccount-controller',
  'serviceaccount-token-controller',
  'statefulset-controller',
  'taint-eviction-controller',
  'token-cleaner-controller',
  'ttl-after-finished-controller',
  'ttl-controller',
  'validatingadmissionpolicy-status-controller',
  'volumeattributesclass-protection-controller',
] as const;

export type ControllerName = (typeof CONTROLLER_NAMES)[number];

/** Controllers that `*` does not include, as in kube-controller-manager. */
const BY_NAME_ONLY: ReadonlySet<ControllerName> = new Set(['token-cleaner-controller']);

/**
 * Returns the chosen controllers, as kube-controller-manager's flag does: `*` all, `name` this one, `-name` all but
 * this one. Throws a `TypeError` that lists the names when one is unknown.
 */
export function chooseControllers(choices: readonly string[]): ControllerName[] {
  for (const choice of choices) {
    const name = choice.replace(/^[-+]/, '');
    if (choice !== '*' && !CONTROLLER_NAMES.some((known) => known === name))
      throw new TypeError(
        `Cannot run controller ${JSON.stringify(name)}: the names are *, ${CONTROLLER_NAMES.join(', ')}`,
      );
  }
  return CONTROLLER_NAMES.filter((name) => {
    const isNamed = choices.includes(name) || choices.includes(`+${name}`);
    return isNamed || (choices.includes('*') && !choices.includes(`-${name}`) && !BY_NAME_ONLY.has(name));
  });
}
