import { after } from '@pintle/async';
import type { Stage } from '../request/pipeline.ts';
import type { Authorizer } from './authorizer.ts';
import { denialError } from './authorizer.ts';

/** Lets a request pass only when its user may do what it asks. */
export function authorizeStage(authorizer: Authorizer): Stage {
  return (state, next) => {
    const { user, info, audit } = state;
    return after(authorizer.authorize(user, info), (decision) => {
      audit?.annotate('authorization.k8s.io/decision', decision.allowed ? 'allow' : 'forbid');
      audit?.annotate('authorization.k8s.io/reason', decision.reason);
      if (!decision.allowed) throw denialError(user, info, decision.reason);
      return next(state);
    });
  };
}
