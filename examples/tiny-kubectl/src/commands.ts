import { readFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import {
  type Client,
  exec,
  hasCondition,
  logs,
  portForward,
  RestMapper,
  resourcePath,
  setScale,
  untilDeleted,
  waitFor,
} from '@pintle/client';
import { SelfSubjectReview } from '@pintle/kinds/authentication/v1';
import type { KubernetesObject, ResourceType } from '@pintle/machinery';
import { parseYamlDocuments, stringifyYaml } from '@pintle/machinery/yaml';
import type { Request } from './arguments.ts';
import { formatTable, type Table } from './table.ts';

/** Dependencies of a command. */
export interface Context {
  readonly client: Client;
  readonly namespace: string;
  readonly print: (text: string | Uint8Array) => void;
  readonly signal: AbortSignal;
}

/** Runs a command and returns its exit code. */
export type Command = (request: Request, context: Context) => Promise<number>;

export const commands: Readonly<Record<string, Command>> = {
  get,
  apply,
  delete: remove,
  scale,
  wait,
  logs: printLogs,
  exec: execute,
  'port-forward': forward,
  'api-resources': listResources,
  whoami,
};

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

async function get(request: Request, context: Context): Promise<number> {
  const { client, print } = context;
  const { flags, words } = request;
  const [type, name] = await resolve(request, context);
  const namespace = flags['all-namespaces'] ? undefined : context.namespace;
  if (flags.watch) return await watch(type, namespace, request, context);
  if (flags.output === undefined) {
    const query = new URLSearchParams(flags.selector ? { labelSelector: flags.selector } : {}).toString();
    const path = resourcePath(type, { namespace, ...(name !== undefined && { name }) });
    const table = await client.call({ method: 'GET', path, query, headers: { accept: TABLE } });
    print(formatTable(table as Table, { withNamespace: flags['all-namespaces'] === true }));
    return 0;
  }
  const selector = flags.selector ? { labelSelector: flags.selector } : {};
  const found =
    words.length > 1
      ? [await client.get(type, { namespace, name: name! })]
      : await all(client, type, { namespace, ...selector });
  for (const object of found) print(formatObject(object, flags.output, type));
  return 0;
}

async function all(client: Client, type: ResourceType, options: object): Promise<KubernetesObject[]> {
  const found: KubernetesObject[] = [];
  for await (const object of client.each(type, options)) found.push(object);
  return found;
}

async function watch(
  type: ResourceType,
  namespace: string | undefined,
  { flags }: Request,
  { client, print, signal }: Context,
): Promise<number> {
  const options = { namespace, signal, ...(flags.selector && { labelSelector: flags.selector }) };
  for await (const event of client.watch(type, options)) {
    if (event.type !== 'BOOKMARK') print(`${event.type} ${type.plural}/${event.object.metadata.name}\n`);
  }
  return 0;
}

async function apply({ flags }: Request, { client, namespace, print }: Context): Promise<number> {
  const mapper = new RestMapper({ client });
  for (const document of parseYamlDocuments(await readFile(flags.filename ?? '/dev/stdin'))) {
    const object = document as unknown as KubernetesObject;
    const { apiVersion = '', kind = '' } = object;
    const type = await mapper.kind({ apiVersion, kind });
    const name = object.metadata.name ?? '';
    const place = type.scope === 'Namespaced' ? { namespace: object.metadata.namespace ?? namespace } : {};
    const configuration = { ...object, metadata: { ...object.metadata, name, ...place } };
    await client.apply(type, configuration, { fieldManager: 'tiny-kubectl', force: true });
    print(`${type.plural}/${name} applied\n`);
  }
  return 0;
}

async function remove(request: Request, context: Context): Promise<number> {
  const { client, namespace, print } = context;
  const [type, name = ''] = await resolve(request, context);
  const held = await client.delete(type, { namespace, name });
  const { uid } = held?.metadata ?? {};
  if (uid !== undefined) await untilDeleted(client, type, { namespace, name, uid });
  print(`${type.plural}/${name} deleted\n`);
  return 0;
}

async function scale(request: Request, context: Context): Promise<number> {
  const { client, namespace, print } = context;
  const [type, name = ''] = await resolve(request, context);
  await setScale(client, type, { namespace, name }, Number(request.flags.replicas));
  print(`${type.plural}/${name} scaled\n`);
  return 0;
}

/** Handles `--for=delete` and `--for=condition=Ready`. */
async function wait(request: Request, context: Context): Promise<number> {
  const { client, namespace, print, signal } = context;
  const [type, name = ''] = await resolve(request, context);
  const ref = { namespace, name };
  const [what, condition = ''] = (request.flags.for ?? '').split('=');
  if (what === 'delete') await untilDeleted(client, type, ref, { signal });
  else await waitFor(client, type, ref, hasCondition(condition), { signal });
  print(`${type.plural}/${name} condition met\n`);
  return 0;
}

async function printLogs({ words, flags }: Request, { client, namespace, print, signal }: Context): Promise<number> {
  const { follow, container } = flags;
  const options = { signal, ...(follow && { follow }), ...(container && { container }) };
  for await (const chunk of logs(client, { namespace, name: words[0] ?? '' }, options)) print(chunk);
  return 0;
}

async function execute({ words, rest, flags }: Request, context: Context): Promise<number> {
  const { client, namespace, print, signal } = context;
  const options = { command: rest, signal, ...(flags.container && { container: flags.container }) };
  await using session = await exec(client, { namespace, name: words[0] ?? '' }, options);
  for await (const { bytes } of session) print(bytes);
  return session.exitCode ?? 1;
}

/** Handles `port-forward web 8080:80`. */
async function forward({ words }: Request, { client, namespace, print, signal }: Context): Promise<number> {
  const [name = '', ports = ''] = words;
  const [local = '', remote = local] = ports.split(':');
  // A client that has finished sending may still receive.
  const server = createServer({ allowHalfOpen: true }, async (socket) => {
    try {
      const stream = await portForward(client, { namespace, name }, { port: Number(remote), signal });
      stream.on('error', () => socket.destroy());
      socket.on('error', () => stream.destroy());
      socket.pipe(stream).pipe(socket);
    } catch {
      socket.destroy();
    }
  });
  await new Promise<void>((listening) => server.listen(Number(local), '127.0.0.1', listening));
  print(`Forwarding from 127.0.0.1:${(server.address() as AddressInfo).port} -> ${remote}\n`);
  await new Promise((stopped) => signal.addEventListener('abort', stopped));
  server.close();
  return 0;
}

async function listResources(_: Request, { client, print }: Context): Promise<number> {
  const resources = await new RestMapper({ client }).resources();
  for (const { type } of resources.filter(({ isPreferred }) => isPreferred))
    print(`${type.plural}\t${type.apiVersion}\t${type.scope}\t${type.kind}\n`);
  return 0;
}

async function whoami(_: Request, { client, print }: Context): Promise<number> {
  const { status } = await client.create(SelfSubjectReview, { metadata: {} });
  print(`${status?.userInfo?.username}\n`);
  return 0;
}

/** Reads `pods web` or `deploy/web` as a resource and a name. */
async function resolve({ words }: Request, { client }: Context): Promise<[ResourceType, string | undefined]> {
  const [word = '', second] = words;
  const [resource = '', name = second] = word.split('/');
  return [await new RestMapper({ client }).resource(resource), name];
}

function formatObject(object: KubernetesObject, output: string, type: ResourceType): string {
  if (output === 'name') return `${type.plural}/${object.metadata.name}\n`;
  if (output === 'json') return `${JSON.stringify(object, undefined, 2)}\n`;
  return `---\n${stringifyYaml(object as never)}`;
}
