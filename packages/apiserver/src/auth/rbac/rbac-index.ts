import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, Subject } from '@pintle/kinds/rbac/v1';
import { quote } from '@pintle/machinery/errors';
import type { StoreRecord } from '@pintle/store';
import type { StoreView } from '../../cache/store-follower.ts';
import { decodeObject } from '../../storage/object-codec.ts';
import type { UserInfo } from '../user-info.ts';
import type { RuleTest } from './policy-rule.ts';
import { compileRule } from './policy-rule.ts';

export const RBAC_GROUP = 'rbac.authorization.k8s.io';

/** A role that a user has by a binding. */
export class Grant {
  /** `undefined`: the binding is to a role that does not exist. */
  readonly role: KnownRole | undefined;
  readonly #bond: Bond;
  #origin: string | undefined;

  constructor(role: KnownRole | undefined, bond: Bond) {
    this.role = role;
    this.#bond = bond;
  }

  /** Why the user has it, or why it is of no use: `RoleBinding "read/web" of Role "reader" to User "ann"`. */
  get origin(): string {
    this.#origin ??= this.#describe();
    return this.#origin;
  }

  #describe(): string {
    const { binding, subject } = this.#bond;
    const { kind, name, namespace, roleKind, roleName } = binding;
    if (this.role === undefined) return `${roleKind.toLowerCase()}.${RBAC_GROUP} ${quote(roleName)} not found`;
    const where = namespace === '' ? name : `${name}/${namespace}`;
    const whom = describeSubject(binding.subjects[subject]!, namespace);
    return `${kind} ${quote(where)} of ${roleKind} ${quote(roleName)} to ${whom}`;
  }
}

export interface KnownRole {
  readonly rules: readonly PolicyRule[];
  readonly tests: readonly RuleTest[];
}

/** Read when somebody who has it is first asked about: a server has some seventy from its start, and few are ever used. */
class StoredRole implements KnownRole {
  readonly #kind: string;
  #record: StoreRecord | undefined;
  #rules: readonly PolicyRule[] = [];
  #tests: readonly RuleTest[] | undefined;

  constructor(kind: string, record: StoreRecord) {
    this.#kind = kind;
    this.#record = record;
  }

  get rules(): readonly PolicyRule[] {
    if (this.#record !== undefined) {
      this.#rules = (decodeObject(this.#record, this.#kind) as Role | ClusterRole).rules ?? [];
      this.#record = undefined;
    }
    return this.#rules;
  }

  get tests(): readonly RuleTest[] {
    this.#tests ??= this.rules.map(compileRule);
    return this.#tests;
  }
}

interface Binding {
  readonly kind: 'RoleBinding' | 'ClusterRoleBinding';
  readonly namespace: string;
  readonly name: string;
  readonly roleKind: string;
  readonly roleName: string;
  readonly subjects: readonly Subject[];
}

/** Which of a binding's subjects the user is; the first counts. */
interface Bond {
  readonly binding: Binding;
  readonly subject: number;
}

/**
 * Roles and bindings, arranged by who is bound:
 *
 *     user "ann"        ''     ► ClusterRoleBinding a
 *                       web    ► RoleBinding b, RoleBinding c
 *     group "growers"   web    ► RoleBinding c
 *
 * A question about a user looks at that user's bindings in one namespace and in the cluster, however many others there
 * are. What was found for a user is kept until something changes.
 */
export class RbacIndex implements StoreView {
  readonly #roles = new Map<string, KnownRole>();
  /** The bindings that are in the index, by their keys in the store. */
  readonly #bindings = new Map<string, Binding>();
  readonly #bonds = new Map<string, Map<string, Map<string, Bond>>>();
  #found = new WeakMap<UserInfo, Map<string, readonly Grant[]>>();

  /** The roles of a user: those in the whole cluster first, then those in the namespace, if one is named. */
  *grantsOf(user: UserInfo, namespace: string): Generator<Grant> {
    yield* this.grantsIn(user, '');
    if (namespace !== '') yield* this.grantsIn(user, namespace);
  }

  /** The roles of a user by bindings of this namespace; of the cluster when it is ''. */
  grantsIn(user: UserInfo, namespace: string): readonly Grant[] {
    let found = this.#found.get(user);
    if (found === undefined) {
      found = new Map();
      this.#found.set(user, found);
    }
    let grants = found.get(namespace);
    if (grants === undefined) {
      grants = this.#resolve(user, namespace);
      // Namespaces without a binding are not kept: anybody may name as many as they like.
      if (grants.length > 0) found.set(namespace, grants);
    }
    return grants;
  }

