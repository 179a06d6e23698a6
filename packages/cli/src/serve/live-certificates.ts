import { createSecureContext } from 'node:tls';
import { readAuthorities } from '@pintle/apiserver';
import type { KeyPair } from '@pintle/pki';

export interface CertificateSet {
  /** The certificate for clients. */
  readonly server: KeyPair;
  /** PEM of the authorities whose client certificates are asked for and believed. */
  readonly clientCa: string;
  /** The certificate for the servers of other APIs. */
  readonly proxyClient?: KeyPair;
}

/** The certificates that a server uses, which can be replaced while it runs. There is always a whole, usable set. */
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

  /** The present proxy certificate at any time; `undefined` when there was none at the start. */
  get proxyCertificate(): KeyPair | undefined {
    const first = this.#current.proxyClient;
    if (first === undefined) return undefined;
    const present = (): KeyPair => this.#current.proxyClient ?? first;
    return {
      get certificate() {
        return present().certificate;
      },
      get privateKey() {
        return present().privateKey;
      },
    };
  }

  /** Throws RangeError, and leaves everything as it was, when the new ones cannot be used. */
  replace(change: Partial<CertificateSet>): void {
    const next = { ...this.#current, ...change };
    check(next);
    this.#current = next;
    for (const handler of this.#handlers) handler(next);
  }

  /** Calls back after each change. */
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
