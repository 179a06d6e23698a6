import type { UserInfo } from '@pintle/apiserver';
import type { ClusterRoleBinding, RoleBinding, Subject } from '@pintle/kinds/rbac/v1';
import { quote } from '@pintle/machinery/errors';
import type { RoleSlot } from './known-role.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

type BindingKind = 'RoleBinding' | 'ClusterRoleBinding';

/** A binding prepared for decisions: its role and its subjects. */
export class KnownBinding {
  readonly namespace: string;
  readonly slot: RoleSlot;
  readonly #kind: BindingKind;
  readonly #name: string;
  readonly #roleRef: RoleBinding['roleRef'];
  readonly #subjects: readonly Subject[];
  /** Index of the first subject for each holder: that one is named as the reason. */
  readonly #firstOf = new Map<string, number>();
  readonly #origins: string[] = [];

  constructor(kind: BindingKind, object: RoleBinding | ClusterRoleBinding, slot: RoleSlot) {
    const { metadata, roleRef, subjects } = object;
    this.#kind = kind;
    this.#name = metadata.name ?? '';
    this.namespace = metadata.namespace ?? '';
    this.#roleRef = roleRef;
    this.#subjects = subjects ?? [];
    this.slot = slot;
    for (const [index, subject] of this.#subjects.entries()) {
      const holder = holderOf(subject, this.namespace);
      if (holder !== undefined && !this.#firstOf.has(holder)) this.#firstOf.set(holder, index);
    }
  }

  /** The subjects, each once. */
  get holders(): Iterable<string> {
    return this.#firstOf.keys();
  }

  /** Returns the reason why a user has the role: `RoleBinding "read/web" of Role "reader" to User "ann"`. */
  originFor(holders: Iterable<string>): string {
    let index = this.#subjects.length;
    for (const holder of holders) index = Math.min(index, this.#firstOf.get(holder) ?? index);
    const origin = this.#origins[index] ?? this.#describe(this.#subjects[index]!);
    this.#origins[index] = origin;
    return origin;
  }

  /** Reason why the binding has no effect while its role is missing. */
  get problem(): string {
    const { kind, name } = this.#roleRef;
    return `${kind.toLowerCase()}.${RBAC_GROUP} ${quote(name)} not found`;
  }

  #describe(subject: Subject): string {
    const where = this.namespace === '' ? this.#name : `${this.#name}/${this.namespace}`;
    const { kind, name } = this.#roleRef;
    const whom = describeSubject(subject, this.namespace);
    return `${this.#kind} ${quote(where)} of ${kind} ${quote(name)} to ${whom}`;
  }
}

/** Returns the subjects that a user is: by name and by each group, each once. */
export function holdersOf({ username, groups }: UserInfo): ReadonlySet<string> {
  const holders = new Set([`user ${username}`]);
  for (const group of groups) holders.add(`group ${group}`);
  return holders;
}

/**
 * Returns the key of a subject. A service account is the user of its name; its namespace defaults to that of the
 * binding.
 */
function holderOf({ kind, name, namespace }: Subject, bindingNamespace: string): string | undefined {
  switch (kind) {
    case 'User':
      return `user ${name}`;
    case 'Group':
      return `group ${name}`;
    case 'ServiceAccount': {
      const home = namespace || bindingNamespace;
      return home === '' ? undefined : `user system:serviceaccount:${home}:${name}`;
    }
    default:
      return undefined;
  }
}

function describeSubject({ kind, name, namespace }: Subject, bindingNamespace: string): string {
  return `${kind} ${quote(kind === 'ServiceAccount' ? `${name}/${namespace || bindingNamespace}` : name)}`;
}
