import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '@pintle/kinds/apiextensions/v1';

/** Which of a definition's names it may use, and the first thing in the way of the rest. */
export interface NamesVerdict {
  readonly accepted: CustomResourceDefinitionNames;
  readonly conflict?: { readonly reason: string; readonly message: string };
}

/**
 * Names are unique within a group: plural, singular and short names among themselves, kind and list kind among
 * themselves. Who had a name first keeps it. A name that is refused leaves the one accepted before in place.
 */
export function acceptNames(
  definition: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
): NamesVerdict {
  const wanted = definition.spec.names;
  const before = definition.status?.acceptedNames;
  const { resources, kinds } = namesInUse(definition, others);
  const accepted: CustomResourceDefinitionNames = { ...before, plural: before?.plural ?? '', kind: before?.kind ?? '' };
  let conflict: NamesVerdict['conflict'];
  const claim = (names: readonly string[], taken: ReadonlySet<string>, reason: string, grant: () => void): void => {
    const refused = names.filter((name) => taken.has(name));
    if (refused.length === 0) grant();
    else conflict = { reason, message: refused.map((name) => `${JSON.stringify(name)} is already in use`).join(', ') };
  };
  claim([wanted.plural], resources, 'PluralConflict', () => {
    accepted.plural = wanted.plural;
  });
  claim(wanted.singular ? [wanted.singular] : [], resources, 'SingularConflict', () => {
    if (wanted.singular) accepted.singular = wanted.singular;
  });
  claim(wanted.shortNames ?? [], resources, 'ShortNamesConflict', () => {
    if (wanted.shortNames?.length) accepted.shortNames = wanted.shortNames;
    else delete accepted.shortNames;
  });
  claim([wanted.kind], kinds, 'KindConflict', () => {
    accepted.kind = wanted.kind;
  });
  claim(wanted.listKind ? [wanted.listKind] : [], kinds, 'ListKindConflict', () => {
    if (wanted.listKind) accepted.listKind = wanted.listKind;
  });
  if (wanted.categories?.length) accepted.categories = wanted.categories;
  else delete accepted.categories;
  return conflict === undefined ? { accepted } : { accepted, conflict };
}

function namesInUse(definition: CustomResourceDefinition, others: Iterable<CustomResourceDefinition>) {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (other.metadata.name === definition.metadata.name || other.spec.group !== definition.spec.group) continue;
    const names = other.status?.acceptedNames;
    if (names === undefined) continue;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [names.kind, names.listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}
