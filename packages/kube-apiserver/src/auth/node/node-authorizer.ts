import type { Authorizer, Decision, UserInfo } from '@pintle/apiserver';
import type { UserRules } from '@pintle/apiserver/auth';
import { StoreFollower } from '@pintle/apiserver/cache';
import type { RequestInfo, ResourceRequest } from '@pintle/apiserver/request';
import { collectionRange, decodeObject, objectKey } from '@pintle/apiserver/storage';
import type { Runnable } from '@pintle/async';
import type { PersistentVolume, PersistentVolumeClaim } from '@pintle/kinds/core/v1';
import type { ResourceSlice } from '@pintle/kinds/resource/v1';
import type { VolumeAttachment } from '@pintle/kinds/storage/v1';
import type { GroupResource, KubernetesObject } from '@pintle/machinery';
import type { Store } from '@pintle/store';
import { compileRule } from '../rbac/policy-rule.ts';
import { CLUSTER_ROLES } from '../rbac/roles/cluster-roles.ts';
import { readRule } from '../rbac/roles/rule-table.ts';
import { NodeIndex } from './node-index.ts';

const ALLOWED: Decision = { allowed: true, reason: '' };
const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const NO_RULES = { resourceRules: [], nonResourceRules: [] };
const NOT_LISTED = 'node authorizer does not support user rule resolution';
const ONE_BY_ONE: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);
const LEASE_NAMESPACE = 'kube-node-lease';

/**
 * Authorizes nodes: each may read what its pods need, nothing of other nodes, and write about itself. Follows pods
 * without lag. The content of writes is checked by `NodeRestriction`.
 */
export class NodeAuthorizer implements Authorizer, Runnable {
  readonly #store: Store;
  readonly #index = new NodeIndex();
  readonly #follower: StoreFollower;
  readonly #rules = (CLUSTER_ROLES['system:node'] ?? []).map((rule) => compileRule(readRule(rule)));

  constructor(store: Store) {
    this.#store = store;
    const pods = collectionRange({ group: '', resource: 'pods' }, '');
    this.#follower = new StoreFollower(store, pods, this.#index);
  }

  async load(): Promise<void> {
    await this.#follower.load();
  }

  async run(options: { readonly signal: AbortSignal }): Promise<void> {
    await this.#follower.run(options);
  }

  authorize(user: UserInfo, info: RequestInfo): Decision | Promise<Decision> {
    const node = nodeNameOf(user);
    if (node === undefined) return no('');
    if (node === '') return no(`unknown node for user "${user.username}"`);
    return this.#decide(node, info);
  }

  /** Rights of a node depend on its pods, which is not a list of rules. */
  rulesOf(user: UserInfo): UserRules {
    const isNode = nodeNameOf(user) !== undefined;
    return { ...NO_RULES, incomplete: isNode, ...(isNode && { evaluationError: NOT_LISTED }) };
  }

