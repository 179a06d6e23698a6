import type { Pod, PodTemplateSpec } from '@pintle/kinds/core/v1';
import type { KubernetesObject, OwnerReference } from '@pintle/machinery';
import { deepCopy } from '@pintle/machinery/json';

/** The pod a template describes, for an owner that controls it. Its name is the server's to make up. */
export function podFromTemplate(
  template: PodTemplateSpec,
  owner: KubernetesObject,
  reference: OwnerReference,
): Omit<Pod, 'apiVersion' | 'kind'> {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { namespace, name = '' } = owner.metadata;
  return {
    metadata: {
      ...(namespace && { namespace }),
      generateName: generateNameOf(name),
      ...(labels && { labels: { ...labels } }),
      ...(annotations && { annotations: { ...annotations } }),
      ...(finalizers && { finalizers: [...finalizers] }),
      ownerReferences: [reference],
    },
    ...(template.spec && { spec: deepCopy(template.spec) }),
  };
}

/** A name that would make the pods' names invalid is left out, as it was chosen for something else. */
function generateNameOf(name: string): string {
  return `${name}-`;
}
