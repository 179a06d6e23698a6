import { readFileSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { stringifyYaml } from '@pintle/machinery/yaml';
import { type FileChange, GenerateError } from '../errors.ts';
import { type Manifest, manifestsOf } from '../manifests/objects.ts';
import { loadOperator } from '../operator/load-operator.ts';
import { checkRights } from '../operator/operator-roles.ts';
import { Changes, finish } from '../project/changes.ts';
import { checkDeployment, checkShape } from '../project/deployment-settings.ts';
import { type Project, readProject } from '../project/project.ts';
import { type BundleAbout, clusterServiceVersion } from './cluster-service-version.ts';

export interface GenerateBundleOptions {
  /** Default: the version in package.json. */
  readonly version?: string;
  /** Default: the image in the settings of the project, or NAME:VERSION. */
  readonly image?: string;
  /** Channels of the catalog for this version; the first is the default channel. Default: alpha. */
  readonly channels?: readonly string[];
  readonly defaultChannel?: string;
  readonly replaces?: string;
  readonly displayName?: string;
  readonly description?: string;
  readonly provider?: string;
  readonly maturity?: string;
  /** Default: 1.28.0. */
  readonly minKubeVersion?: string;
  /** Default: bundle. */
  readonly folder?: string;
  /** Writes nothing; throws Stale when files are out of date. */
  readonly check?: boolean;
  /** Called with warnings about the generated files. */
  readonly onWarning?: (text: string) => void;
}

const MARK = '# Written by pintle generate bundle.\n';

/** Writes a bundle for OLM: manifests, metadata, and the Dockerfile of its image. */
export async function generateBundle(
  directory: string,
  options: GenerateBundleOptions = {},
): Promise<readonly FileChange[]> {
  const { folder = 'bundle', check = false } = options;
  const project = readProject(directory);
  const about = aboutOf(directory, project, options);
  const namespace = `${project.name}-system`;
  const facts = await loadOperator(directory, project, { namespace });
  checkRights(facts, project, options.onWarning);
  checkShape(project.deployment);
  const manifests = manifestsOf(project, facts, { namespace, image: about.image });
  await checkDeployment(manifests.find(({ object }) => object.kind === 'Deployment')!.object);
  if (Object.keys(project.deployment?.serviceAccount?.annotations ?? {}).length > 0)
    options.onWarning?.('The annotations of the service account are left out: OLM makes the account by itself');
  const files: Record<string, string> = {
    [`${folder}/manifests/${project.name}.clusterserviceversion.yaml`]: stringifyYaml(
      clusterServiceVersion(project, facts, manifests, about),
    ),
    [`${folder}/metadata/annotations.yaml`]: stringifyYaml({ annotations: annotationsOf(project, options) }),
    [`${folder}.Dockerfile`]: dockerfile(bundlePlace(directory, folder).inContext, annotationsOf(project, options)),
  };
  for (const { file, object } of manifests.filter(isBundled))
    files[`${folder}/manifests/${file}.yaml`] = stringifyYaml(withoutNamespace(object));
  const changes = new Changes(directory);
  for (const [path, text] of Object.entries(files)) changes.put(path, `${MARK}${text}`);
  changes.deleteOthers(folder, MARK);
  return finish(changes, check);
}

/**
 * Returns the context of `docker build` for the bundle in a folder, and the folder as it is named there: the context is the project,
 * or the parent of a folder outside of it, because COPY reaches nothing else.
 */
export function bundlePlace(
  directory: string,
  folder: string,
): { readonly context: string; readonly inContext: string } {
  const full = resolve(directory, folder);
  const inside = relative(directory, full);
  const isInside = !isAbsolute(inside) && inside.split(sep)[0] !== '..';
  return isInside
    ? { context: '.', inContext: inside.replaceAll(sep, '/') }
    : { context: dirname(full), inContext: basename(full) };
}

/** True for CRDs and the metrics Service. OLM creates the other objects from the ClusterServiceVersion. */
function isBundled({ folder, object }: Manifest): boolean {
  return folder === 'crds' || (folder === 'monitoring' && object.kind === 'Service');
}

function withoutNamespace(object: Manifest['object']): object {
  const { namespace: _namespace, ...metadata } = object.metadata;
  return { ...object, metadata };
}

interface PackageFile {
  readonly version?: string;
  readonly description?: string;
  readonly author?: string | { readonly name?: string; readonly email?: string };
  readonly keywords?: readonly string[];
  readonly homepage?: string;
}

function aboutOf(
  directory: string,
  { name, domain, deployment }: Project,
  options: GenerateBundleOptions,
): BundleAbout {
  const file = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as PackageFile;
  const version = checkedVersion('the version of a bundle', options.version ?? file.version ?? '0.0.1');
  const { replaces } = options;
  const author = authorOf(file);
  return {
    version,
    image: options.image ?? deployment?.image ?? `${name}:${version}`,
    displayName: options.displayName ?? titleOf(name),
    description: options.description ?? file.description ?? `${titleOf(name)}, an operator made with Pintle.`,
    provider: options.provider ?? author.name ?? domain,
    maintainers: [{ name: author.name ?? domain, email: author.email ?? `operator@${domain}` }],
    keywords: file.keywords ?? [name],
    links: [{ name: titleOf(name), url: file.homepage ?? `https://${domain}` }],
    maturity: options.maturity ?? 'alpha',
    minKubeVersion: checkedVersion('a version of Kubernetes', options.minKubeVersion ?? '1.28.0'),
    ...(replaces !== undefined && { replaces: checkedVersion('the version that is replaced', replaces) }),
  };
}

/** Reads the author, as `Ada <ada@example.com>` or as an object. */
function authorOf({ author }: PackageFile): { readonly name?: string; readonly email?: string } {
  if (typeof author !== 'string') return author ?? {};
  const [, name, email] = /^([^<(]*?)\s*(?:<([^>]*)>)?\s*(?:\(.*)?$/.exec(author) ?? [];
  return { ...(name && { name }), ...(email && { email }) };
}

const SEMVER = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;

function checkedVersion(what: string, name: string): string {
  if (!SEMVER.test(name))
    throw new GenerateError({ code: 'BadName', what, name, detail: 'a version looks like 1.2.3' });
  return name;
}

function titleOf(name: string): string {
  return name.replace(/(?:^|-)([a-z0-9])/g, (_, first: string) => ` ${first.toUpperCase()}`).trim();
}

const PREFIX = 'operators.operatorframework.io.bundle';

function annotationsOf({ name }: Project, options: GenerateBundleOptions): Record<string, string> {
  const { channels = ['alpha'] } = options;
  const defaultChannel = options.defaultChannel ?? channels[0] ?? 'alpha';
  if (!channels.includes(defaultChannel)) {
    const detail = `it is not one of ${channels.join(', ')}`;
    throw new GenerateError({ code: 'BadName', what: 'the default channel', name: defaultChannel, detail });
  }
  return {
    [`${PREFIX}.channel.default.v1`]: defaultChannel,
    [`${PREFIX}.channels.v1`]: channels.join(','),
    [`${PREFIX}.manifests.v1`]: 'manifests/',
    [`${PREFIX}.mediatype.v1`]: 'registry+v1',
    [`${PREFIX}.metadata.v1`]: 'metadata/',
    [`${PREFIX}.package.v1`]: name,
  };
}

function dockerfile(folder: string, annotations: Readonly<Record<string, string>>): string {
  const labels = Object.entries(annotations).map(([key, value]) => `LABEL ${key}=${value}\n`);
  return `FROM scratch\n${labels.join('')}COPY ${folder}/manifests /manifests/\nCOPY ${folder}/metadata /metadata/\n`;
}
