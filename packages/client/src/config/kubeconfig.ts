import { dirname, isAbsolute, join, sep } from 'node:path';
import type { JsonValue } from '@pintle/machinery/json';
import { badConfig, Fields } from './fields.ts';

/** PEM data, inline or in a file that is read when it is needed. */
export type PemSource = { readonly data: Uint8Array } | { readonly file: string };

export interface KubeconfigCluster {
  readonly server?: string;
  readonly ca?: PemSource;
  readonly tlsServerName?: string;
  readonly insecureSkipVerify: boolean;
  readonly proxy?: string;
  /** Passed to exec plugins: the extension `client.authentication.k8s.io/exec`. */
  readonly execConfig?: JsonValue;
}

export interface KubeconfigUser {
  readonly cert?: PemSource;
  readonly key?: PemSource;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly username?: string;
  readonly password?: string;
  readonly exec?: ExecConfig;
  readonly authProvider?: { readonly name: string; readonly config: Readonly<Record<string, string>> };
  readonly impersonate?: Impersonation;
}

/** User that requests are made as, instead of the one that authenticates. */
export interface Impersonation {
  readonly user: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** Program that prints credentials. */
export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string;
  readonly provideClusterInfo: boolean;
  readonly interactiveMode: 'Never' | 'IfAvailable' | 'Always';
}

export interface KubeconfigContext {
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
}

/** One kubeconfig, or several merged. */
export interface Kubeconfig {
  readonly currentContext?: string;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
}

/** Reads a kubeconfig, in YAML or JSON. Paths in it are relative to the folder of `file`. */
export async function parseKubeconfig(
  text: string | Uint8Array,
  { file }: { readonly file?: string } = {},
): Promise<Kubeconfig> {
  const where = file ?? 'kubeconfig';
  const fields = new Fields(await parse(text, where), where);
  const kind = fields.text('kind') ?? 'Config';
  if (kind !== 'Config') throw badConfig(`${where} has kind ${kind}, not Config`);
  const resolve = (path: string): string => (file === undefined || isAbsolute(path) ? path : join(dirname(file), path));
  const currentContext = fields.text('current-context');
  return {
    ...(currentContext && { currentContext }),
    clusters: named(fields, 'clusters', 'cluster', (cluster) => readCluster(cluster, resolve)),
    users: named(fields, 'users', 'user', (user, name) => readUser(user, resolve, `${where}: user ${name}`)),
    contexts: named(fields, 'contexts', 'context', readContext),
  };
}

/** Merges as kubectl does: for each name, the first kubeconfig that has it wins. */
export function mergeKubeconfigs(configs: readonly Kubeconfig[]): Kubeconfig {
  const backwards = configs.toReversed();
  const currentContext = configs.find((config) => config.currentContext !== undefined)?.currentContext;
  return {
    ...(currentContext && { currentContext }),
    clusters: new Map(backwards.flatMap(({ clusters }) => [...clusters])),
    users: new Map(backwards.flatMap(({ users }) => [...users])),
    contexts: new Map(backwards.flatMap(({ contexts }) => [...contexts])),
  };
}

/** Loads the YAML parser on first use: a pod does not need it. */
async function parse(text: string | Uint8Array, where: string): Promise<JsonValue> {
  const { parseYaml, yamlFileLimits } = await import('@pintle/machinery/yaml');
  try {
    return parseYaml(text, yamlFileLimits);
  } catch (cause) {
    throw badConfig(`${where} is not valid YAML`, cause);
  }
}

function named<T>(fields: Fields, list: string, entry: string, read: (fields: Fields, name: string) => T) {
  const found = new Map<string, T>();
  for (const item of fields.maps(list)) {
    const name = item.text('name') ?? '';
    if (!found.has(name)) found.set(name, read(item.map(entry) ?? new Fields(undefined, name), name));
  }
  return found;
}