  async #decide(node: string, info: RequestInfo): Promise<Decision> {
    await this.#follower.caughtUp();
    const special = info.kind === 'resource' ? await this.#special(node, info) : undefined;
    if (special !== undefined) return special;
    return this.#rules.some((allows) => allows(info)) ? ALLOWED : no('');
  }

  /** Returns `undefined` when the node's rules alone decide. */
  async #special(node: string, info: ResourceRequest): Promise<Decision | undefined> {
    switch (info.group === '' ? info.resource : `${info.resource}.${info.group}`) {
      case 'secrets':
      case 'configmaps':
        return await this.#readNamed(node, info);
      case 'persistentvolumeclaims':
        return info.subresource === 'status' ? await this.#updateStatus(node, info) : await this.#get(node, info);
      case 'resourceclaims.resource.k8s.io':
      case 'persistentvolumes':
      case 'volumeattachments.storage.k8s.io':
        return await this.#get(node, info);
      case 'serviceaccounts':
        return await this.#account(node, info);
      case 'leases.coordination.k8s.io':
        return ownLease(node, info);
      case 'csinodes.storage.k8s.io':
        return ownCsiNode(node, info);
      case 'resourceslices.resource.k8s.io':
        return await this.#slice(node, info);
      case 'nodes':
        return ownNode(node, info);
      case 'pods':
        return await this.#pod(node, info);
      default:
        return undefined;
    }
  }

  async #readNamed(node: string, info: ResourceRequest): Promise<Decision> {
    if (!READS.has(info.verb)) return no('can only read resources of this type');
    if (info.subresource !== '') return no('cannot read subresource');
    if (info.namespace === '') return no('can only read namespaced object of this type');
    return await this.#related(node, info);
  }

  async #updateStatus(node: string, info: ResourceRequest): Promise<Decision> {
    const isUpdate = info.verb === 'update' || info.verb === 'patch';
    return isUpdate ? await this.#related(node, info) : no('can only get/update/patch this type');
  }

  async #get(node: string, info: ResourceRequest): Promise<Decision> {
    if (info.verb !== 'get') return no('can only get individual resources of this type');
    return info.subresource === '' ? await this.#related(node, info) : no('cannot get subresource');
  }

  async #account(node: string, info: ResourceRequest): Promise<Decision> {
    if (info.verb === 'get' && info.subresource === '') return await this.#readNamed(node, info);
    if (info.verb !== 'create' || info.authorizedName === '') {
      return no('can only create tokens for individual service accounts');
    }
    if (info.subresource !== 'token') return no('can only create token subresource of serviceaccount');
    return await this.#related(node, info);
  }

  async #slice(node: string, info: ResourceRequest): Promise<Decision> {
    if (info.subresource !== '') return no('cannot authorize ResourceSlice subresources');
    switch (info.verb) {
      case 'create':
        return ALLOWED;
      case 'get':
      case 'update':
      case 'patch':
      case 'delete':
        return await this.#related(node, info);
      case 'list':
      case 'watch':
      case 'deletecollection':
        if (info.selectedNode === node) return ALLOWED;
        return no('can only list/watch/deletecollection resourceslices with nodeName field selector');
      default:
        return no(
          'only the following verbs are allowed for a ResourceSlice: get, watch, list, create, update, patch, delete, deletecollection',
        );
    }
  }

  /** Admission checks what a node may write of its pods. */
  async #pod(node: string, info: ResourceRequest): Promise<Decision> {
    const { verb, subresource } = info;
    if (subresource === 'eviction') return verb === 'create' ? ALLOWED : no('');
    if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : no('');
    if (subresource !== '') return no('');
    if (verb === 'get') return await this.#related(node, info);
    if (verb === 'create' || verb === 'delete') return ALLOWED;
    if (verb !== 'list' && verb !== 'watch') return no('');
    if (info.selectedNode === node) return ALLOWED;
    if (info.authorizedName !== '') return await this.#related(node, info);
    return no('can only list/watch pods with spec.nodeName field selector');
  }

  async #related(node: string, info: ResourceRequest): Promise<Decision> {
    if (info.authorizedName === '') return no('No Object name found');
    return (await this.#isRelated(node, info)) ? ALLOWED : unrelated(node);
  }

  async #isRelated(node: string, info: ResourceRequest): Promise<boolean> {
    const { resource, namespace, authorizedName } = info;
    switch (resource) {
      case 'persistentvolumes':
        return await this.#isVolumeUsed(node, authorizedName);
      case 'volumeattachments':
        return (
          (await this.#find<VolumeAttachment>(ATTACHMENTS, '', authorizedName, 'VolumeAttachment'))?.spec.nodeName ===
          node
        );
      case 'resourceslices':
        return (await this.#find<ResourceSlice>(SLICES, '', authorizedName, 'ResourceSlice'))?.spec.nodeName === node;
    }
    if (this.#index.needs(node, `${resource}/${namespace}/${authorizedName}`)) return true;
    return resource === 'secrets' && (await this.#isSecretOfVolume(node, info));
  }

  async #isVolumeUsed(node: string, name: string): Promise<boolean> {
    const found = await this.#find<PersistentVolume>(VOLUMES, '', name, 'PersistentVolume');
    const claim = found?.spec?.claimRef;
    return this.#index.needs(node, `persistentvolumeclaims/${claim?.namespace}/${claim?.name}`);
  }

  /** True when a volume that the node's pods claim needs the Secret to be mounted. */
  async #isSecretOfVolume(node: string, { namespace, authorizedName }: ResourceRequest): Promise<boolean> {
    for (const claimed of this.#index.needed(node, 'persistentvolumeclaims')) {
      const [home = '', name = ''] = claimed.split('/');
      const claim = await this.#find<PersistentVolumeClaim>(CLAIMS, home, name, 'PersistentVolumeClaim');
      const volume = await this.#find<PersistentVolume>(VOLUMES, '', claim?.spec?.volumeName ?? '', 'PersistentVolume');
      if (volume !== undefined && secretsOf(volume, home).has(`${namespace}/${authorizedName}`)) return true;
    }
    return false;
  }

  async #find<T extends KubernetesObject>(
    resource: GroupResource,
    namespace: string,
    name: string,
    kind: string,
  ): Promise<T | undefined> {
    if (name === '' || /[/\0]/.test(name)) return undefined;
    const record = await this.#store.get(objectKey(resource, namespace, name));
    return record && (decodeObject(record, kind) as T);
  }
}

