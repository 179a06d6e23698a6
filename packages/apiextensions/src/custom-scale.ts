import type { Scale } from '@pintle/apiserver/registry';
import { scaleMetadata, scaleResource, storedEndpoints } from '@pintle/apiserver/registry';
import type { Endpoints, RequestContext, ScaleView, ServedResource } from '@pintle/apiserver/resource';
import { asObject, groupResourceOf } from '@pintle/apiserver/resource';
import type {
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
} from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { badRequestError, conflictError, internalError, unclassifiedError } from '@pintle/machinery/errors';
import type { FieldPath, ReplicasPaths } from '@pintle/machinery/fields';
import { asJson, deepCopy, isJsonObject, setOwn } from '@pintle/machinery/json';
import type { Nested } from './nested-value.ts';
import { nestedInteger, nestedText, stepsOf } from './nested-value.ts';

/** `scale` of a custom resource, with the paths of its definition. */
export function customScaleEndpoints(
  definition: CustomResourceDefinition,
  { subresources }: CustomResourceDefinitionVersion,
): Endpoints {
  const scale = subresources!.scale!;
  const replicasPaths = replicasPathsOf(definition);
  const through = (context: RequestContext, isStrict: boolean): RequestContext => ({
    ...context,
    resource: scaleResource(context.resource, scaleViewOf(context.resource, scale, replicasPaths, isStrict)),
  });
  return {
    get: (context) => storedEndpoints.get(through(context, true)),
    update: (context) => storedEndpoints.update(through(context, false)),
    patch: (context) => storedEndpoints.patch(through(context, false)),
  };
}

function replicasPathsOf({ spec }: CustomResourceDefinition): ReplicasPaths {
  return new Map(
    spec.versions.map(({ name, subresources }) => [`${spec.group}/${name}`, fieldPathOf(subresources?.scale)]),
  );
}

function fieldPathOf(scale: CustomResourceSubresourceScale | undefined): FieldPath | undefined {
  return scale && stepsOf(scale.specReplicasPath).map((field) => ({ field }));
}

/** `isStrict`: reading the scale of an object without replicas fails; setting it does not. */
function scaleViewOf(
  parent: ServedResource,
  scale: CustomResourceSubresourceScale,
  replicasPaths: ReplicasPaths,
  isStrict: boolean,
): ScaleView {
  return {
    parent,
    replicasPaths,
    project: (object) => projectScale(object, scale, isStrict),
    markUnset: (view, object) => {
      const isSet = found(nestedInteger(asJson(object), scale.specReplicasPath)) !== undefined;
      if (!isSet) (view as Scale).spec = { replicas: UNSET };
    },
    mergeInto: (view, object) => {
      checkUid(parent, view, object);
      if ((view as Scale).spec?.replicas === UNSET) {
        throw badRequestError(`the spec replicas field ${JSON.stringify(scale.specReplicasPath)} cannot be empty`);
      }
      const next = mergeScale(view as Scale, object, stepsOf(scale.specReplicasPath));
      // Objects that were just added need defaults.
      parent.rules.default?.(next);
      return next;
    },
    prune: (object) => asObject(parent.reader.read(deepCopy(asJson(object))).value, parent),
  };
}

/** Replicas that patches start from when none are set. */
const UNSET = -(2 ** 31);

function projectScale(object: KubernetesObject, scale: CustomResourceSubresourceScale, isStrict: boolean): Scale {
  const value = asJson(object);
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const set = found(nestedInteger(value, specReplicasPath));
  if (set === undefined && isStrict) {
    throw internalError(`the spec replicas field ${JSON.stringify(specReplicasPath)} does not exist`);
  }
  const replicas = set ?? 0;
  const selector = labelSelectorPath ? found(nestedText(value, labelSelectorPath)) : undefined;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: scaleMetadata(object),
    spec: replicas ? { replicas } : {},
    status: { replicas: found(nestedInteger(value, statusReplicasPath)) ?? 0, ...(selector && { selector }) },
  };
}

function found<T>(nested: Nested<T>): T | undefined {
  if (nested !== undefined && 'problem' in nested) throw unclassifiedError(500, nested.problem);
  return nested?.value;
}

function checkUid(
  resource: ServedResource,
  { metadata }: KubernetesObject,
  { metadata: current }: KubernetesObject,
): void {
  if (!metadata.uid || metadata.uid === current.uid) return;
  const { group, resource: plural } = groupResourceOf(resource);
  const why = `Precondition failed: UID in precondition: ${metadata.uid}, UID in object meta: ${current.uid ?? ''}`;
  throw conflictError({ group, resource: plural }, metadata.name ?? '', why);
}

/** Returns the object with the replicas set; adds missing parents. */
function mergeScale({ metadata, spec }: Scale, object: KubernetesObject, steps: readonly string[]): KubernetesObject {
  const next = deepCopy(object);
  if (metadata.resourceVersion) next.metadata.resourceVersion = metadata.resourceVersion;
  let place = asJson(next);
  for (const [index, step] of steps.slice(0, -1).entries()) {
    if (!Object.hasOwn(place, step)) setOwn(place, step, {});
    const inner = place[step]!;
    if (!isJsonObject(inner)) {
      const at = steps.slice(0, index + 1).join('.');
      throw unclassifiedError(500, `value cannot be set because .${at} is not a map[string]interface{}`);
    }
    place = inner;
  }
  setOwn(place, steps.at(-1)!, spec?.replicas ?? 0);
  return next;
}
