import { forbiddenError, unauthorizedError } from '@pintle/machinery/errors';
import type { Stage } from '../request/pipeline.ts';
import type { Authorizer } from './authorizer.ts';
import { describeDenial } from './authorizer.ts';
import { ANONYMOUS } from './user-info.ts';

/** Lets a request pass only when its user may do what it asks. Strangers are asked for credentials first. */
export function authorizeStage(authorizer: Authorizer): Stage {
  return async (state, next) => {
    const { user, info } = state;
    const decision = await authorizer.authorize(user, info);
    state.audit?.annotate('authorization.k8s.io/decision', decision.allowed ? 'allow' : 'forbid');
    state.audit?.annotate('authorization.k8s.io/reason', decision.reason);
    if (decision.allowed) return await next(state);
    if (user === ANONYMOUS) throw unauthorizedError();
    const reason = decision.reason === '' ? '' : `: ${decision.reason}`;
    const why = `${describeDenial(user, info)}${reason}`;
    if (info.kind === 'path') throw forbiddenError(undefined, '', why);
    throw forbiddenError({ group: info.group, resource: info.resource }, info.authorizedName, why);
  };
}
