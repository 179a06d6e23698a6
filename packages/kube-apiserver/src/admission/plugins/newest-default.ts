import type { KubernetesObject } from '@pintle/machinery';

/** Returns the class that one of the annotations marks as default: of several the newest, then the first by name. */
export function newestDefault(
  classes: readonly KubernetesObject[],
  annotations: readonly string[],
): string | undefined {
  const defaults = classes.filter(({ metadata }) =>
    annotations.some((name) => metadata.annotations?.[name] === 'true'),
  );
  const [first] = defaults.sort(
    ({ metadata: a }, { metadata: b }) =>
      Date.parse(b.creationTimestamp ?? '') - Date.parse(a.creationTimestamp ?? '') ||
      ((a.name ?? '') < (b.name ?? '') ? -1 : 1),
  );
  return first?.metadata.name;
}
