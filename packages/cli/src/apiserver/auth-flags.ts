import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { AnonymousAccess, Authenticator, RequestHeaderOptions } from '@pintle/apiserver';
import { AuthenticatorChain, OidcAuthenticator } from '@pintle/apiserver';
import { realClock } from '@pintle/async';
import type { AuthorizationMode, ServiceAccountOptions } from '@pintle/kube-apiserver';
import { AUTHORIZATION_MODES, readTokenKeys } from '@pintle/kube-apiserver';
import { parseDurationMs } from '@pintle/machinery/time';
import type { KeyPair } from '@pintle/pki';
import { openTokenKey } from '../credentials/credentials.ts';
import { authenticatorOf, type ClientAuthorities } from '../serve/authenticator.ts';
import { UsageError } from '../usage-error.ts';
import { readAuthorizationConfig } from './authorization-config.ts';
import type { Flag, ParsedFlags } from './flags.ts';

interface AuthSettings {
  readonly authenticator: Authenticator;
  readonly serviceAccounts: ServiceAccountOptions;
  readonly authorization?: readonly AuthorizationMode[];
  readonly anonymous?: AnonymousAccess;
  readonly requestHeaders?: RequestHeaderOptions;
}

/** Reads the flags of authentication and authorization. `clients` has the current authorities of client certificates. */
export async function authOf(flags: ParsedFlags, clients: ClientAuthorities, rootCa: string): Promise<AuthSettings> {
  const requestHeaders = await requestHeadersOf(flags, clients.authorities);
  const { 'token-auth-file': tokenFile, 'revoked-client-certificates-file': revokedFile } = flags.values;
  const known = await authenticatorOf(clients, { tokenFile, revokedFile });
  const oidc = await oidcOf(flags);
  const modes = await authorizationOf(flags);
  return {
    authenticator: oidc === undefined ? known : new AuthenticatorChain([known, oidc]),
    serviceAccounts: await serviceAccountsOf(flags, rootCa),
    ...(modes && { authorization: modes }),
    ...anonymousOf(flags, modes),
    ...(requestHeaders && { requestHeaders }),
  };
}

async function authorizationOf(flags: ParsedFlags): Promise<readonly AuthorizationMode[] | undefined> {
  const modes = listOf(flags, 'authorization-mode');
  const config = flags.values['authorization-config'];
  if (config && modes.length > 0) {
    throw new UsageError('Cannot use --authorization-config with --authorization-mode: pass only one of them');
  }
  if (config) return await readAuthorizationConfig(config);
  if (modes.length === 0) return undefined;
  const unknown = modes.find((mode) => !(AUTHORIZATION_MODES as readonly string[]).includes(mode));
  if (unknown !== undefined) {
    throw new UsageError(
      `Cannot use --authorization-mode=${unknown}: it is not one of ${AUTHORIZATION_MODES.join(', ')}`,
    );
  }
  return modes as AuthorizationMode[];
}

/**
 * Reads --anonymous-auth: true admits anonymous requests as far as roles allow, false refuses them. Without the flag they
 * see health and version. With AlwaysAllow anonymous requests are always refused.
 */
function anonymousOf(
  { values }: ParsedFlags,
  modes: readonly AuthorizationMode[] = [],
): Pick<AuthSettings, 'anonymous'> {
  const text = values['anonymous-auth'];
  if (modes.includes('AlwaysAllow')) return { anonymous: 'none' };
  if (text === undefined) return {};
  if (text !== 'true' && text !== 'false')
    throw new UsageError(`Cannot use --anonymous-auth=${text}: the value is not true or false`);
  return { anonymous: text === 'true' ? 'full' : 'none' };
}

async function serviceAccountsOf(flags: ParsedFlags, rootCa: string): Promise<ServiceAccountOptions> {
  const { values, all } = flags;
  const files = all['service-account-key-file'] ?? [];
  const signingFile = values['service-account-signing-key-file'];
  const verifying = await Promise.all(files.map((file) => readNamed('service-account-key-file', file)));
  const signing = signingFile && (await readNamed('service-account-signing-key-file', signingFile));
  if (signing || verifying.length > 0) checkKeys({ ...(signing && { signing }), verifying });
  const own = async (): Promise<string | undefined> =>
    values.data === undefined ? undefined : await openTokenKey(resolve(values.data));
  const audiences = listOf(flags, 'api-audiences');
  const maxSeconds = secondsOf(values['service-account-max-token-expiration']);
  const jwksUri = values['service-account-jwks-uri'];
  return {
    rootCa,
    ...(all['service-account-issuer'] && { issuers: all['service-account-issuer'] }),
    ...(audiences.length > 0 && { audiences }),
    ...(maxSeconds > 0 && { maxSeconds }),
    ...(jwksUri && { jwksUri }),
    ...((signing || values.data !== undefined) && {
      keys: async () => {
        const key = signing || (await own());
        return { ...(key && { signing: key }), verifying };
      },
    }),
  };
}

