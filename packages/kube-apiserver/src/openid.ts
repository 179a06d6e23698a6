import type { ApiResponse } from '@pintle/apiserver';
import { refuseUnroutable } from '@pintle/apiserver/http';
import type { RequestState } from '@pintle/apiserver/request';
import { headerOf } from '@pintle/apiserver/request';
import { serverResponseError } from '@pintle/machinery/errors';
import type { AccountTokens } from './auth/tokens/account-tokens.ts';
import { toJwks } from './auth/tokens/token-keys.ts';

const CONFIGURATION = '/.well-known/openid-configuration';
const JWKS = '/openid/v1/jwks';

/** Serves the OpenID configuration and the public keys, so that others can verify tokens of this server. */
export function serveOpenId(
  tokens: AccountTokens,
  state: RequestState,
  path: string,
): Promise<ApiResponse> | undefined {
  if (path === CONFIGURATION || path === `${CONFIGURATION}/`)
    return answer(state, 'application/json', () => configurationOf(tokens));
  if (path === JWKS || path === `${JWKS}/`)
    return answer(state, 'application/jwk-set+json', async () => toJwks(await tokens.keys()));
  return undefined;
}

async function configurationOf(tokens: AccountTokens): Promise<object> {
  const { verifying } = await tokens.keys();
  return {
    issuer: tokens.issuer,
    jwks_uri: tokens.jwksUri ?? `${tokens.issuer.replace(/\/$/, '')}${JWKS}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(verifying.map(({ algorithm }) => algorithm))],
  };
}

async function answer({ request }: RequestState, type: string, body: () => Promise<object>): Promise<ApiResponse> {
  const { method } = request;
  if (method !== 'GET') throw serverResponseError({ code: 405, method });
  refuseUnroutable(method, headerOf(request, 'accept'), { types: [type] });
  const headers = { 'content-type': type, 'cache-control': 'public, max-age=3600' };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(await body())) };
}
