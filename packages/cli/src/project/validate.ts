import { readFileSync, statSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { RestMapper } from '@pintle/client';
import { Namespace } from '@pintle/kinds/core/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { isAlreadyExists } from '@pintle/machinery/errors';
import { parseYamlDocuments } from '@pintle/machinery/yaml';
import type { ControlPlane } from '@pintle/testing';
import { startControlPlane } from '@pintle/testing';
import { UsageError } from '../usage-error.ts';
import { untilEstablished } from './until-established.ts';

export interface ValidateFlags {
  readonly filename: readonly string[];
  readonly output?: 'text' | 'json';
}

interface Finding {
  readonly file: string;
  readonly object: string;
  /** Absent: it would be accepted. */
  readonly problem?: string;
}

interface Document {
  readonly file: string;
  readonly object: KubernetesObject;
}

/** Kinds that say what others may look like: they come first. */
const RULES = new Set(['CustomResourceDefinition', 'ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding']);

/**
 * `pintle validate`: asks a control plane that nobody else sees whether it would take the objects. What definitions and
 * policies among them say counts for the others.
 */
export async function validate({ filename, output = 'text' }: ValidateFlags): Promise<void> {
  const documents = (await Promise.all(filename.map(readDocuments))).flat();
  await using plane = await startControlPlane({ env: {} });
  const findings: Finding[] = [];
  const isRule = ({ object }: Document): boolean => RULES.has(object.kind);
  for (const document of documents.filter(isRule)) findings.push(await judge(plane, document, { isKept: true }));
  await makeNamespaces(plane, documents);
  for (const document of documents.filter((each) => !isRule(each)))
    findings.push(await judge(plane, document, { isKept: false }));
  show(findings, output);
  if (findings.some(({ problem }) => problem !== undefined)) process.exitCode = 1;
}

async function judge(
  plane: ControlPlane,
  { file, object }: Document,
  { isKept }: { readonly isKept: boolean },
): Promise<Finding> {
  const { kind, metadata } = object;
  const named = `${kind} ${metadata?.namespace ? `${metadata.namespace}/` : ''}${metadata?.name ?? metadata?.generateName}`;
  try {
    const type = await new RestMapper({ client: plane.client }).kind(object);
    const namespace = type.scope === 'Namespaced' ? { namespace: metadata.namespace ?? 'default' } : {};
    const whole = { ...object, metadata: { ...metadata, ...namespace } };
    await plane.client.create(type, whole as never, { dryRun: !isKept, fieldValidation: 'Strict' });
    if (kind === 'CustomResourceDefinition') await untilEstablished(plane.client, metadata.name ?? '');
    return { file, object: named };
  } catch (error) {
    // Namespaces that objects are in were made before.
    if (kind === 'Namespace' && isAlreadyExists(error)) return { file, object: named };
    return { file, object: named, problem: (error as Error).message };
  }
}

async function makeNamespaces({ client }: ControlPlane, documents: readonly Document[]): Promise<void> {
  const names = new Set(documents.flatMap(({ object: { metadata } }) => metadata?.namespace ?? []));
  for (const name of names) {
    await client.create(Namespace, { metadata: { name } }).catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
  }
}

async function readDocuments(path: string): Promise<Document[]> {
  if (path !== '-' && statSync(path).isDirectory()) {
    const files = (await readdir(path)).filter((name) => /\.(ya?ml|json)$/.test(name)).sort();
    return (await Promise.all(files.map((name) => readDocuments(join(path, name))))).flat();
  }
  const text = readFileSync(path === '-' ? 0 : path, 'utf8');
  try {
    return parseYamlDocuments(text).map((object) => ({ file: path, object: object as unknown as KubernetesObject }));
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
}

function show(findings: readonly Finding[], output: 'text' | 'json'): void {
  if (output === 'json') {
    process.stdout.write(`${JSON.stringify(findings, null, 2)}\n`);
    return;
  }
  for (const { file, object, problem } of findings)
    process.stdout.write(
      `${problem === undefined ? 'ok' : 'NO'} ${file}: ${object}${problem ? `\n   ${problem}` : ''}\n`,
    );
}
