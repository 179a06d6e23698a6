import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, RestMapper } from '@pintle/client';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { ignoring, isAlreadyExists } from '@pintle/machinery/errors';
import { readObjects, untilServed } from './fixtures.ts';

/** Identity of an operator on a cluster, by its manifests. */
export interface DeployedOperator {
  readonly name: string;
  readonly namespace: string;
  /** Its service account, as the API server calls it. */
  readonly user: string;
}

/** Kinds of the identity, rights and webhooks of an operator. The test runs the operator, so it needs no Deployment or Service. */
const NEEDED: ReadonlySet<string> = new Set([
  'Namespace',
  'CustomResourceDefinition',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
]);

/**
 * Creates the objects that `pintle generate manifests` wrote, without those that only pods need, and returns the identity of
 * the operator. `path` is the folder, or the file with all objects. Objects that exist already stay as they are.
 */
export async function createManifests(client: Client, path: string): Promise<DeployedOperator> {
  const objects = (await readObjects(fileOf(path))).filter(({ kind }) => NEEDED.has(kind));
  const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
  const [account] = accounts;
  if (account === undefined || accounts.length > 1)
    throw new Error(`Cannot deploy ${path}: it has ${accounts.length} service accounts instead of one`);
  const mapper = new RestMapper({ client });
  for (const object of objects) {
    await client.create(await mapper.kind(object), withoutService(object)).catch(ignoring(isAlreadyExists));
    if (object.kind === 'CustomResourceDefinition') await untilServed(client, object as CustomResourceDefinition);
  }
  return identityOf(account);
}

/** Removes the webhooks of a configuration: they name a Service without endpoints. The operator registers its address. */
function withoutService(object: KubernetesObject): KubernetesObject {
  return 'webhooks' in object ? ({ ...object, webhooks: [] } as KubernetesObject) : object;
}

function identityOf({ metadata: { namespace = 'default', name = '' } }: KubernetesObject): DeployedOperator {
  return { name, namespace, user: `system:serviceaccount:${namespace}:${name}` };
}

function fileOf(path: string): string {
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'install.yaml') : path;
  if (existsSync(file)) return file;
  throw new Error(`Cannot read ${file}: no such file; create it with pintle generate manifests`);
}
