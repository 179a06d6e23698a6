/** Certificate of a server, and the authorities that clients trust. */
export interface ServingCertificate {
  /** PEM, with intermediate certificates. */
  readonly certificate: string;
  readonly privateKey: string;
  /** PEM. Without them, another tool sets `caBundle`. */
  readonly authorities?: string;
}

/** Source of certificates. */
export interface CertificateSource {
  /** Interval at which `load` should be called again. */
  readonly checkEveryMs: number;
  /**
   * Returns the current certificate. Before it issues one that only new authorities sign, calls `publish` with them, which
   * resolves once the API server has them.
   */
  load(options: {
    readonly signal: AbortSignal;
    readonly publish: (authorities: string) => Promise<void>;
  }): Promise<ServingCertificate>;
}
