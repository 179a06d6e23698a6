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
}

/**
 * `pintle validate`: asks a control plane that nobody else sees whether it would take the objects. What definitions and
 * policies among them say counts for the others.
 */
export async function validate({ filename, output = 'text' }: ValidateFlags): Promise<void> {
  const written = filename.flatMap(readManifests);
  if (written.length === 0) throw new UsageError(`There are no objects in ${filename.join(', ')}`);
  const findings = await judged(written);
  show(
    written.map((each) => findings.get(each)!),
    output,
  );
  if ([...findings.values()].some(({ problem }) => problem !== undefined)) process.exitCode = 1;
}

/** Found in the order that the server needs, told in the order in which it was written. */
export async function judged(written: readonly Written[]): Promise<ReadonlyMap<Written, Finding>> {
  const findings = new Map<Written, Finding>();
  for (const each of written) if ('problem' in each) findings.set(each, each);
  await using plane = await startControlPlane({ env: {} });
  const judge = new Judge(plane.client);
  for (const each of inOrder(written.filter(isObject), ({ object }) => object)) {
    const { file, object } = each;
    const objection = await judge.objectionTo(object);
    const found = { file, object: nameOf(object) };
    findings.set(
      each,
      objection === undefined ? found : { ...found, problem: objection.message, causes: objection.causes },
    );
  }
  return findings;
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

function linesOf({ file, object, problem, causes = [] }: Finding): string[] {
  const head = `${problem === undefined ? 'ok' : 'NO'} ${file}${object === undefined ? '' : `: ${object}`}`;
  if (problem === undefined) return [head];
  if (causes.length < 2) return [head, `   ${problem}`];
  return [head, ...causes.map(({ field, message }) => `   ${field}: ${message}`)];
}
