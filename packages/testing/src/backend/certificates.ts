import type { KeyPair } from '@pintle/pki';
import { createAuthority, issueCertificate } from '@pintle/pki';
import type { User } from './backend.ts';

const DAYS = 3_650;
const HOSTS = ['127.0.0.1', '::1', 'localhost'];

/** Certificates of a server and its clients, created when a plane first becomes reachable from outside. */
export class Certificates {
  readonly authority: KeyPair;
  readonly #nowMs: number;

  private constructor(authority: KeyPair, nowMs: number) {
    this.authority = authority;
    this.#nowMs = nowMs;
  }

  /** Creates a CA that is valid from `nowMs` for ten years. */
  static async create(nowMs: number): Promise<Certificates> {
    return new Certificates(await createAuthority('pintle-testing', DAYS, nowMs), nowMs);
  }

  async server(): Promise<KeyPair> {
    const about = { commonName: 'kube-apiserver', hosts: HOSTS, usage: 'server', days: DAYS } as const;
    return await issueCertificate(this.authority, about, this.#nowMs);
  }

  async client({ username, groups }: User): Promise<KeyPair> {
    const organizations = groups.filter((group) => group !== 'system:authenticated');
    const about = { commonName: username, organizations, usage: 'client', days: DAYS } as const;
    return await issueCertificate(this.authority, about, this.#nowMs);
  }
}
