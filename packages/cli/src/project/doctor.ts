import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Client } from '@pintle/client';
import { GenerateError, generateManifests, projectManifests, readProject } from '@pintle/generate';
import { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { ResourceType } from '@pintle/machinery';
import { asJson, canonicalJson } from '@pintle/machinery/json';
import { withoutDescriptions } from '@pintle/operator';
import { ENGINES, findEngine } from '../image/engine.ts';
import { terminalText } from '../terminal-text.ts';
import { FIELD_MANAGER, keepingConverter } from './applied-objects.ts';
import { type ClusterFlags, checkCluster, connectTo, NoCluster } from './cluster.ts';
import { projectDirectory } from './project-directory.ts';
import { PINTLE, packageVersion } from './version.ts';
import { hasManifests, writtenWith } from './written-manifests.ts';

interface Check {
  readonly name: string;
  /** A failure is no error of the project: no command requires it. */
  readonly isOptional?: boolean;
  /** Returns the finding. Throws an error with the problem and its fix, or NotYet. */
  run(): string | Promise<string>;
}

/** A step that was not taken yet. It is no problem of the project. */
class NotYet extends Error {
  override name = 'NotYet';
}

interface Finding {
  readonly name: string;
  readonly isGood: boolean;
  readonly isOptional: boolean;
  readonly detail: string;
}

/** `pintle doctor`: checks the tools, the project and the cluster. */
export async function doctor(flags: ClusterFlags & { readonly output?: 'text' | 'json' }): Promise<void> {
  const directory = projectDirectory();
  const findings: Finding[] = [];
  for (const { name, isOptional = false, run } of checks(directory, await chooseCluster(directory, flags))) {
    try {
      findings.push({ name, isGood: true, isOptional, detail: await run() });
    } catch (error) {
      const { message } = error as Error;
      // Prints a reason that two checks share once.
      const earlier = findings.find(({ isGood, detail }) => !isGood && detail === message);
      const detail = earlier === undefined ? message : `fails for the same reason as ${earlier.name}`;
      findings.push({ name, isGood: false, isOptional: isOptional || error instanceof NotYet, detail });
    }
  }
  if (flags.output === 'json') process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else
    for (const { name, isGood, isOptional, detail } of findings) {
      const sign = isGood ? 'ok' : isOptional ? '--' : 'NO';
      process.stdout.write(`${sign} ${name.padEnd(12)} ${terminalText(detail)}\n`);
    }
  if (findings.some(({ isGood, isOptional }) => !isGood && !isOptional)) process.exitCode = 1;
}

/** Returns the flags of the plane that `pintle dev` runs in this folder, when the user has no other cluster. */
async function chooseCluster(directory: string, flags: ClusterFlags): Promise<ClusterFlags> {
  const kubeconfig = join(directory, '.pintle', 'kubeconfig');
  if (flags.context !== undefined || flags.kubeconfig !== undefined || !existsSync(kubeconfig)) return flags;
  const works = async (check: Promise<unknown>): Promise<boolean> =>
    await check.then(
      () => true,
      () => false,
    );
  if (await works(checkCluster(flags))) return flags;
  return (await works(clusterOf({ kubeconfig }))) ? { ...flags, kubeconfig } : flags;
}

function checks(directory: string, flags: ClusterFlags): Check[] {
  return [
    { name: 'node', run: nodeVersion },
    { name: 'pintle', run: () => `version ${packageVersion()}` },
    { name: 'project', run: () => projectOf(directory) },
    { name: 'packages', run: () => packagesOf(directory) },
    { name: 'manifests', run: () => manifestsIn(directory) },
    { name: 'cluster', run: () => clusterOf(flags) },
    { name: 'definitions', run: () => definitionsOn(directory, flags) },
    { name: 'engine', isOptional: true, run: engineVersion },
    { name: 'kubectl', isOptional: true, run: kubectlVersion },
  ];
}

const MIN_VERSION = [20, 19] as const;

function nodeVersion(): string {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  if (major < MIN_VERSION[0] || (major === MIN_VERSION[0] && minor < MIN_VERSION[1]))
    throw new Error(`${process.version} is too old; install Node.js ${MIN_VERSION.join('.')} or newer`);
  return process.version;
}

const NO_PROJECT = 'none in this folder';

function projectOf(directory: string): string {
  if (!hasProject(directory)) return NO_PROJECT;
  const { name, resources } = readProject(directory);
  const kinds = new Set(resources.map(({ group, kind }) => `${group}/${kind}`)).size;
  return `${name}, ${kinds} ${kinds === 1 ? 'resource' : 'resources'}`;
}

function hasProject(directory: string): boolean {
  try {
    return readProject(directory) !== undefined;
  } catch (error) {
    if (error instanceof GenerateError && error.failure.code === 'NotAProject') return false;
    throw error;
  }
}

/** Throws when packages of Pintle have different versions: such combinations are not tested. */
function packagesOf(directory: string): string {
  if (!existsSync(join(directory, 'package.json'))) return 'no package.json in this folder';
  const require = createRequire(join(directory, 'package.json'));
  const versions = ['client', 'operator', 'testing'].map((name) => versionOf(require, `@pintle/${name}`));
  const different = new Set(versions.filter((version) => version !== undefined));
  if (different.size === 0) throw new Error('none are installed; run npm install');
  if (different.size > 1)
    throw new Error(`several versions are installed: ${[...different].join(', ')}; run npm install`);
  return `version ${[...different][0]}`;
}

function versionOf(require: NodeJS.Require, name: string): string | undefined {
  try {
    const manifest = require.resolve(name).replace(/dist[\\/][^\\/]*$/, 'package.json');
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
  } catch {
    return undefined;
  }
}

const REGENERATE = `${PINTLE} generate manifests`;

async function manifestsIn(directory: string): Promise<string> {
  if (!hasProject(directory)) return NO_PROJECT;
  if (!hasManifests(directory)) return `not generated yet; run ${REGENERATE}`;
  try {
    await generateManifests(directory, { ...writtenWith(directory), check: true });
    return 'up to date with the code';
  } catch (error) {
    if (!(error instanceof GenerateError && error.failure.code === 'Stale')) throw error;
    const paths = error.failure.changes.map(({ path }) => path);
    throw new Error(`out of date: ${paths.join(', ')}; run ${REGENERATE}`);
  }
}

/** Connects to the cluster. Throws NotYet when the user has and names none: `pintle dev` starts one. */
async function reach(flags: ClusterFlags): Promise<Client> {
  try {
    return await connectTo(flags);
  } catch (error) {
    throw error instanceof NoCluster ? new NotYet(error.message) : error;
  }
}

async function clusterOf(flags: ClusterFlags): Promise<string> {
  await using client = await reach(flags);
  const { gitVersion } = (await client.call({ method: 'GET', path: '/version' })) as { gitVersion: string };
  return `reachable, version ${gitVersion}`;
}

/** Compares the CRDs of the code with those on the cluster, by applying them as a dry run. */
async function definitionsOn(directory: string, flags: ClusterFlags): Promise<string> {
  if (!hasProject(directory)) return NO_PROJECT;
  const { manifests } = await projectManifests(directory, writtenWith(directory));
  const definitions = manifests.filter(({ folder }) => folder === 'crds');
  if (definitions.length === 0) return 'the project defines no resources';
  await using client = await reach(flags);
  const stale: string[] = [];
  let missing = 0;
  const type: ResourceType = CustomResourceDefinition;
  for (const { object } of definitions) {
    const before = await client.find(type, { name: object.metadata.name });
    if (before === undefined) {
      missing++;
      continue;
    }
    const options = { fieldManager: FIELD_MANAGER, force: true, dryRun: true };
    const after = await client.apply(type, keepingConverter(object, before), options);
    const [was, is] = [before, after].map((each) => specWithoutDescriptions(each as CustomResourceDefinition));
    if (was !== is) stale.push(object.metadata.name);
  }
  if (stale.length > 0) throw new Error(`out of date: ${stale.join(', ')}; run ${PINTLE} install`);
  if (missing > 0)
    throw new NotYet(`${missing} of ${definitions.length} not on the cluster yet; run ${PINTLE} install`);
  return `${definitions.length} on the cluster, up to date with the code`;
}

/** Leaves out descriptions: a CRD that differs in them only is up to date. */
function specWithoutDescriptions(definition: CustomResourceDefinition): string {
  return canonicalJson(asJson(withoutDescriptions(definition).spec));
}

function engineVersion(): string {
  const engine = findEngine(ENGINES);
  if (engine !== undefined) return `${engine} responds`;
  const present = ENGINES.filter((each) => spawnSync(each, ['--version'], { stdio: 'ignore' }).status === 0);
  const without = `without one, ${PINTLE} build --base FILE writes the image`;
  if (present.length > 0)
    throw new Error(`${present.join(', ')} is installed but does not respond: start it; ${without}`);
  throw new Error(`no docker, podman or buildah: install one to build images; ${without}`);
}

function kubectlVersion(): string {
  const { status, stdout } = spawnSync('kubectl', ['version', '--client', '--output=json'], { encoding: 'utf8' });
  if (status !== 0) throw new Error('not found: install it from https://kubernetes.io/docs/tasks/tools');
  const { clientVersion } = JSON.parse(stdout) as { clientVersion?: { gitVersion?: string } };
  return `version ${clientVersion?.gitVersion ?? 'unknown'}`;
}