function readCluster(fields: Fields, resolve: (path: string) => string): KubeconfigCluster {
  const extension = fields.maps('extensions').find((item) => item.text('name') === 'client.authentication.k8s.io/exec');
  return defined({
    server: fields.text('server'),
    ca: source(fields, 'certificate-authority', resolve),
    tlsServerName: fields.text('tls-server-name'),
    insecureSkipVerify: fields.flag('insecure-skip-tls-verify'),
    proxy: fields.text('proxy-url'),
    execConfig: extension?.value('extension'),
  });
}

function readUser(fields: Fields, resolve: (path: string) => string, where: string): KubeconfigUser {
  const tokenFile = fields.text('tokenFile');
  const provider = fields.map('auth-provider');
  const exec = fields.map('exec');
  return defined({
    cert: source(fields, 'client-certificate', resolve),
    key: source(fields, 'client-key', resolve),
    token: fields.text('token'),
    tokenFile: tokenFile && resolve(tokenFile),
    username: fields.text('username'),
    password: fields.text('password'),
    exec: exec && readExec(exec, resolve, where),
    authProvider: provider && { name: provider.text('name') ?? '', config: texts(provider.map('config')) },
    impersonate: readImpersonation(fields, where),
  });
}

function readContext(fields: Fields): KubeconfigContext {
  return defined({
    cluster: fields.text('cluster'),
    user: fields.text('user'),
    namespace: fields.text('namespace'),
  });
}

function readImpersonation(fields: Fields, where: string): Impersonation | undefined {
  const user = fields.text('as');
  const uid = fields.text('as-uid');
  const groups = fields.texts('as-groups');
  const extra = fields.map('as-user-extra');
  if (user === undefined) {
    if (uid !== undefined || groups.length > 0 || extra !== undefined)
      throw badConfig(`${where} sets as-groups, as-uid or as-user-extra without "as"`);
    return undefined;
  }
  return defined({
    user,
    uid,
    groups: groups.length > 0 ? groups : undefined,
    extra: extra && Object.fromEntries(extra.names.map((name) => [name, extra.texts(name)])),
  });
}

const EXEC_VERSIONS = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];
const INTERACTIVE_MODES = ['Never', 'IfAvailable', 'Always'] as const;

function readExec(fields: Fields, resolve: (path: string) => string, where: string): ExecConfig {
  const command = fields.text('command');
  const apiVersion = fields.text('apiVersion') ?? '';
  if (command === undefined) throw badConfig(`${where} has an exec plugin without a command`);
  if (!EXEC_VERSIONS.includes(apiVersion)) {
    throw badConfig(
      `${where} has an exec plugin of version ${JSON.stringify(apiVersion)}: use ${EXEC_VERSIONS.join(' or ')}`,
    );
  }
  const mode = fields.text('interactiveMode') ?? (apiVersion.endsWith('v1beta1') ? 'IfAvailable' : undefined);
  const interactiveMode = INTERACTIVE_MODES.find((known) => known === mode);
  if (interactiveMode === undefined) {
    throw badConfig(
      `${where} has an exec plugin with an unknown interactiveMode: use one of ${INTERACTIVE_MODES.join(', ')}`,
    );
  }
  return defined({
    apiVersion,
    // A name without a path is searched in PATH.
    command: command.includes(sep) ? resolve(command) : command,
    args: fields.texts('args'),
    env: Object.fromEntries(fields.maps('env').map((item) => [item.text('name') ?? '', item.text('value') ?? ''])),
    installHint: fields.text('installHint'),
    provideClusterInfo: fields.flag('provideClusterInfo'),
    interactiveMode,
  });
}

/** Inline data takes precedence over the file. */
function source(fields: Fields, name: string, resolve: (path: string) => string): PemSource | undefined {
  const data = fields.data(`${name}-data`);
  if (data !== undefined) return { data };
  const file = fields.text(name);
  return file === undefined ? undefined : { file: resolve(file) };
}

function texts(fields: Fields | undefined): Record<string, string> {
  if (fields === undefined) return {};
  return Object.fromEntries(fields.names.map((name) => [name, fields.text(name) ?? '']));
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

function defined<T extends object>(object: T): Defined<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
}
