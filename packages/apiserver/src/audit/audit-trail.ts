import type { UserInfo } from '../auth/user-info.ts';

/** What the stages behind the audit tell it about a request on its way. */
export class AuditTrail {
  impersonated: UserInfo | undefined;
  readonly annotations: Record<string, string> = {};

  /** Keys are the server's own, never a client's. */
  annotate(key: string, value: string): void {
    this.annotations[key] = value;
  }
}