const VOLUMES = { group: '', resource: 'persistentvolumes' };
const CLAIMS = { group: '', resource: 'persistentvolumeclaims' };
const SLICES = { group: 'resource.k8s.io', resource: 'resourceslices' };
const ATTACHMENTS = { group: 'storage.k8s.io', resource: 'volumeattachments' };

function no(reason: string): Decision {
  return { allowed: false, reason };
}

function unrelated(node: string): Decision {
  return no(`no relationship found between node '${node}' and this object`);
}

/** Returns the references to Secrets in a volume; the namespace defaults to that of the claim. */
function secretsOf({ spec }: PersistentVolume, claimNamespace: string): ReadonlySet<string> {
  const found = new Set<string>();
  for (const source of Object.values(spec ?? {})) {
    if (typeof source !== 'object' || source === null || Array.isArray(source)) continue;
    for (const [key, value] of Object.entries(source)) {
      if (!/secretref$/i.test(key) || typeof value !== 'object' || value === null) continue;
      const { name, namespace } = value as { name?: string; namespace?: string };
      if (name !== undefined) found.add(`${namespace ?? claimNamespace}/${name}`);
    }
  }
  return found;
}

function ownLease(node: string, { verb, namespace, name }: ResourceRequest): Decision {
  if (!ONE_BY_ONE.has(verb)) return no('can only get, create, update, patch, or delete a node lease');
  if (namespace !== LEASE_NAMESPACE) return no(`can only access leases in the "${LEASE_NAMESPACE}" system namespace`);
  if (verb === 'create' || name === node) return ALLOWED;
  return no('can only access node lease with the same name as the requesting node');
}

function ownCsiNode(node: string, { verb, name, subresource }: ResourceRequest): Decision {
  if (!ONE_BY_ONE.has(verb)) return no('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return no('cannot authorize CSINode subresources');
  if (verb === 'create' || name === node) return ALLOWED;
  return no('can only access CSINode with the same name as the requesting node');
}

/** A node cannot read other nodes; admission checks what it may change in its own. */
function ownNode(node: string, { verb, authorizedName, subresource }: ResourceRequest): Decision {
  const isChange = verb === 'update' || verb === 'patch';
  if (subresource === 'status') return isChange ? ALLOWED : no('');
  if (subresource !== '') return no('');
  if (verb === 'create' || isChange) return ALLOWED;
  if (!READS.has(verb)) return no('');
  if (authorizedName === node) return ALLOWED;
  const what = authorizedName === '' ? 'all nodes' : `'${authorizedName}'`;
  return no(`node '${node}' cannot read ${what}, only its own Node object`);
}

const GROUP = 'system:nodes';
const PREFIX = 'system:node:';

/** Returns the name of the node that a user is; empty for a node without a name, `undefined` for other users. */
export function nodeNameOf({ username, groups }: UserInfo): string | undefined {
  return username.startsWith(PREFIX) && groups.includes(GROUP) ? username.slice(PREFIX.length) : undefined;
}