  /** The rules of the role that a binding refers to; `undefined` when there is no such role. */
  rulesOf(roleKind: string, name: string, namespace: string): readonly PolicyRule[] | undefined {
    return this.#roles.get(roleKey(roleKind, name, namespace))?.rules;
  }

  clear(): void {
    this.#roles.clear();
    this.#bindings.clear();
    this.#bonds.clear();
    this.#forgetFound();
  }

  put(record: StoreRecord): void {
    this.#forgetFound();
    const kind = kindOf(record);
    if (kind === undefined) return;
    if (kind === 'Role' || kind === 'ClusterRole') {
      this.#roles.set(storedRoleKey(record), new StoredRole(kind, record));
      return;
    }
    this.#unbind(record.key);
    this.#bind(record.key, toBinding(kind, decodeObject(record, kind) as RoleBinding | ClusterRoleBinding));
  }

  remove(record: StoreRecord): void {
    this.#forgetFound();
    const kind = kindOf(record);
    if (kind === undefined) return;
    if (kind === 'RoleBinding' || kind === 'ClusterRoleBinding') {
      this.#unbind(record.key);
      return;
    }
    this.#roles.delete(storedRoleKey(record));
  }

  #forgetFound(): void {
    this.#found = new WeakMap();
  }

  #bind(key: string, binding: Binding): void {
    this.#bindings.set(key, binding);
    for (const [index, subject] of binding.subjects.entries()) {
      const holder = holderOf(subject, binding.namespace);
      if (holder === undefined) continue;
      const bonds = entry(entry(this.#bonds, holder), binding.namespace);
      if (!bonds.has(binding.name)) bonds.set(binding.name, { binding, subject: index });
    }
  }

  #unbind(key: string): void {
    const binding = this.#bindings.get(key);
    if (binding === undefined) return;
    this.#bindings.delete(key);
    for (const subject of binding.subjects) {
      const holder = holderOf(subject, binding.namespace);
      const spaces = holder === undefined ? undefined : this.#bonds.get(holder);
      const bonds = spaces?.get(binding.namespace);
      bonds?.delete(binding.name);
      if (bonds?.size === 0) spaces?.delete(binding.namespace);
      if (spaces?.size === 0) this.#bonds.delete(holder!);
    }
  }

  #resolve({ username, groups }: UserInfo, namespace: string): readonly Grant[] {
    const bonds = new Map<string, Bond>();
    for (const holder of [`user ${username}`, ...groups.map((group) => `group ${group}`)]) {
      for (const [name, bond] of this.#bonds.get(holder)?.get(namespace) ?? []) {
        const known = bonds.get(name);
        if (known === undefined || bond.subject < known.subject) bonds.set(name, bond);
      }
    }
    return bonds.size === 0 ? NO_GRANTS : [...bonds.values()].map((bond) => this.#grant(bond));
  }

  #grant(bond: Bond): Grant {
    const { namespace, roleKind, roleName } = bond.binding;
    return new Grant(this.#roles.get(roleKey(roleKind, roleName, namespace)), bond);
  }
}

const NO_GRANTS: readonly Grant[] = [];

const KINDS: ReadonlyMap<string, string> = new Map([
  ['roles', 'Role'],
  ['clusterroles', 'ClusterRole'],
  ['rolebindings', 'RoleBinding'],
  ['clusterrolebindings', 'ClusterRoleBinding'],
]);

/** Keys begin with the group and the resource. `undefined`: something else that somebody defined in the group. */
function kindOf({ key }: StoreRecord): string | undefined {
  return KINDS.get(key.split('/', 2)[1]!);
}

/** The same as `roleKey`, from the key in the store: that of a role in the cluster has no namespace. */
function storedRoleKey({ key }: StoreRecord): string {
  const [first = '', second] = key.split('/').slice(2);
  return second === undefined ? `/${first}` : `${first}/${second}`;
}

function roleKey(kind: string, name: string, namespace: string): string {
  return kind === 'ClusterRole' ? `/${name}` : `${namespace}/${name}`;
}

function toBinding(kind: string, { metadata, roleRef, subjects = [] }: RoleBinding | ClusterRoleBinding): Binding {
  const { name = '', namespace = '' } = metadata;
  return {
    kind: kind as Binding['kind'],
    name,
    namespace,
    roleKind: roleRef.kind,
    roleName: roleRef.name,
    subjects,
  };
}

/** A service account is the user of its name; without a namespace it is of the binding's. */
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

function entry<V>(map: Map<string, Map<string, V>>, key: string): Map<string, V> {
  let value = map.get(key);
  if (value === undefined) {
    value = new Map();
    map.set(key, value);
  }
  return value;
}
