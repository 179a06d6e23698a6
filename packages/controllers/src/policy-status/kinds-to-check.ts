import type { MatchResources, NamedRuleWithOperations } from '@pintle/kinds/admissionregistration/v1';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { builtinGroups } from '@pintle/kinds/discovery';
import { schemaOf } from '@pintle/kinds/schemas';
import type { GroupVersionKind, GroupVersionResource } from '@pintle/machinery';
import type { JsonObject } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';
import { parseSchema } from '@pintle/machinery/schema';

/** One rule names no more kinds that are checked. */
const MAX_KINDS = 10;

/** A kind and what its objects look like. */
export interface KnownKind extends GroupVersionKind {
  readonly schema: Schema;
}

type Definitions = readonly CustomResourceDefinition[];

/** The kinds that rules name, without stars, in order. */
export function kindsToCheck({ resourceRules = [] }: MatchResources, definitions: Definitions): KnownKind[] {
  const kinds = new Map<string, KnownKind>();
  for (const rule of resourceRules) {
    for (const kind of kindsOf(rule, definitions).slice(0, MAX_KINDS)) kinds.set(orderOf(kind), kind);
  }
  return [...kinds].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, kind]) => kind);
}

function orderOf({ group, version, kind }: GroupVersionKind): string {
  return `${group}\0${version}\0${kind}`;
}

function kindsOf(rule: NamedRuleWithOperations, definitions: Definitions): KnownKind[] {
  const { apiGroups = [], apiVersions = [], resources = [] } = rule;
  if ([...apiGroups, ...apiVersions].some((name) => name.includes('*'))) return [];
  const plain = resources.filter((name) => !/[*/]/.test(name)).sort();
  return [...apiGroups].sort().flatMap((group) =>
    [...apiVersions].sort().flatMap((version) =>
      plain.flatMap((resource) => {
        const kind = kindOf({ group, version, resource }, definitions);
        return (kind && knownKind(kind, definitions)) ?? [];
      }),
    ),
  );
}

function kindOf(
  { group, version, resource }: GroupVersionResource,
  definitions: Definitions,
): GroupVersionKind | undefined {
  const builtin = builtinGroups
    .find((candidate) => candidate.group === group)
    ?.versions.find((candidate) => candidate.version === version)
    ?.resources.find((candidate) => candidate.resource === resource);
  if (builtin !== undefined) return { group, version, kind: builtin.responseKind.kind };
  const custom = definitions.find(({ spec }) => spec.group === group && spec.names.plural === resource);
  return custom && { group, version, kind: custom.spec.names.kind };
}

/** `undefined` when nothing is known of the kind: then nothing can be said of expressions about it. */
export function knownKind(kind: GroupVersionKind, definitions: Definitions): KnownKind | undefined {
  // Schemas within schemas have no end.
  if (kind.group === 'apiextensions.k8s.io') return undefined;
  const schema = schemaOf(kind) ?? customSchema(kind, definitions);
  return schema && { ...kind, schema };
}

function customSchema({ group, version, kind }: GroupVersionKind, definitions: Definitions): Schema | undefined {
  const source = definitions
    .find(({ spec }) => spec.group === group && spec.names.kind === kind)
    ?.spec.versions.find((candidate) => candidate.name === version && candidate.served)?.schema?.openAPIV3Schema;
  return source && parseSchema(source as unknown as JsonObject);
}
