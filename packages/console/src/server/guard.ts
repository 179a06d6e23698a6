import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import type { ApiRequest } from '@pintle/apiserver';
import { ConsoleError } from './errors.ts';

/** Knows at which names the console may be looked at. */
export class Hosts {
  readonly #certificate: () => string;
  readonly #address: string;
  #read: { readonly pem: string; readonly certificate: X509Certificate } | undefined;

  /** `certificate` is the server's of the moment, in PEM; `address` is what it listens on. */
  constructor(certificate: () => string, address: string) {
    this.#certificate = certificate;
    this.#address = address;
  }

  /**
   * Throws unless the request was sent to a name of the certificate, or to the address that the server listens on: a
   * page of a name that was bent to this address (DNS rebinding) is not ours.
   */
  require(request: ApiRequest): string {
    const host = single(request, 'host') ?? '';
    const name = hostnameOf(host);
    if (name !== undefined && (name === this.#address || this.#isNamed(name))) return host;
    throw new ConsoleError({ code: 'WrongHost', host: host.slice(0, 100) });
  }

  #isNamed(name: string): boolean {
    const pem = this.#certificate();
    if (this.#read?.pem !== pem) this.#read = { pem, certificate: new X509Certificate(pem) };
    const { certificate } = this.#read;
    return (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
  }
}

/** The name in a Host header, without port and brackets. */
function hostnameOf(host: string): string | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?$/.exec(host);
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}

/** Throws unless a page of the console itself sent the request: browsers say so, and no page can say it for them. */
export function requireSameOrigin(
  request: ApiRequest,
  host: string,
  { isOriginSent }: { isOriginSent: boolean },
): void {
  const site = single(request, 'sec-fetch-site');
  if (site !== 'same-origin') refuse(`Sec-Fetch-Site is ${JSON.stringify(site ?? 'absent')}`);
  // A fetch() gets data; a frame, an object or a window gets a page.
  const destination = single(request, 'sec-fetch-dest');
  if (destination !== 'empty') refuse(`Sec-Fetch-Dest is ${JSON.stringify(destination ?? 'absent')}`);
  const origin = single(request, 'origin');
  if (origin === undefined ? isOriginSent : origin !== `https://${host}`) {
    refuse(`Origin is ${JSON.stringify(origin ?? 'absent')}`);
  }
}

/** Throws when a browser sent the request: it may show a certificate that its person did not choose for this. */
export function requireNoBrowser(request: ApiRequest): void {
  for (const name of ['origin', 'sec-fetch-site', 'sec-fetch-mode']) {
    if (request.headers[name] !== undefined) refuse('this path is for the command line');
  }
}

function refuse(found: string): never {
  throw new ConsoleError({ code: 'CrossOrigin', found: found.slice(0, 200) });
}

/** The value of a header that was sent once. */
export function single({ headers }: Pick<ApiRequest, 'headers'>, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : value?.length === 1 ? value[0] : undefined;
}
