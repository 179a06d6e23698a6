import type { UserInfo } from '../auth/user-info.ts';

/** What the stages behind the audit tell it about a request on its way. */
export class AuditTrail {
  impersonated: UserInfo | undefined;
  /** The verb that allowed it, when that was not the old one, which allows everything. */
  impersonationConstraint = '';
  readonly annotations: Record<string, string> = {};

  /** Keys are the server's own, never a client's. */
  annotate(key: string, value: string): void {
    this.annotations[key] = value;
  }
}
