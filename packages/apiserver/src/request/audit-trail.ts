import type { UserInfo } from './user-info.ts';

/** What the stages behind the audit tell it about a request on its way. */
export class AuditTrail {
  impersonated: UserInfo | undefined;
  /** The verb that allowed it, when that was not the old one, which allows everything. */
  impersonationConstraint = '';
  readonly annotations: Record<string, string> = {};
  /** What is sent and stored is written down too, not only by whom. */
  readonly takesBodies: boolean;

  constructor({ takesBodies = false }: { readonly takesBodies?: boolean } = {}) {
    this.takesBodies = takesBodies;
  }

  /** Keys are the server's own or begin with a webhook's name and a slash; never a client's. */
  annotate(key: string, value: string): void {
    this.annotations[key] = value;
  }
}
