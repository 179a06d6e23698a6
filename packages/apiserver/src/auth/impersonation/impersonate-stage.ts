import type { ApiRequest } from '../../request/exchange.ts';
import { alterRequest } from '../../request/exchange.ts';
import type { Stage } from '../../request/pipeline.ts';
import type { Authorizer } from '../authorizer.ts';
import type { Impersonation, Outcome } from './impersonation-mode.ts';
import { IMPERSONATION_MODES, tryMode } from './impersonation-mode.ts';
import { readImpersonation } from './read-headers.ts';

/** For so many users it is remembered which mode they used last. The oldest is forgotten first. */
const MAX_REMEMBERED = 10_000;

/** A user with the right to may act as another, named in `Impersonate-*` headers. */
export function impersonateStage(authorizer: Authorizer): Stage {
  const lastModes = new Map<string, number>();
  return (state, next) => {
    const wanted = readImpersonation(state.request);
    if (wanted === undefined) return next(state);
    const { user: requestor, info } = state;
    return findMode({ authorizer, requestor, wanted, info }, lastModes).then((found) => {
      if ('denied' in found) throw found.denied;
      if (state.audit !== undefined) {
        state.audit.impersonated = found.user;
        state.audit.impersonationConstraint = found.constraint;
      }
      return next({ ...state, request: withoutImpersonation(state.request), user: found.user });
    });
  };
}

/** Tries the mode that worked last for this user, then the others; what the first one said is told when none works. */
async function findMode(impersonation: Impersonation, lastModes: Map<string, number>): Promise<Outcome> {
  const { requestor, wanted } = impersonation;
  const last = lastModes.get(requestor.username);
  const order = IMPERSONATION_MODES.map((_mode, index) => index).filter((index) => index !== last);
  if (last !== undefined) order.unshift(last);
  let refusal: Outcome | undefined;
  for (const index of order) {
    const mode = IMPERSONATION_MODES[index]!;
    if (!mode.applies(wanted, requestor)) continue;
    const outcome = await tryMode(mode, impersonation);
    if ('user' in outcome) {
      remember(lastModes, requestor.username, index);
      return outcome;
    }
    refusal ??= outcome;
  }
  return refusal!;
}

/** Nothing behind this may act on the headers once more. */
function withoutImpersonation(request: ApiRequest): ApiRequest {
  const headers = Object.entries(request.headers).filter(([name]) => !name.startsWith('impersonate-'));
  return alterRequest(request, { headers: Object.fromEntries(headers) });
}

function remember(lastModes: Map<string, number>, username: string, index: number): void {
  lastModes.delete(username);
  lastModes.set(username, index);
  if (lastModes.size > MAX_REMEMBERED) lastModes.delete(lastModes.keys().next().value!);
}
