import { forbiddenError } from '@pintle/machinery/errors';
import { denialError } from '../../auth/authorizer.ts';
import type { Verb } from '../../request/request-info.ts';
import type { RequestContext } from '../../resource/endpoint.ts';
import { groupResourceOf } from '../../resource/served-resource.ts';
import { guardNamespace } from './namespace-guard.ts';
import { mutateOwned } from './ownership.ts';
import type { NewObject, ObjectWrite } from './write-state.ts';

/** Throws when the namespace is missing or terminating, or the resource accepts no new objects. */
export async function guardCreation(write: NewObject): Promise<void> {
  const { context, next } = write;
  const name = next.metadata.name ?? '';
  write.guards = await guardNamespace(context, name);
  const why = write.attempts === 0 ? context.resource.creationRefusal?.() : undefined;
  if (why !== undefined) throw forbiddenError(groupResourceOf(context.resource), name, why);
}

export async function mutate(write: ObjectWrite): Promise<void> {
  await mutateOwned(write.admission);
  write.next = write.admission.object!;
}

/** Throws Forbidden unless the user may create: an update or apply of an absent object creates it. */
export async function authorizeCreation({ context }: NewObject): Promise<void> {
  if (context.info.verb !== 'create') await authorizeAs(context, 'create');
}

/** Throws Forbidden unless the user also has another verb on the object. */
export async function authorizeAs({ authorizer, user, info }: RequestContext, verb: Verb): Promise<void> {
  const wanted = { ...info, verb };
  const decision = await authorizer.authorize(user, wanted);
  if (!decision.allowed) throw denialError(user, wanted, decision.reason);
}

/** Runs validating admission. A view such as a Scale is shown without managedFields. */
export async function admit({ context, admission, next, current }: ObjectWrite): Promise<void> {
  const { scaleView } = context.resource;
  admission.name ||= next.metadata.name ?? '';
  admission.object = scaleView?.project(next) ?? next;
  if (scaleView !== undefined && current !== undefined) admission.oldObject = scaleView.project(current.object);
  await context.admission.validate(admission);
}
