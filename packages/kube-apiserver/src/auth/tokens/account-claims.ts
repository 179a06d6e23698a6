import { serviceAccountUsername, splitServiceAccountName } from '@pintle/apiserver/auth';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';

/** Reference to an object in a token. */
export interface ObjectClaim {
  readonly name: string;
  /** Empty when unknown. */
  readonly uid: string;
}

/** Claims of a service account token. */
export interface AccountClaims {
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly secret?: ObjectClaim;
  readonly pod?: ObjectClaim;
  readonly node?: ObjectClaim;
  /** Empty means all audiences of this issuer. */
  readonly audiences: readonly string[];
  readonly issuedAt?: number;
  readonly expiresAt?: number;
  readonly notBefore?: number;
  /** Time after which the holder should have fetched a new token. */
  readonly warnAfter?: number;
  readonly id?: string;
  /** A token without expiry that is valid as long as its Secret exists. */
  readonly isLegacy: boolean;
}

/** The account and the Secret of a token in a Secret. */
export interface SecretTokenClaims {
  readonly namespace: string;
  readonly secret: string;
  readonly account: { readonly name: string; readonly uid: string };
}

/** Issuer of tokens in Secrets. */
export const LEGACY_ISSUER = 'kubernetes/serviceaccount';
const OWN = 'kubernetes.io';

/** Returns the payload of a token. Times are seconds since 1970, as in JWT. */
export function toPayload(issuer: string, claims: AccountClaims): JsonObject {
  const { namespace, account, secret, pod, node, warnAfter } = claims;
  const sub = serviceAccountUsername({ namespace, name: account.name });
  if (claims.isLegacy) {
    return {
      iss: LEGACY_ISSUER,
      'kubernetes.io/serviceaccount/namespace': namespace,
      'kubernetes.io/serviceaccount/secret.name': secret?.name ?? '',
      'kubernetes.io/serviceaccount/service-account.name': account.name,
      'kubernetes.io/serviceaccount/service-account.uid': account.uid,
      sub,
    };
  }
  const named = (claim: ObjectClaim): JsonObject => ({ name: claim.name, ...(claim.uid && { uid: claim.uid }) });
  return {
    aud: [...claims.audiences],
    exp: claims.expiresAt!,
    iat: claims.issuedAt!,
    iss: issuer,
    jti: claims.id!,
    [OWN]: {
      namespace,
      ...(node && { node: named(node) }),
      ...(pod && { pod: named(pod) }),
      ...(secret && { secret: named(secret) }),
      serviceaccount: named(account),
      ...(warnAfter !== undefined && { warnafter: warnAfter }),
    },
    nbf: claims.notBefore!,
    sub,
  };
}

/** Reads a verified payload; returns a sentence when it is not that of a service account token. */
export function readClaims(payload: JsonObject): AccountClaims | string {
  const claims = payload.iss === LEGACY_ISSUER ? readLegacy(payload) : readBound(payload);
  if (typeof claims === 'string') return claims;
  const subject = splitServiceAccountName(textOf(payload.sub));
  const isSame = subject?.namespace === claims.namespace && subject.name === claims.account.name;
  return isSame ? claims : 'sub claim does not name the service account of the token';
}

function readLegacy(payload: JsonObject): AccountClaims | string {
  const claim = (name: string): string => textOf(payload[`kubernetes.io/serviceaccount/${name}`]);
  const [namespace, secret] = [claim('namespace'), claim('secret.name')];
  const account = { name: claim('service-account.name'), uid: claim('service-account.uid') };
  if (!namespace || !secret || !account.name || !account.uid) return 'token lacks the claims of its Secret';
  return { namespace, account, secret: { name: secret, uid: '' }, audiences: [], isLegacy: true };
}

function readBound(payload: JsonObject): AccountClaims | string {
  const own = payload[OWN] ?? null;
  if (!isJsonObject(own)) return 'token is not that of a service account';
  const account = objectOf(own.serviceaccount);
  const [secret, pod, node] = [objectOf(own.secret), objectOf(own.pod), objectOf(own.node)];
  const { exp, iat, nbf, jti } = payload;
  if (account === undefined || account.uid === '' || typeof exp !== 'number') return 'token lacks claims';
  return {
    namespace: textOf(own.namespace),
    account,
    ...(secret && { secret }),
    ...(pod && { pod }),
    ...(node && { node }),
    audiences: listOf(payload.aud),
    expiresAt: exp,
    ...(typeof iat === 'number' && { issuedAt: iat }),
    ...(typeof nbf === 'number' && { notBefore: nbf }),
    ...(typeof own.warnafter === 'number' && { warnAfter: own.warnafter }),
    ...(typeof jti === 'string' && { id: jti }),
    isLegacy: false,
  };
}

function objectOf(value: JsonValue | undefined): ObjectClaim | undefined {
  if (!isJsonObject(value ?? null)) return undefined;
  const { name, uid } = value as JsonObject;
  return typeof name === 'string' && name !== '' ? { name, uid: textOf(uid) } : undefined;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '';
}

function listOf(value: JsonValue | undefined): string[] {
  const list = Array.isArray(value) ? value : [value];
  return list.filter((item): item is string => typeof item === 'string');
}
