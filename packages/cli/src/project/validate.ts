import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectManifests, readProject } from '@pintle/generate';
import type { KubernetesObject } from '@pintle/machinery';
import { startControlPlane } from '@pintle/testing';
import { terminalText } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { inOrder } from '../validate/in-order.ts';
import type { Rejection } from '../validate/manifest-validator.ts';
import { ManifestValidator } from '../validate/manifest-validator.ts';
import type { Written } from '../validate/read-manifests.ts';
import { readManifests } from '../validate/read-manifests.ts';
import { projectDirectory } from './project-directory.ts';

interface ValidateFlags {
  readonly filename: readonly string[];
  readonly output?: 'text' | 'json';
}

interface Finding {
  readonly file: string;
  readonly object?: string;
  /** Absent when a server would accept the object. */
  readonly problem?: string;
  readonly causes?: Rejection['causes'];
  /** Reason why the object was not validated. */
  readonly skipped?: string;
}

/**
 * `pintle validate`: creates the objects on a control plane in this process. CRDs and policies among them apply to the
 * others.
 */
export async function validate({ filename, output = 'text' }: ValidateFlags): Promise<void> {
  const written = filename.flatMap(readManifests);
  if (written.length === 0) throw new UsageError(`Cannot validate ${filename.join(', ')}: found no objects`);
  const findings = await validateAll(written, await ownDefinitions(projectDirectory(), written));
  show(
    written.map((each) => findings.get(each)!),
    output,
  );
  if ([...findings.values()].some(({ problem }) => problem !== undefined)) process.exitCode = 1;
}

/** Returns the CRDs of the project in this folder when the files have objects of its kinds and not the CRDs. */
async function ownDefinitions(directory: string, written: readonly Written[]): Promise<readonly KubernetesObject[]> {
  const objects = written.filter(isObject).map(({ object }) => object);
  const given = new Set(objects.filter(({ kind }) => kind === DEFINITION).map(({ metadata }) => metadata.name));
  const { resources = [] } = existsSync(join(directory, 'pintle.json')) ? readProject(directory) : {};
  const isOwn = ({ apiVersion, kind }: KubernetesObject): boolean =>
    resources.some((each) => each.kind === kind && apiVersion.startsWith(`${each.group}/`));
  if (!objects.some(isOwn)) return [];
  const { manifests } = await projectManifests(directory);
  const definitions = manifests.filter(({ folder }) => folder === 'crds').map(({ object }) => object);
  return definitions.filter(({ metadata }) => !given.has(metadata.name));
}

const DEFINITION = 'CustomResourceDefinition';

/** Validates objects in the order that the server needs. `known`: further CRDs. */
export async function validateAll(
  written: readonly Written[],
  known: readonly KubernetesObject[] = [],
): Promise<ReadonlyMap<Written, Finding>> {
  const findings = new Map<Written, Finding>();
  for (const each of written) if ('problem' in each) findings.set(each, each);
  await using plane = await startControlPlane({ env: {} });
  const validator = new ManifestValidator(plane.client);
  for (const object of known) await validator.validate(object);
  for (const each of inOrder(written.filter(isObject), ({ object }) => object)) {
    const { file, object } = each;
    if (isForPrometheus(object)) {
      findings.set(each, {
        file,
        object: nameOf(object),
        skipped: 'skipped: only the Prometheus operator defines this kind',
      });
      continue;
    }
    const rejection = await validator.validate(object);
    const found = { file, object: nameOf(object) };
    findings.set(
      each,
      rejection === undefined ? found : { ...found, problem: rejection.message, causes: rejection.causes },
    );
  }
  return findings;
}

/** True for ServiceMonitors, which `generate manifests` writes and `deploy` skips where the cluster lacks the kind. */
function isForPrometheus({ apiVersion, kind }: KubernetesObject): boolean {
  return kind === 'ServiceMonitor' && apiVersion.startsWith('monitoring.coreos.com/');
}

function isObject(written: Written): written is Written & { readonly object: KubernetesObject } {
  return 'object' in written;
}

function nameOf({ kind, metadata: { namespace, name, generateName } }: KubernetesObject): string {
  return `${kind} ${namespace ? `${namespace}/` : ''}${name ?? generateName ?? '(without a name)'}`;
}

function show(findings: readonly Finding[], output: 'text' | 'json'): void {
  if (output === 'json') process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
  else process.stdout.write(terminalText(findings.map((finding) => `${linesOf(finding).join('\n')}\n`).join('')));
}

function linesOf({ file, object, problem, causes = [], skipped }: Finding): string[] {
  const name = `${file}${object === undefined ? '' : `: ${object}`}`;
  if (skipped !== undefined) return [`-- ${name} (${skipped})`];
  const head = `${problem === undefined ? 'ok' : 'NO'} ${name}`;
  if (problem === undefined) return [head];
  if (causes.length < 2) return [head, `   ${problem}`];
  return [head, ...causes.map(({ field, message }) => `   ${field}: ${message}`)];
}