function checkKeys(files: Parameters<typeof readTokenKeys>[0]): void {
  try {
    readTokenKeys(files);
  } catch (error) {
    throw new UsageError(`Cannot use the keys of --service-account-key-file: ${(error as Error).message}`);
  }
}

function secondsOf(text: string | undefined): number {
  if (text === undefined) return 0;
  try {
    return Math.floor(parseDurationMs(text) / 1000);
  } catch (error) {
    throw new UsageError(`Cannot use --service-account-max-token-expiration: ${(error as Error).message}`);
  }
}

async function oidcOf(flags: ParsedFlags): Promise<OidcAuthenticator | undefined> {
  const { values, all } = flags;
  const { 'oidc-issuer-url': issuer, 'oidc-client-id': clientId } = values;
  if (issuer === undefined && clientId === undefined) return undefined;
  if (!issuer || !clientId)
    throw new UsageError('Cannot use OpenID Connect: pass both --oidc-issuer-url and --oidc-client-id');
  const caFile = values['oidc-ca-file'];
  const ca = caFile && (await readNamed('oidc-ca-file', caFile));
  const algorithms = listOf(flags, 'oidc-signing-algs');
  const required = (all['oidc-required-claim'] ?? []).flatMap((text) => text.split(',')).map(splitClaim);
  try {
    return new OidcAuthenticator({
      issuer,
      clientId,
      clock: realClock,
      requiredClaims: new Map(required),
      ...(ca && { ca }),
      ...(algorithms.length > 0 && { algorithms }),
      ...(values['oidc-username-claim'] && { usernameClaim: values['oidc-username-claim'] }),
      ...(values['oidc-username-prefix'] && { usernamePrefix: values['oidc-username-prefix'] }),
      ...(values['oidc-groups-claim'] && { groupsClaim: values['oidc-groups-claim'] }),
      ...(values['oidc-groups-prefix'] && { groupsPrefix: values['oidc-groups-prefix'] }),
    });
  } catch (error) {
    throw new UsageError(`Cannot use OpenID Connect: ${(error as Error).message}`);
  }
}

function splitClaim(text: string): [string, string] {
  const equals = text.indexOf('=');
  if (equals < 1) throw new UsageError(`Cannot use --oidc-required-claim=${text}: it is not NAME=VALUE`);
  return [text.slice(0, equals), text.slice(equals + 1)];
}

async function requestHeadersOf(flags: ParsedFlags, clientCa: string): Promise<RequestHeaderOptions | undefined> {
  const file = flags.values['requestheader-client-ca-file'];
  if (file === undefined) return undefined;
  const authorities = await readNamed('requestheader-client-ca-file', file);
  const allowedNames = listOf(flags, 'requestheader-allowed-names');
  if (allowedNames.length === 0 && sharesAuthority(authorities, clientCa)) {
    throw new UsageError(
      'Cannot use --requestheader-client-ca-file: it shares an authority with --client-ca-file, so any client could act as a proxy. Name the proxies with --requestheader-allowed-names.',
    );
  }
  return {
    authorities,
    allowedNames,
    usernameHeaders: listOf(flags, 'requestheader-username-headers'),
    uidHeaders: listOf(flags, 'requestheader-uid-headers'),
    groupHeaders: listOf(flags, 'requestheader-group-headers'),
    extraPrefixes: listOf(flags, 'requestheader-extra-headers-prefix'),
  };
}

/** Reads the client certificate for aggregated API servers; `undefined` when no flag names one. */
export async function readProxyPair({ values }: ParsedFlags): Promise<KeyPair | undefined> {
  const { 'proxy-client-cert-file': certificate, 'proxy-client-key-file': key } = values;
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined) {
    throw new UsageError(
      'Cannot use the proxy certificate: pass both --proxy-client-cert-file and --proxy-client-key-file',
    );
  }
  return {
    certificate: await readNamed('proxy-client-cert-file', certificate),
    privateKey: await readNamed('proxy-client-key-file', key),
  };
}

function sharesAuthority(some: string, others: string): boolean {
  const bodies = (bundle: string): string[] =>
    (bundle.match(/-----BEGIN CERTIFICATE-----[^-]+/g) ?? []).map((pem) => pem.replace(/\s/g, ''));
  const known = new Set(bodies(others));
  return bodies(some).some((body) => known.has(body));
}

/** Returns the values of a flag that takes several, separated by commas or given several times. */
function listOf({ all }: ParsedFlags, flag: Flag): string[] {
  return (all[flag] ?? []).flatMap((text) => text.split(',')).filter((text) => text !== '');
}

async function readNamed(flag: Flag, path: string): Promise<string> {
  return await readFile(path, 'utf8').catch((error: Error) => {
    throw new UsageError(`Cannot read --${flag}: ${error.message}`);
  });
}
