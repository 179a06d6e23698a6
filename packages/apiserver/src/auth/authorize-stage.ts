import type { Stage } from '../request/pipeline.ts';
import type { Authorizer } from './authorizer.ts';
import { denialError } from './authorizer.ts';

/** Lets a request pass only when its user may do what it asks. */
export function authorizeStage(authorizer: Authorizer): Stage {
  return async (state, next) => {
    const { user, info } = state;
    const asked = authorizer.authorize(user, info);
    const decision = 'then' in asked ? await asked : asked;
    state.audit?.annotate('authorization.k8s.io/decision', decision.allowed ? 'allow' : 'forbid');
    state.audit?.annotate('authorization.k8s.io/reason', decision.reason);
    if (!decision.allowed) throw denialError(user, info, decision.reason);
    return await next(state);
  };
}
