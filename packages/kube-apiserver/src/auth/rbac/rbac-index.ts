import type { UserInfo } from '@pintle/apiserver';
import type { StoreView } from '@pintle/apiserver/cache';
import type { RequestInfo } from '@pintle/apiserver/request';
import { decodeShared } from '@pintle/apiserver/storage';
import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding } from '@pintle/kinds/rbac/v1';
import type { StoreRecord } from '@pintle/store';
import { holdersOf, KnownBinding } from './known-binding.ts';
import type { RoleSlot } from './known-role.ts';
import { KnownRole } from './known-role.ts';

/** Bindings of one holder in one namespace, by role. */
type Held = Map<RoleSlot, KnownBinding[]>;

/**
 * Roles and bindings, arranged by subject, namespace and role:
 *
 *     user ann        ''     ► ClusterRole view   ► ClusterRoleBinding a
 *                     web    ► Role reader        ► RoleBinding b, RoleBinding c
 *     group growers   web    ► Role reader        ► RoleBinding c
 *
 * A decision looks at each role of the user in the cluster and in one namespace once, however many bindings grant it
 * and however many others there are. A change updates its own entries when it arrives, so that no decision pays for
 * changes before it, except for the rules of the roles that it looks at.
 */
export class RbacIndex implements StoreView {
  /** Roles that exist or are referred to. */
  readonly #slots = new Map<string, RoleSlot>();
  /** Indexed bindings, by storage key. */
  readonly #bindings = new Map<string, KnownBinding>();
  readonly #held = new Map<string, Map<string, Held>>();

  /** Returns the binding that allows a user this; `undefined` when none does. */
  reasonFor(user: UserInfo, info: RequestInfo): string | undefined {
    const holders = holdersOf(user);
    const namespace = info.kind === 'resource' ? info.namespace : '';
    const denying = new Set<RoleSlot>();
    let found = this.#allowing(holders, '', info, denying);
    if (found === undefined && namespace !== '') found = this.#allowing(holders, namespace, info, denying);
    return found?.originFor(holders);
  }

  /** Returns the roles of a user: those of the cluster first, then those of the namespace, if given. */
  rolesOf(user: UserInfo, namespace: string): ReadonlySet<KnownRole> {
    const found = new Set<KnownRole>();
    for (const held of this.#allHeld(user, namespace)) {
      for (const { role } of held.keys()) if (role !== undefined) found.add(role);
    }
    return found;
  }

  /** Yields the roles of a user in the same order, once per binding. */
  *grantsOf(user: UserInfo, namespace: string): Generator<KnownRole> {
    const seen = new Set<KnownBinding>();
    for (const held of this.#allHeld(user, namespace)) {
      for (const [{ role }, bindings] of held) {
        if (role === undefined) continue;
        for (const binding of bindings) {
          if (seen.has(binding)) continue;
          seen.add(binding);
          yield role;
        }
      }
    }
  }

  /** Returns the bound roles of a user that do not exist; at most a limited number. */
  problemsOf(user: UserInfo, namespace: string): ReadonlySet<string> {
    let problems: Set<string> | undefined;
    for (const held of this.#allHeld(user, namespace)) {
      for (const [{ role }, [binding]] of held) {
        if (role === undefined) problems = (problems ?? new Set()).add(binding!.problem);
        if (problems?.size === MAX_PROBLEMS) return problems;
      }
    }
    return problems ?? NO_PROBLEMS;
  }

  /** Returns the rules of the role that a binding refers to; `undefined` when the role does not exist. */
  rulesOf(roleKind: string, name: string, namespace: string): readonly PolicyRule[] | undefined {
    return this.#slots.get(roleKey(roleKind, name, namespace))?.role?.rules;
  }

  clear(): void {
    this.#slots.clear();
    this.#bindings.clear();
    this.#held.clear();
  }

  put(record: StoreRecord): void {
    const kind = kindOf(record);
    if (kind === undefined) return;
    if (kind === 'Role' || kind === 'ClusterRole') {
      const readRules = (): readonly PolicyRule[] => (decodeShared(record, kind) as Role | ClusterRole).rules ?? [];
      this.#slotOf(storedRoleKey(record)).role = new KnownRole(readRules);
      return;
    }
    this.#unbind(record.key);
    this.#bind(record.key, kind, decodeShared(record, kind) as RoleBinding | ClusterRoleBinding);
  }

