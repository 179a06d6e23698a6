/** What a server shows, and who vouches for it. */
export interface ServingCertificate {
  /** In PEM, with what stands between it and the authority. */
  readonly certificate: string;
  readonly privateKey: string;
  /** PEM. Without them, somebody else tells the API server whom to trust. */
  readonly authorities?: string;
}

/** Where certificates come from. */
export interface CertificateSource {
  /** How long what was loaded can be relied on without looking again. */
  readonly checkEveryMs: number;
  /**
   * The certificate of today. Before one is made that only new authorities vouch for, `publish` is told those, and has
   * told the API server when it resolves.
   */
  load(options: {
    readonly signal: AbortSignal;
    readonly publish: (authorities: string) => Promise<void>;
  }): Promise<ServingCertificate>;
}
