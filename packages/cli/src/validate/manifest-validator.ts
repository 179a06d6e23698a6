import { type Client, ClientError, RestMapper } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { Namespace, ServiceAccount } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ObjectMeta, ResourceType } from '@pintle/machinery';
import { ignoring, isAlreadyExists, StatusError } from '@pintle/machinery/errors';
import { untilEstablished } from '../until-established.ts';

/** Reason why a server would refuse an object. */
export interface Rejection {
  readonly message: string;
  /** Invalid fields, where the server names them. */
  readonly causes: readonly { readonly field: string; readonly message: string }[];
}

/**
 * Validates objects on a separate control plane. Accepted objects stay there: CRDs, policies, service accounts, classes
 * and parameters of policies apply to later objects.
 */
export class ManifestValidator {
  readonly #client: Client;
  readonly #namespaces = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** Returns `undefined` when a server would accept the object. */
  async validate(object: KubernetesObject): Promise<Rejection | undefined> {
    try {
      const type = await new RestMapper({ client: this.#client }).kind(object);
      const { namespace = 'default' } = object.metadata;
      if (type.scope === 'Namespaced') await this.#ensureNamespace(namespace);
      const { namespace: _misplaced, ...metadata } = object.metadata;
      await this.#create(type, {
        ...object,
        metadata: type.scope === 'Namespaced' ? { ...metadata, namespace } : metadata,
      });
      return undefined;
    } catch (error) {
      return (await this.#unservedVersion(error, object)) ?? rejectionIn(error, object);
    }
  }

  /** Returns the reason when the kind of the object is defined, and the version not served. */
  async #unservedVersion(error: unknown, { apiVersion, kind }: KubernetesObject): Promise<Rejection | undefined> {
    if (!isUnknownKind(error)) return undefined;
    const [group] = apiVersion.split('/');
    const { items } = await this.#client.list(CustomResourceDefinition);
    const definition = items.find(({ spec }) => spec.group === group && spec.names.kind === kind);
    if (definition === undefined) return undefined;
    const served = definition.spec.versions.flatMap(({ name, served }) => (served ? [name] : []));
    const versions = served.length === 0 ? 'no version' : `only ${served.join(', ')}`;
    return { message: `${apiVersion} has no ${kind}: its CustomResourceDefinition serves ${versions}`, causes: [] };
  }

  async #create(type: ResourceType, object: KubernetesObject): Promise<void> {
    const isKept = !DRY_RUN_ONLY.has(type.kind);
    const options = { dryRun: true, fieldValidation: 'Strict' } as const;
    try {
      await this.#client.create(type, object, isKept && !isDefinition(type) ? { fieldValidation: 'Strict' } : options);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.#update(type, object);
      return;
    }
    if (isDefinition(type)) await this.#define(object as CustomResourceDefinition);
    if (type.kind === 'Namespace') await this.#ensureNamespace(object.metadata.name ?? '');
  }

  /** Updates an object that the files have twice, or that every cluster has. */
  async #update(type: ResourceType, object: KubernetesObject): Promise<void> {
    const { namespace, name = '' } = object.metadata;
    const found = await this.#client.get(type, { ...(namespace && { namespace }), name });
    const { resourceVersion = '', uid = '' } = found.metadata;
    const changed = { ...object, metadata: { ...object.metadata, resourceVersion, uid } };
    await this.#client.update(type, changed, { dryRun: isDefinition(type), fieldValidation: 'Strict' });
  }

  /** Creates a CRD without its conversion webhook, which does not run here. */
  async #define({ spec, ...definition }: CustomResourceDefinition): Promise<void> {
    const { conversion: _conversion, ...kept } = spec;
    await this.#client.create(CustomResourceDefinition, { ...definition, spec: kept });
    await untilEstablished(this.#client, definition.metadata.name ?? '');
  }

  /** Creates a namespace and its default service account, which controllers create on a cluster. */
  async #ensureNamespace(namespace: string): Promise<void> {
    if (this.#namespaces.has(namespace)) return;
    await this.#ensure(Namespace, { metadata: { name: namespace } });
    await this.#ensure(ServiceAccount, { metadata: { namespace, name: 'default' } });
    this.#namespaces.add(namespace);
  }

  async #ensure(type: ResourceType, object: { readonly metadata: ObjectMeta }): Promise<void> {
    await this.#client.create(type, object).catch(ignoring(isAlreadyExists));
  }
}

/** Kinds that are not kept, since they need other servers or controllers. */
const DRY_RUN_ONLY: ReadonlySet<string> = new Set([
  'APIService',
  'MutatingWebhookConfiguration',
  'ResourceQuota',
  'ValidatingWebhookConfiguration',
]);

function isDefinition({ kind, group }: ResourceType): boolean {
  return kind === 'CustomResourceDefinition' && group === 'apiextensions.k8s.io';
}

function isUnknownKind(error: unknown): boolean {
  return error instanceof ClientError && error.failure.code === 'UnknownKind';
}

function rejectionIn(error: unknown, { apiVersion, kind }: KubernetesObject): Rejection {
  if (error instanceof StatusError)
    return {
      message: error.message,
      causes: error.causes.map(({ field = '', message = '' }) => ({ field, message })),
    };
  if (isUnknownKind(error))
    return { message: `${apiVersion} has no ${kind}: its CustomResourceDefinition is not among the files`, causes: [] };
  return { message: (error as Error).message, causes: [] };
}
