import type { KubernetesObject } from '@pintle/machinery';
import { validateQualifiedName } from '@pintle/machinery/names';

/** Finalizers without a domain that the garbage collector and the namespace controller brought in long ago. */
const STANDARD = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

/** What is to be said about the names of finalizers that a custom object has just been given. */
export function finalizerWarnings(next: KubernetesObject, previous?: KubernetesObject): string[] {
  const before = new Set(previous?.metadata.finalizers);
  const added = [...new Set(next.metadata.finalizers)].filter((finalizer) => !before.has(finalizer)).sort();
  return added.flatMap((finalizer) =>
    problemsOf(finalizer).map((problem) => `metadata.finalizers: ${JSON.stringify(finalizer)}: ${problem}`),
  );
}

function problemsOf(finalizer: string): string[] {
  const problems = [...validateQualifiedName(finalizer)];
  if (finalizer.includes('/') || STANDARD.has(finalizer)) return problems;
  const path = finalizer.includes('.') ? ' including a path (/)' : '';
  return [
    ...problems,
    `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
  ];
}
