import type { ApiRequest, Authenticator, UserInfo } from '@pintle/apiserver';
import { UNKNOWN_TOKEN, withAuthenticatedGroup } from '@pintle/apiserver/auth';
import type { Endpoints, RequestContext } from '@pintle/apiserver/resource';
import type {
  UserInfo as ReviewedUser,
  SelfSubjectReview,
  TokenReview,
  TokenReviewStatus,
} from '@pintle/kinds/authentication/v1';
import { badRequestError } from '@pintle/machinery/errors';
import { formatTime } from '@pintle/machinery/time';
import type { AccountTokens } from '../../auth/tokens/account-tokens.ts';
import { reviewEndpoints } from './review.ts';

interface TokenReviewServices {
  readonly authenticator: Authenticator;
  readonly accountTokens: Pick<AccountTokens, 'audiences'>;
}

/** SelfSubjectReview: returns the user of the request. */
export const whoAmI = reviewEndpoints<SelfSubjectReview>((context, review) => ({
  ...review,
  metadata: { creationTimestamp: formatTime(context.clock.now()) },
  status: { userInfo: shownUser(context.user) },
}));

/** TokenReview: returns the user of a token. */
export const tokenReviews = (services: TokenReviewServices): Endpoints =>
  reviewEndpoints<TokenReview>(async (context, review) => {
    const token = review.spec?.token;
    if (!token) throw badRequestError('token is required for TokenReview in authentication');
    const { authenticated, ...reviewed } = await reviewToken(services, context, token, review.spec.audiences ?? []);
    // Keeps fields of a sent status that the review does not set.
    const { authenticated: _claimed, ...claimed } = review.status ?? {};
    return {
      ...review,
      status: authenticated ? { authenticated, ...reviewed } : { user: {}, ...claimed, ...reviewed },
    };
  });

/** Authenticates the token as if it were that of a request. */
async function reviewToken(
  { authenticator, accountTokens }: TokenReviewServices,
  { request }: RequestContext,
  token: string,
  asked: readonly string[],
): Promise<TokenReviewStatus> {
  const wanted = asked.length > 0 ? asked : accountTokens.audiences;
  const own: ApiRequest = {
    method: 'GET',
    path: '/',
    query: '',
    headers: { authorization: `Bearer ${token}` },
    body: new Uint8Array(),
    signal: request.signal,
    peer: { address: '' },
  };
  const answer = await authenticator.authenticate(own, { audiences: wanted });
  if (answer === undefined || 'refused' in answer) return { error: describeRefusal(answer?.refused) };
  const audiences = answer.audiences ?? wanted.filter((audience) => accountTokens.audiences.includes(audience));
  if (audiences.length === 0) return { error: UNKNOWN_TOKEN };
  return { authenticated: true, user: shownUser(withAuthenticatedGroup(answer.user)), audiences: [...audiences] };
}

function describeRefusal(why = UNKNOWN_TOKEN): string {
  return why === UNKNOWN_TOKEN ? why : `[${UNKNOWN_TOKEN}, ${why}]`;
}

function shownUser({ username, uid, groups, extra }: UserInfo): ReviewedUser {
  return {
    username,
    ...(uid !== undefined && uid !== '' && { uid }),
    ...(groups.length > 0 && { groups: [...groups] }),
    ...(extra !== undefined && Object.keys(extra).length > 0 && { extra: copyExtra(extra) }),
  };
}

function copyExtra(extra: NonNullable<UserInfo['extra']>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]]));
}
