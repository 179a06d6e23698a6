import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readCertificates } from '@pintle/pki';
import { OperatorError } from '../errors.ts';
import type { CertificateSource, ServingCertificate } from './certificate-source.ts';

/** Certificate files, by default named as in Secrets of cert-manager: `tls.crt`, `tls.key`, and optionally `ca.crt`. */
export interface CertificateFiles {
  readonly directory: string;
  readonly certificate?: string;
  readonly privateKey?: string;
  readonly authorities?: string;
}

/** Certificates from files, which another tool renews. */
export class FileCertificate implements CertificateSource {
  readonly checkEveryMs = 10_000;
  readonly #files: CertificateFiles;

  constructor(files: CertificateFiles) {
    this.#files = files;
  }

  async load(): Promise<ServingCertificate> {
    const { certificate = 'tls.crt', privateKey = 'tls.key', authorities = 'ca.crt' } = this.#files;
    const [shown, key, trusted] = await Promise.all([
      this.#read(certificate),
      this.#read(privateKey),
      this.#read(authorities).catch(() => ''),
    ]);
    if (readCertificates(shown).length === 0)
      throw new OperatorError({ code: 'NoCertificate', where: join(this.#files.directory, certificate) });
    return {
      certificate: shown,
      privateKey: key,
      ...(readCertificates(trusted).length > 0 && { authorities: trusted }),
    };
  }

  async #read(name: string): Promise<string> {
    const where = join(this.#files.directory, name);
    try {
      return await readFile(where, 'utf8');
    } catch (cause) {
      throw new OperatorError({ code: 'NoCertificate', where }, { cause });
    }
  }
}
