import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectManifests, readProject } from '@pintle/generate';
import type { KubernetesObject } from '@pintle/machinery';
import { startControlPlane } from '@pintle/testing';
import { terminalText } from '../terminal-text.ts';
import { UsageError } from '../usage-error.ts';
import { inOrder } from '../validate/in-order.ts';
import type { Objection } from '../validate/judge.ts';
import { Judge } from '../validate/judge.ts';
import type { Written } from '../validate/read-manifests.ts';
import { readManifests } from '../validate/read-manifests.ts';

interface ValidateFlags {
  readonly filename: readonly string[];
  readonly output?: 'text' | 'json';
}

interface Finding {
  readonly file: string;
  readonly object?: string;
  /** Absent: it would be accepted. */
  readonly problem?: string;
  readonly causes?: Objection['causes'];
  /** Why it was not looked at. */
  readonly skipped?: string;
}

/**
 * `pintle validate`: asks a control plane that nobody else sees whether it would take the objects. What definitions and
 * policies among them say counts for the others.
 */
export async function validate({ filename, output = 'text' }: ValidateFlags): Promise<void> {
  const written = filename.flatMap(readManifests);
  if (written.length === 0) throw new UsageError(`There are no objects in ${filename.join(', ')}`);
  const findings = await judged(written, await ownDefinitions(process.cwd(), written));
  show(
    written.map((each) => findings.get(each)!),
    output,
  );
  if ([...findings.values()].some(({ problem }) => problem !== undefined)) process.exitCode = 1;
}

/** Definitions of the project in this folder, where objects of its kinds are among the files, and the definitions are not. */
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

/** Found in the order that the server needs, told in the order in which it was written. `known`: definitions beside them. */
export async function judged(
  written: readonly Written[],
  known: readonly KubernetesObject[] = [],
): Promise<ReadonlyMap<Written, Finding>> {
  const findings = new Map<Written, Finding>();
  for (const each of written) if ('problem' in each) findings.set(each, each);
  await using plane = await startControlPlane({ env: {} });
  const judge = new Judge(plane.client);
  for (const object of known) await judge.objectionTo(object);
  for (const each of inOrder(written.filter(isObject), ({ object }) => object)) {
    const { file, object } = each;
    if (isForPrometheus(object)) {
      findings.set(each, {
        file,
        object: nameOf(object),
        skipped: 'left out: only Prometheus’ operator knows such objects',
      });
      continue;
    }
    const objection = await judge.objectionTo(object);
    const found = { file, object: nameOf(object) };
    findings.set(
      each,
      objection === undefined ? found : { ...found, problem: objection.message, causes: objection.causes },
    );
  }
  return findings;
}

/** `generate manifests` writes one of these, which `deploy` leaves out where they are not known. */
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
