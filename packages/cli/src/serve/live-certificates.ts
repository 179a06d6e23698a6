import { createSecureContext } from 'node:tls';
import { readAuthorities } from '@pintle/apiserver';
import type { KeyPair } from '@pintle/pki';

export interface CertificateSet {
  /** Serving certificate. */
  readonly server: KeyPair;
  /** PEM of the authorities of client certificates. */
  readonly clientCa: string;
  /** Client certificate for aggregated API servers. */
  readonly proxyClient?: KeyPair;
}

/** Holds the certificates of a server, which can be replaced while it runs. The set is always complete and valid. */
export class LiveCertificates {
  #current: CertificateSet;
  readonly #handlers = new Set<(current: CertificateSet) => void>();

  /** Throws RangeError when a certificate cannot be read or does not belong to its key. */
  constructor(first: CertificateSet) {
    check(first);
    this.#current = first;
  }

  get current(): CertificateSet {
    return this.#current;
  }

  get authorities(): string {
    return this.#current.clientCa;
  }

  /** Proxy certificate, whose fields always have the current values; `undefined` when there was none at the start. */
  get proxyCertificate(): KeyPair | undefined {
    const first = this.#current.proxyClient;
    if (first === undefined) return undefined;
    const current = (): KeyPair => this.#current.proxyClient ?? first;
    return {
      get certificate() {
        return current().certificate;
      },
      get privateKey() {
        return current().privateKey;
      },
    };
  }

  /** Replaces certificates. Throws RangeError and changes nothing when they are invalid. */
  replace(change: Partial<CertificateSet>): void {
    const next = { ...this.#current, ...change };
    check(next);
    this.#current = next;
    for (const handler of this.#handlers) handler(next);
  }

  /** Calls `handler` after each change. */
  subscribe(handler: (current: CertificateSet) => void): Disposable {
    this.#handlers.add(handler);
    return { [Symbol.dispose]: () => void this.#handlers.delete(handler) };
  }
}

function check({ server, clientCa, proxyClient }: CertificateSet): void {
  readAuthorities(clientCa);
  for (const { certificate, privateKey } of proxyClient === undefined ? [server] : [server, proxyClient]) {
    try {
      createSecureContext({ cert: certificate, key: privateKey });
    } catch (error) {
      throw new RangeError(`Cannot use a certificate with its key: ${(error as Error).message}`, { cause: error });
    }
  }
}
