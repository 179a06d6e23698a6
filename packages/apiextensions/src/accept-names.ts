import type { CustomResourceDefinition, CustomResourceDefinitionNames } from '@pintle/kinds/apiextensions/v1';

/** The names that a definition may use, and the first conflict. */
interface NamesDecision {
  readonly accepted: CustomResourceDefinitionNames;
  readonly conflict?: { readonly reason: string; readonly message: string };
}

/**
 * Decides the names of a definition. Names are unique within a group: plural, singular and short names among
 * themselves, kind and list kind among themselves. The first definition with a name keeps it. A refused name leaves the
 * accepted one in place.
 */
export function acceptNames(
  definition: CustomResourceDefinition,
  others: Iterable<CustomResourceDefinition>,
): NamesDecision {
  const wanted = definition.spec.names;
  const before = definition.status?.acceptedNames;
  const { resources, kinds } = namesInUse(definition, others);
  const accepted: CustomResourceDefinitionNames = { ...before, plural: before?.plural ?? '', kind: before?.kind ?? '' };
  let conflict: NamesDecision['conflict'];
  const claim = (field: 'plural' | 'singular' | 'kind' | 'listKind', taken: ReadonlySet<string>): void => {
    const name = wanted[field] ?? '';
    if (name !== (before?.[field] ?? '') && taken.has(name)) conflict = refusal(field, [name]);
    else if (name !== '') accepted[field] = name;
  };
  claim('plural', resources);
  claim('singular', resources);
  const mine = new Set(before?.shortNames);
  const refused = (wanted.shortNames ?? []).filter((name) => !mine.has(name) && resources.has(name));
  if (refused.length > 0) conflict = refusal('shortNames', refused);
  else if (wanted.shortNames?.length) accepted.shortNames = wanted.shortNames;
  else delete accepted.shortNames;
  claim('kind', kinds);
  claim('listKind', kinds);
  if (wanted.categories?.length) accepted.categories = wanted.categories;
  else delete accepted.categories;
  return conflict === undefined ? { accepted } : { accepted, conflict };
}

const REASONS = {
  plural: 'PluralConflict',
  singular: 'SingularConflict',
  shortNames: 'ShortNamesConflict',
  kind: 'KindConflict',
  listKind: 'ListKindConflict',
} as const;

function refusal(field: keyof typeof REASONS, names: readonly string[]): NonNullable<NamesDecision['conflict']> {
  const texts = names.map((name) => `${JSON.stringify(name)} is already in use`);
  return { reason: REASONS[field], message: texts.length === 1 ? texts[0]! : `[${texts.join(', ')}]` };
}

/** Returns the names of the group's definitions, including this one: its plural cannot be its singular as well. */
function namesInUse(definition: CustomResourceDefinition, others: Iterable<CustomResourceDefinition>) {
  const resources = new Set<string>();
  const kinds = new Set<string>();
  for (const other of others) {
    if (other.spec.group !== definition.spec.group) continue;
    const names = other.status?.acceptedNames;
    if (names === undefined) continue;
    for (const name of [names.plural, names.singular, ...(names.shortNames ?? [])]) if (name) resources.add(name);
    for (const name of [names.kind, names.listKind]) if (name) kinds.add(name);
  }
  return { resources, kinds };
}
