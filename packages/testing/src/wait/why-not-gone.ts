import type { KubernetesObject } from '@pintle/machinery';

const COLLECTOR = 'garbage-collector-controller';
const NAMESPACES = 'namespace-controller';

/** Says what keeps an object. `controllers` are those of the plane; `undefined` where a cluster has its own. */
export function whyNotGone(object: KubernetesObject, controllers: readonly string[] | undefined): string {
  const { deletionTimestamp, finalizers = [], ownerReferences = [] } = object.metadata;
  const isMissing = (name: string): boolean =>
    controllers !== undefined && !controllers.includes('*') && !controllers.includes(name);
  if (deletionTimestamp === undefined) {
    const isUncollected = ownerReferences.length > 0 && isMissing(COLLECTOR);
    return `and was not deleted${isUncollected ? `: it has an owner, and the plane runs no ${COLLECTOR}` : ''}`;
  }
  const isUnfinished = object.kind === 'Namespace' && finalizers.length === 0 && isMissing(NAMESPACES);
  if (isUnfinished) return `and is being deleted: the plane runs no ${NAMESPACES}`;
  return `with finalizers ${finalizers.join(', ') || '(none)'}`;
}
