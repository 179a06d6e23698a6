import type { ApiResponse } from '@pintle/apiserver';
import { preconditionFailed } from '@pintle/apiserver/compat';
import { decodeBody, setNamespace } from '@pintle/apiserver/registry';
import type { Endpoints, RequestContext, WriteOptions } from '@pintle/apiserver/resource';
import { clearSystemMetadata, creation, readWriteOptions } from '@pintle/apiserver/resource';
import type { Binding, Pod } from '@pintle/kinds/core/v1';
import { bindingRefusal, validateBinding } from '@pintle/kinds/rules';
import { badRequestError, conflictError, describeFieldErrors, unclassifiedError } from '@pintle/machinery/errors';
import { bodyOfKind, otherKind, successResponse } from './other-kind.ts';
import { setPodCondition } from './pod-condition.ts';
import { rewriteObject } from './rewrite-object.ts';

const BINDING = otherKind({ group: '', version: 'v1', kind: 'Binding' });
const PODS = { group: '', resource: 'pods' };
const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

/** `pods/binding`, and `bindings` with the pod's name in the body: assigns a pod to a node. */
export const bindingEndpoints: Endpoints = { create: bind };

async function bind(context: RequestContext): Promise<ApiResponse> {
  const options = readWriteOptions(context.query, 'CreateOptions');
  const sent = (await decodeBody(bodyOfKind(context, BINDING), options.fieldValidation)).object as Binding;
  setNamespace(context, sent);
  // Only a binding sent to the pod itself may have a uid as precondition.
  if (context.info.subresource === '') clearSystemMetadata(sent.metadata);
  const { name = '' } = sent.metadata;
  if (context.info.name && context.info.name !== name) {
    throw badRequestError('name in URL does not match name in Binding object');
  }
  const errors = validateBinding(sent);
  if (errors.length > 0) throw unclassifiedError(500, describeFieldErrors(errors));
  if (name === '') throw badRequestError('Name parameter required.');
  const admission = creation(context, sent, options, BINDING.type);
  await context.admission.admit(admission);
  const binding = admission.object as Binding;
  const resource = (await context.resources.find({ group: '', version: 'v1', resource: 'pods' }))!;
  await rewriteObject<Pod>(context, { resource, namespace: context.info.namespace, name }, options, (pod) =>
    place(pod, binding, options, context.clock.now()),
  );
  return await successResponse(context);
}

function place(pod: Pod, { metadata, target }: Binding, options: WriteOptions, nowMs: number): void {
  const name = pod.metadata.name ?? '';
  if (metadata.uid && metadata.uid !== pod.metadata.uid) throw anotherPod(pod, metadata.uid, options);
  if (metadata.resourceVersion && metadata.resourceVersion !== pod.metadata.resourceVersion)
    throw conflictError(PODS, name, MODIFIED);
  const refusal = bindingRefusal(pod);
  if (refusal !== undefined) throw conflictError({ group: '', resource: 'pods/binding' }, name, refusal);
  pod.spec = { ...(pod.spec ?? { containers: [] }), nodeName: target?.name ?? '' };
  if (metadata.annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...metadata.annotations };
  if (metadata.labels) pod.metadata.labels = { ...pod.metadata.labels, ...metadata.labels };
  setPodCondition(pod, { type: 'PodScheduled', status: 'True' }, nowMs);
}

/** Returns the error for another uid. A dry run does not reach the storage layer, so its key differs. */
function anotherPod({ metadata }: Pod, wanted: string, { isDryRun }: WriteOptions): Error {
  const key = `${isDryRun ? '' : '/registry'}/pods/${metadata.namespace}/${metadata.name}`;
  return conflictError(PODS, metadata.name ?? '', preconditionFailed(key, wanted, metadata.uid ?? ''));
}
