import { denialError } from '../../auth/authorizer.ts';
import type { EndpointCall } from '../../resource/endpoint.ts';

/** Who updates or applies what is not there creates it, and must be allowed to. Throws Forbidden otherwise. */
export async function authorizeCreation({ authorizer, user, info }: EndpointCall): Promise<void> {
  const wanted = { ...info, verb: 'create' as const };
  const decision = await authorizer.authorize(user, wanted);
  if (!decision.allowed) throw denialError(user, wanted, decision.reason);
}
