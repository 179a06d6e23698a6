import { forbiddenError } from '@pintle/machinery/errors';
import { denialError } from '../../auth/authorizer.ts';
import type { Verb } from '../../request/request-info.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';
import { groupResourceOf } from '../../resource/served-resource.ts';
import { guardNamespace } from './namespace-guard.ts';
import { mutateOwned } from './ownership.ts';
import type { NewObject, ObjectWrite } from './write-state.ts';

/** Nothing is created in a namespace that is missing or ending, nor while the resource takes no new objects. */
export async function guardCreation(write: NewObject): Promise<void> {
  const { call, next } = write;
  const name = next.metadata.name ?? '';
  write.guards = await guardNamespace(call, name);
  const why = write.attempts === 0 ? call.resource.whyNoneCanBeCreated?.() : undefined;
  if (why !== undefined) throw forbiddenError(groupResourceOf(call.resource), name, why);
}

/** Lets admission change the object. */
export async function mutate(write: ObjectWrite): Promise<void> {
  await mutateOwned(write.admission);
  write.next = write.admission.object!;
}

/** A request that updates or applies what is not there creates it, and must be allowed to. Throws Forbidden otherwise. */
export async function authorizeCreation({ call }: NewObject): Promise<void> {
  if (call.info.verb !== 'create') await authorizeAs(call, 'create');
}

/** Throws Forbidden unless the user may do this to the object besides what was asked. */
export async function authorizeAs({ authorizer, user, info }: EndpointCall, verb: Verb): Promise<void> {
  const wanted = { ...info, verb };
  const decision = await authorizer.authorize(user, wanted);
  if (!decision.allowed) throw denialError(user, wanted, decision.reason);
}

/** Lets admission refuse the object. Parts of objects are seen as they are shown, without those who own them. */
export async function admit({ call, admission, next, current }: ObjectWrite): Promise<void> {
  const { facade } = call.resource;
  admission.name ||= next.metadata.name ?? '';
  admission.object = facade?.show(next) ?? next;
  if (facade !== undefined && current !== undefined) admission.oldObject = facade.show(current.object);
  await call.admission.validate(admission);
}