  remove(record: StoreRecord): void {
    const kind = kindOf(record);
    if (kind === undefined) return;
    if (kind === 'RoleBinding' || kind === 'ClusterRoleBinding') {
      this.#unbind(record.key);
      return;
    }
    const slot = this.#slotOf(storedRoleKey(record));
    slot.role = undefined;
    this.#dropUnused(slot);
  }

  /** Returns a binding whose role allows the request. Skips roles in `denying`, and adds those that do not allow it. */
  #allowing(
    holders: Iterable<string>,
    namespace: string,
    info: RequestInfo,
    denying: Set<RoleSlot>,
  ): KnownBinding | undefined {
    for (const holder of holders) {
      const held = this.#heldBy(holder, namespace);
      if (held === undefined) continue;
      for (const [slot, [binding]] of held) {
        if (denying.has(slot)) continue;
        if (slot.role?.allows(info)) return binding;
        denying.add(slot);
      }
    }
    return undefined;
  }

  *#allHeld(user: UserInfo, namespace: string): Generator<Held> {
    const holders = holdersOf(user);
    for (const where of namespace === '' ? [''] : ['', namespace]) {
      for (const holder of holders) {
        const held = this.#heldBy(holder, where);
        if (held !== undefined) yield held;
      }
    }
  }

  #heldBy(holder: string, namespace: string): Held | undefined {
    return this.#held.get(holder)?.get(namespace);
  }

  #bind(key: string, kind: BindingKind, object: RoleBinding | ClusterRoleBinding): void {
    const { roleRef, metadata } = object;
    const slot = this.#slotOf(roleKey(roleRef.kind, roleRef.name, metadata.namespace ?? ''));
    const binding = new KnownBinding(kind, object, slot);
    slot.bindings++;
    this.#bindings.set(key, binding);
    for (const holder of binding.holders) {
      const spaces = entry(this.#held, holder, () => new Map<string, Held>());
      const held = entry(spaces, binding.namespace, (): Held => new Map());
      entry(held, slot, (): KnownBinding[] => []).push(binding);
    }
  }

  #unbind(key: string): void {
    const binding = this.#bindings.get(key);
    if (binding === undefined) return;
    this.#bindings.delete(key);
    for (const holder of binding.holders) this.#release(holder, binding);
    binding.slot.bindings--;
    this.#dropUnused(binding.slot);
  }

  /** Removes entries that become empty. */
  #release(holder: string, binding: KnownBinding): void {
    const { namespace, slot } = binding;
    const spaces = this.#held.get(holder)!;
    const held = spaces.get(namespace)!;
    const bindings = held.get(slot)!;
    bindings.splice(bindings.indexOf(binding), 1);
    if (bindings.length === 0) held.delete(slot);
    if (held.size === 0) spaces.delete(namespace);
    if (spaces.size === 0) this.#held.delete(holder);
  }

  #slotOf(key: string): RoleSlot {
    return entry(this.#slots, key, () => ({ key, role: undefined, bindings: 0 }));
  }

  #dropUnused(slot: RoleSlot): void {
    if (slot.role === undefined && slot.bindings === 0) this.#slots.delete(slot.key);
  }
}

const MAX_PROBLEMS = 100;
const NO_PROBLEMS: ReadonlySet<string> = new Set();

type BindingKind = 'RoleBinding' | 'ClusterRoleBinding';
type RbacKind = 'Role' | 'ClusterRole' | BindingKind;

const KINDS: ReadonlyMap<string, RbacKind> = new Map<string, RbacKind>([
  ['roles', 'Role'],
  ['clusterroles', 'ClusterRole'],
  ['rolebindings', 'RoleBinding'],
  ['clusterrolebindings', 'ClusterRoleBinding'],
]);

/** Keys begin with group and resource. `undefined` for a custom resource of the same group. */
function kindOf({ key }: StoreRecord): RbacKind | undefined {
  return KINDS.get(key.split('/', 2)[1]!);
}

/** Like `roleKey`, from a storage key; that of a cluster role has no namespace. */
function storedRoleKey({ key }: StoreRecord): string {
  const [first = '', second] = key.split('/').slice(2);
  return second === undefined ? `/${first}` : `${first}/${second}`;
}

function roleKey(kind: string, name: string, namespace: string): string {
  return kind === 'ClusterRole' ? `/${name}` : `${namespace}/${name}`;
}

function entry<K, V>(map: Map<K, V>, key: K, create: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = create();
    map.set(key, value);
  }
  return value;
}
