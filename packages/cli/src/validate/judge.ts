import { type Client, ClientError, RestMapper } from '@pintle/client';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { Namespace, ServiceAccount } from '@pintle/kinds/core/v1';
import type { KubernetesObject, ObjectMeta, ResourceType } from '@pintle/machinery';
import { ignoring, isAlreadyExists, StatusError } from '@pintle/machinery/errors';
import { untilEstablished } from '../until-established.ts';

/** Why an object would not be taken. */
export interface Objection {
  readonly message: string;
  /** Each thing that is wrong, where it can be told. */
  readonly causes: readonly { readonly field: string; readonly message: string }[];
}

/**
 * Asks a control plane that nobody else sees. What it takes stays: definitions and policies count for what comes after
 * them, and so do service accounts, classes and the parameters of policies.
 */
export class Judge {
  readonly #client: Client;
  readonly #namespaces = new Set<string>();

  constructor(client: Client) {
    this.#client = client;
  }

  /** `undefined`: it would be taken. */
  async objectionTo(object: KubernetesObject): Promise<Objection | undefined> {
    try {
      const type = await new RestMapper({ client: this.#client }).kind(object);
      const { namespace = 'default' } = object.metadata;
      if (type.scope === 'Namespaced') await this.#furnish(namespace);
      const { namespace: _misplaced, ...metadata } = object.metadata;
      await this.#make(type, {
        ...object,
        metadata: type.scope === 'Namespaced' ? { ...metadata, namespace } : metadata,
      });
      return undefined;
    } catch (error) {
      return objectionIn(error, object);
    }
  }

  async #make(type: ResourceType, object: KubernetesObject): Promise<void> {
    const isLasting = !PASSING.has(type.kind);
    const options = { dryRun: true, fieldValidation: 'Strict' } as const;
    try {
      await this.#client.create(
        type,
        object,
        isLasting && !isDefinition(type) ? { fieldValidation: 'Strict' } : options,
      );
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      await this.#change(type, object);
      return;
    }
    if (isDefinition(type)) await this.#define(object as CustomResourceDefinition);
    if (type.kind === 'Namespace') await this.#furnish(object.metadata.name ?? '');
  }

  /** Somebody wrote it twice, or it is one of those that every cluster has. */
  async #change(type: ResourceType, object: KubernetesObject): Promise<void> {
    const { namespace, name = '' } = object.metadata;
    const found = await this.#client.get(type, { ...(namespace && { namespace }), name });
    const { resourceVersion = '', uid = '' } = found.metadata;
    const changed = { ...object, metadata: { ...object.metadata, resourceVersion, uid } };
    await this.#client.update(type, changed, { dryRun: isDefinition(type), fieldValidation: 'Strict' });
  }

  /** Nobody is there to convert between versions: without that, they only differ in name. */
  async #define({ spec, ...definition }: CustomResourceDefinition): Promise<void> {
    const { conversion: _conversion, ...kept } = spec;
    await this.#client.create(CustomResourceDefinition, { ...definition, spec: kept });
    await untilEstablished(this.#client, definition.metadata.name ?? '');
  }

  /** On a cluster, a namespace is there before what is in it, and controllers give it its service account. */
  async #furnish(namespace: string): Promise<void> {
    if (this.#namespaces.has(namespace)) return;
    await this.#ensure(Namespace, { metadata: { name: namespace } });
    await this.#ensure(ServiceAccount, { metadata: { namespace, name: 'default' } });
    this.#namespaces.add(namespace);
  }

  async #ensure(type: ResourceType, object: { readonly metadata: ObjectMeta }): Promise<void> {
    await this.#client.create(type, object).catch(ignoring(isAlreadyExists));
  }
}

/** What others would have to answer for, or keep the count of: it is looked at, and does not stay. */
const PASSING: ReadonlySet<string> = new Set([
  'APIService',
  'MutatingWebhookConfiguration',
  'ResourceQuota',
  'ValidatingWebhookConfiguration',
]);

function isDefinition({ kind, group }: ResourceType): boolean {
  return kind === 'CustomResourceDefinition' && group === 'apiextensions.k8s.io';
}

function objectionIn(error: unknown, { apiVersion, kind }: KubernetesObject): Objection {
  if (error instanceof StatusError)
    return {
      message: error.message,
      causes: error.causes.map(({ field = '', message = '' }) => ({ field, message })),
    };
  if (error instanceof ClientError && error.failure.code === 'UnknownKind')
    return { message: `${apiVersion} has no ${kind}: its CustomResourceDefinition is not among the files`, causes: [] };
  return { message: (error as Error).message, causes: [] };
}
