import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Client, RestMapper } from '@pintle/client';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { ignoring, isAlreadyExists } from '@pintle/machinery/errors';
import { readObjects, untilServed } from './fixtures.ts';

/** Says who an operator is on a cluster, by its manifests. */
export interface Deployed {
  readonly name: string;
  readonly namespace: string;
  /** Its service account, as the API server calls it. */
  readonly user: string;
}

/** Kinds that say who an operator is, what it may do and when it is asked. Who runs it, and who reaches it, is the test. */
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
 * Creates what `pintle generate manifests` wrote, as far as it matters without a pod, and tells whose it is. `path` is the
 * folder, or the file with all objects. Definitions and namespaces that are there already stay as they are.
 */
export async function createManifests(client: Client, path: string): Promise<Deployed> {
  const objects = (await readObjects(fileOf(path))).filter(({ kind }) => NEEDED.has(kind));
  const accounts = objects.filter(({ kind }) => kind === 'ServiceAccount');
  const [account] = accounts;
  if (account === undefined || accounts.length > 1)
    throw new Error(`Cannot run an operator by ${path}: it has ${accounts.length} service accounts, and needs one`);
  const mapper = new RestMapper({ client });
  for (const object of objects) {
    await client.create(await mapper.kind(object), withoutService(object)).catch(ignoring(isAlreadyExists));
    if (object.kind === 'CustomResourceDefinition') await untilServed(client, object as CustomResourceDefinition);
  }
  return whoIs(account);
}

/** Webhooks of a configuration lead to a Service, behind which nobody is: the operator says where it is asked. */
function withoutService(object: KubernetesObject): KubernetesObject {
  return 'webhooks' in object ? ({ ...object, webhooks: [] } as KubernetesObject) : object;
}

function whoIs({ metadata: { namespace = 'default', name = '' } }: KubernetesObject): Deployed {
  return { name, namespace, user: `system:serviceaccount:${namespace}:${name}` };
}

function fileOf(path: string): string {
  const file = existsSync(path) && statSync(path).isDirectory() ? join(path, 'install.yaml') : path;
  if (existsSync(file)) return file;
  throw new Error(`Cannot read ${file}: there is no such file; pintle generate manifests writes it`);
}
