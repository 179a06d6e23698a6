import { stringifyYaml } from '@pintle/machinery/yaml';
import type { FileChange } from '../errors.ts';
import { loadOperator, type OperatorFacts } from '../operator/load-operator.ts';
import { checkRights } from '../operator/operator-roles.ts';
import { Changes, finish } from '../project/changes.ts';
import { checkDeployment, checkShape } from '../project/deployment-settings.ts';
import { PROJECT_FILE, type Project, projectText, readProject } from '../project/project.ts';
import { helmFiles } from './helm.ts';
import { type Manifest, manifestsOf } from './objects.ts';

export interface GenerateManifestsOptions {
  /** Namespace of the operator. Default: NAME-system. */
  readonly namespace?: string;
  /** Stored in the settings of the project. Default: the stored image, or NAME:latest. */
  readonly image?: string;
  /** Stored in the settings of the project. Default: the stored number, or 1. */
  readonly replicas?: number;
  /** Default: manifests. */
  readonly folder?: string;
  /** Writes nothing; throws Stale when files are out of date. */
  readonly check?: boolean;
  /** Called with warnings about the roles. */
  readonly onWarning?: (text: string) => void;
}

/** First line of every file. It warns people who edit one, and marks files that may be deleted. */
const MARK = '# Written by pintle generate manifests.\n';

/** Writes the objects of the deployment: as kustomize bases, as one file, and as a Helm chart. */
export async function generateManifests(
  directory: string,
  options: GenerateManifestsOptions = {},
): Promise<readonly FileChange[]> {
  const { folder = 'manifests', check = false } = options;
  const { project, manifests, facts } = await projectManifests(directory, options);
  const changes = new Changes(directory);
  const files = {
    ...kustomizeFiles(manifests),
    ...helmFiles(project, facts, { ...options, namespace: namespaceOf(project, options) }),
    'install.yaml': installFile(manifests),
  };
  for (const [path, text] of Object.entries(files)) changes.put(`${folder}/${path}`, `${MARK}${text}`);
  changes.deleteOthers(folder, MARK);
  if (!check) putDeployment(changes, directory, options);
  return finish(changes, check);
}

/** Returns the objects of the deployment without writing files. */
export async function projectManifests(
  directory: string,
  options: GenerateManifestsOptions = {},
): Promise<{ readonly project: Project; readonly manifests: readonly Manifest[]; readonly facts: OperatorFacts }> {
  const project = withDeployment(readProject(directory), options);
  checkShape(project.deployment);
  const namespace = namespaceOf(project, options);
  const facts = await loadOperator(directory, project, { namespace });
  checkRights(facts, project, options.onWarning);
  const manifests = manifestsOf(project, facts, { ...options, namespace });
  await checkDeployment(manifests.find(({ object }) => object.kind === 'Deployment')!.object);
  return { project, manifests, facts };
}

function namespaceOf({ name }: Project, { namespace = `${name}-system` }: GenerateManifestsOptions): string {
  return namespace;
}

/** Flags that are stored in the settings of the project. */
type Remembered = Pick<GenerateManifestsOptions, 'image' | 'replicas'>;

/** Returns the project with the flags in its settings. */
function withDeployment(project: Project, { image, replicas }: Remembered): Project {
  if (image === undefined && replicas === undefined) return project;
  const flags = { ...(image !== undefined && { image }), ...(replicas !== undefined && { replicas }) };
  return { ...project, deployment: { ...project.deployment, ...flags } };
}

/** Stores the flags in the settings of the project, for later commands. */
export function rememberDeployment(directory: string, flags: Remembered): void {
  const changes = new Changes(directory);
  putDeployment(changes, directory, flags);
  changes.write();
}

/** Leaves the file as it is when it has the settings already. */
function putDeployment(changes: Changes, directory: string, flags: Remembered): void {
  const project = readProject(directory);
  const next = withDeployment(project, flags);
  const { deployment } = project;
  if (deployment?.image === next.deployment?.image && deployment?.replicas === next.deployment?.replicas) return;
  changes.put(PROJECT_FILE, projectText(next));
}

/** True for the ServiceMonitor, which only clusters with the Prometheus operator accept. */
function isOptional({ folder }: Manifest): boolean {
  return folder === 'prometheus';
}

function installFile(manifests: readonly Manifest[]): string {
  return manifests
    .filter((manifest) => !isOptional(manifest))
    .map(({ object }) => stringifyYaml(object))
    .join('---\n');
}

function kustomizeFiles(manifests: readonly Manifest[]): Record<string, string> {
  const files: Record<string, string> = {};
  const folders = [...new Set(manifests.map(({ folder }) => folder))].sort();
  for (const folder of folders) {
    const inside = manifests.filter((manifest) => manifest.folder === folder);
    for (const { file, object } of inside) files[`${folder}/${file}.yaml`] = stringifyYaml(object);
    files[`${folder}/kustomization.yaml`] = kustomization(inside.map(({ file }) => `${file}.yaml`).sort());
  }
  const needed = manifests.filter((manifest) => !isOptional(manifest)).map(({ folder }) => folder);
  files['kustomization.yaml'] = kustomization([...new Set(needed)].sort());
  return files;
}

function kustomization(resources: readonly string[]): string {
  return stringifyYaml({
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [...resources],
  });
}
