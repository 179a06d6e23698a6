import { table } from '@pintle/machinery/table';

/**
 * Structs whose fields the API shows as fields of their parent. They are not visible in an object; Go's decoder names
 * them in the path of a value of the wrong type: `PodSpec.spec.volumes.VolumeSource.configMap.defaultMode`.
 */
export function embeddingOf(typeName: string, field: string): string | undefined {
  const embedding = embeddings[typeName];
  if (embedding === undefined || embedding.own.includes(field)) return undefined;
  return embedding.deeper?.own.includes(field) === false
    ? `${embedding.struct}.${embedding.deeper.struct}`
    : embedding.struct;
}

interface Embedding {
  readonly struct: string;
  /** Fields beside the embedded struct: all others are in it. */
  readonly own: readonly string[];
  /** Struct embedded in the embedded struct. */
  readonly deeper?: Embedding;
}

const reference = (...own: string[]): Embedding => ({ struct: 'LocalObjectReference', own });
const configuration = (...own: string[]): Embedding => ({ struct: 'DeviceConfiguration', own });
const rule: Embedding = { struct: 'Rule', own: ['operations'] };

const core = 'io.k8s.api.core.v1';
const admission = 'io.k8s.api.admissionregistration.v1';
const resource = 'io.k8s.api.resource.v1';

const embeddings: Readonly<Partial<Record<string, Embedding>>> = table({
  // The one kind whose objects are embedded in those of another.
  [`${core}.PersistentVolumeClaim`]: { struct: 'TypeMeta', own: ['metadata', 'spec', 'status'] },
  [`${core}.Volume`]: { struct: 'VolumeSource', own: ['name'] },
  [`${core}.PersistentVolumeSpec`]: {
    struct: 'PersistentVolumeSource',
    own: [
      'accessModes',
      'capacity',
      'claimRef',
      'mountOptions',
      'nodeAffinity',
      'persistentVolumeReclaimPolicy',
      'storageClassName',
      'volumeAttributesClassName',
      'volumeMode',
    ],
  },
  [`${core}.Probe`]: {
    struct: 'ProbeHandler',
    own: [
      'failureThreshold',
      'initialDelaySeconds',
      'periodSeconds',
      'successThreshold',
      'terminationGracePeriodSeconds',
      'timeoutSeconds',
    ],
  },
  [`${core}.EphemeralContainer`]: { struct: 'EphemeralContainerCommon', own: ['targetContainerName'] },
  [`${core}.SecretProjection`]: reference('items', 'optional'),
  [`${core}.ConfigMapProjection`]: reference('items', 'optional'),
  [`${core}.ConfigMapVolumeSource`]: reference('items', 'defaultMode', 'optional'),
  [`${core}.ConfigMapKeySelector`]: reference('key', 'optional'),
  [`${core}.SecretKeySelector`]: reference('key', 'optional'),
  [`${core}.ConfigMapEnvSource`]: reference('optional'),
  [`${core}.SecretEnvSource`]: reference('optional'),
  [`${admission}.RuleWithOperations`]: rule,
  [`${admission}.NamedRuleWithOperations`]: { struct: 'RuleWithOperations', own: ['resourceNames'], deeper: rule },
  'io.k8s.api.networking.v1.IngressRule': { struct: 'IngressRuleValue', own: ['host'] },
  [`${resource}.DeviceClaimConfiguration`]: configuration('requests'),
  [`${resource}.DeviceAllocationConfiguration`]: configuration('requests', 'source'),
  [`${resource}.DeviceClassConfiguration`]: configuration(),
});
