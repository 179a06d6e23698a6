import { stringifyYaml } from '@pintle/machinery/yaml';
import type { FileChange } from '../errors.ts';
import { loadOperator } from '../operator/load-operator.ts';
import { checkRights } from '../operator/operator-roles.ts';
import { Changes, finish } from '../project/changes.ts';
import { checkDeployment, checkShape } from '../project/deployment-settings.ts';
import { PROJECT_FILE, type Project, projectText, readProject } from '../project/project.ts';
import { helmFiles } from './helm.ts';
import { type Manifest, manifestsOf, settingsOf } from './objects.ts';

export interface GenerateManifestsOptions {
  /** Where the operator runs. Default: NAME-system. */
  readonly namespace?: string;
  /** Is written down in the project's settings, for the next time. Default: what is there, or NAME:latest. */
  readonly image?: string;
  /** Is written down too. Default: what is there, or 1. */
  readonly replicas?: number;
  /** Default: manifests. */
  readonly folder?: string;
  /** Writes nothing; throws Stale when something would be written. */
  readonly check?: boolean;
  /** Told what should not stay as it is. */
  readonly onWarning?: (text: string) => void;
}

/** At the head of every file: whoever edits one learns that it is written again, and files that are no longer needed are found. */
const MARK = '# Written by pintle generate manifests.\n';

/** Writes what a cluster needs to run the operator: kustomize bases, one file with everything, and a Helm chart. */
export async function generateManifests(
  directory: string,
  options: GenerateManifestsOptions = {},
): Promise<readonly FileChange[]> {
  const { folder = 'manifests', check = false } = options;
  const { project, manifests } = await projectManifests(directory, options);
  const changes = new Changes(directory);
  const files = {
    ...kustomizeFiles(manifests),
    ...helmFiles(project, manifests, settingsOf(project, options)),
    'install.yaml': installFile(manifests),
  };
  for (const [path, text] of Object.entries(files)) changes.put(`${folder}/${path}`, `${MARK}${text}`);
  changes.deleteOthers(folder, MARK);
  if (!check) putDeployment(changes, directory, options);
  return finish(changes, check);
}

/** The objects themselves, for those who apply them. */
export async function projectManifests(
  directory: string,
  options: GenerateManifestsOptions = {},
): Promise<{ readonly project: Project; readonly manifests: readonly Manifest[] }> {
  const project = withDeployment(readProject(directory), options);
  checkShape(project.deployment);
  const { namespace = `${project.name}-system` } = options;
  const facts = await loadOperator(directory, project, { namespace });
  checkRights(facts, project, options.onWarning);
  const manifests = manifestsOf(project, facts, { ...options, namespace });
  await checkDeployment(manifests.find(({ object }) => object.kind === 'Deployment')!.object);
  return { project, manifests };
}

/** How an operator is deployed, as far as flags say it. */
type Remembered = Pick<GenerateManifestsOptions, 'image' | 'replicas'>;

/** The project with what flags say of its deployment written down in its settings. */
function withDeployment(project: Project, { image, replicas }: Remembered): Project {
  if (image === undefined && replicas === undefined) return project;
  const said = { ...(image !== undefined && { image }), ...(replicas !== undefined && { replicas }) };
  return { ...project, deployment: { ...project.deployment, ...said } };
}

/** Writes down how a project is deployed, so that later commands do it the same way. */
export function rememberDeployment(directory: string, said: Remembered): void {
  const changes = new Changes(directory);
  putDeployment(changes, directory, said);
  changes.write();
}

/** The file stays as people wrote it where it says so already. */
function putDeployment(changes: Changes, directory: string, said: Remembered): void {
  const project = readProject(directory);
  const next = withDeployment(project, said);
  const { deployment } = project;
  if (deployment?.image === next.deployment?.image && deployment?.replicas === next.deployment?.replicas) return;
  changes.put(PROJECT_FILE, projectText(next));
}

/** Clusters without Prometheus' operator do not know ServiceMonitors: whoever has it applies that folder too. */
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
