import type { Clock } from '@pintle/async';
import type { ApiRequest, Peer } from '../request/exchange.ts';
import { decodePercent } from '../request/percent-encoding.ts';
import type { Authentication, Authenticator } from './authenticator.ts';
import { withAuthenticatedGroup } from './authenticator.ts';
import type { ExaminedCertificate } from './client-certificates.ts';
import { isValidAt, PeerCertificates } from './client-certificates.ts';

/** A proxy in front of this server that has authenticated users already and names them in headers. */
export interface RequestHeaderOptions {
  /** Who signs the certificates of such proxies, in PEM. */
  readonly authorities: string;
  /** Common names of their certificates. Empty: any that the authorities sign. */
  readonly allowedNames: readonly string[];
  readonly usernameHeaders: readonly string[];
  readonly uidHeaders: readonly string[];
  readonly groupHeaders: readonly string[];
  readonly extraPrefixes: readonly string[];
}

/** Believes the headers of a proxy that shows a certificate of the given authorities, and of nobody else. */
export class RequestHeaderAuthenticator implements Authenticator {
  readonly #options: RequestHeaderOptions;
  readonly #certificates: PeerCertificates<ExaminedCertificate>;
  readonly #clock: Clock;

  constructor(options: RequestHeaderOptions, clock: Clock) {
    this.#options = lowerCased(options);
    this.#certificates = new PeerCertificates(options, (examined) => examined);
    this.#clock = clock;
  }

  authenticate(request: ApiRequest): Authentication | undefined {
    const username = this.#first(request, this.#options.usernameHeaders);
    if (username === '' || !this.#isProxy(request.peer)) return undefined;
    const uid = this.#first(request, this.#options.uidHeaders);
    const extra = this.#extraOf(request);
    const user = withAuthenticatedGroup({
      username,
      groups: this.#options.groupHeaders
        .flatMap((name) => valuesOf(request.headers[name]))
        .filter((group) => group !== ''),
      ...(uid !== '' && { uid }),
      ...(extra.size > 0 && { extra: Object.fromEntries(extra) }),
    });
    return { user, source: 'requestheader' };
  }

  #isProxy(peer: Peer): boolean {
    const known = this.#certificates.of(peer);
    if (known === undefined) return false;
    const { verdict } = known;
    if ('refused' in verdict || !isValidAt(known, this.#clock.now())) return false;
    const { allowedNames } = this.#options;
    return allowedNames.length === 0 || allowedNames.includes(verdict.names.at(-1) ?? '');
  }

  #first(request: ApiRequest, names: readonly string[]): string {
    for (const name of names) {
      const value = valuesOf(request.headers[name])[0];
      if (value) return value;
    }
    return '';
  }

  #extraOf(request: ApiRequest): Map<string, string[]> {
    const extra = new Map<string, string[]>();
    for (const name of Object.keys(request.headers)) {
      const prefix = this.#options.extraPrefixes.find((start) => name.startsWith(start));
      if (prefix === undefined) continue;
      const key = unescapeKey(name.slice(prefix.length));
      extra.set(key, [...(extra.get(key) ?? []), ...valuesOf(request.headers[name])]);
    }
    return extra;
  }
}

/** Names of headers as requests have them. */
function lowerCased(options: RequestHeaderOptions): RequestHeaderOptions {
  const lower = (names: readonly string[]): string[] => names.map((name) => name.toLowerCase());
  return {
    ...options,
    usernameHeaders: lower(options.usernameHeaders),
    uidHeaders: lower(options.uidHeaders),
    groupHeaders: lower(options.groupHeaders),
    extraPrefixes: lower(options.extraPrefixes),
  };
}

/** Whether a header tells who somebody is, and must not be seen by anything behind authentication. */
export function identityHeaders(options: RequestHeaderOptions | undefined): (name: string) => boolean {
  const { usernameHeaders = [], uidHeaders = [], groupHeaders = [], extraPrefixes = [] } = options ?? {};
  const names = new Set([...usernameHeaders, ...uidHeaders, ...groupHeaders].map((name) => name.toLowerCase()));
  const prefixes = ['x-remote-', ...extraPrefixes.map((prefix) => prefix.toLowerCase())];
  return (name) => name === 'authorization' || names.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
}

/** The values of a header that may be sent several times, each apart. */
export function valuesOf(value: string | readonly string[] | undefined): string[] {
  if (value === undefined) return [];
  return typeof value === 'string' ? [value] : [...value];
}

/** Keys in names of headers are percent-encoded, for they may hold what such a name may not. */
export function unescapeKey(text: string): string {
  return decodePercent(text) ?? text;
}
