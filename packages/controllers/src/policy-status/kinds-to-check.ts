import type { MatchResources, NamedRuleWithOperations } from '@pintle/kinds/admissionregistration/v1';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { builtinGroups } from '@pintle/kinds/discovery';
import { schemaOf } from '@pintle/kinds/schemas';
import type { GroupVersionKind, GroupVersionResource } from '@pintle/machinery';
import { asJson } from '@pintle/machinery/json';
import type { Schema } from '@pintle/machinery/schema';
import { parseSchema } from '@pintle/machinery/schema';

/** Kinds of one rule that are checked at most. */
const MAX_KINDS = 10;

/** A kind and the schema of its objects. */
export interface KnownKind extends GroupVersionKind {
  readonly schema: Schema;
}

type Definitions = readonly CustomResourceDefinition[];

/** Returns the kinds that rules name without wildcards, sorted. */
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
  const withoutWildcards = resources.filter((name) => !/[*/]/.test(name)).sort();
  return [...apiGroups]
    .sort()
    .flatMap((group) =>
      [...apiVersions]
        .sort()
        .flatMap((version) =>
          withoutWildcards.flatMap((resource) =>
            kindsNamed({ group, version, resource }, definitions).flatMap((kind) => knownKind(kind, definitions) ?? []),
          ),
        ),
    );
}

/** An empty group matches any group: events exist in two. */
function kindsNamed({ group, version, resource }: GroupVersionResource, definitions: Definitions): GroupVersionKind[] {
  const isMatch = (candidate: string) => group === '' || candidate === group;
  const builtin = builtinGroups
    .filter((candidate) => isMatch(candidate.group))
    .flatMap((candidate) => {
      const { resources = [] } = candidate.versions.find((served) => served.version === version) ?? {};
      const found = resources.find((served) => served.resource === resource);
      return found ? { group: candidate.group, version, kind: found.responseKind.kind } : [];
    });
  const custom = definitions
    .filter(({ spec }) => isMatch(spec.group) && spec.names.plural === resource)
    .map(({ spec }) => ({ group: spec.group, version, kind: spec.names.kind }));
  return [...builtin, ...custom];
}

/** Returns `undefined` when the kind has no schema; expressions about it are not checked. */
export function knownKind(kind: GroupVersionKind, definitions: Definitions): KnownKind | undefined {
  const builtin = schemaOf(kind);
  const schema = builtin ? withoutCycles(builtin) : customSchema(kind, definitions);
  return schema && { ...kind, schema };
}

/** Cuts recursive schemas: a nested value of an enclosing type is an object of unknown fields. */
function withoutCycles(schema: Schema, around: ReadonlySet<string> = new Set()): Schema {
  const { goType, properties, items, additionalProperties } = schema;
  if (goType !== undefined && around.has(goType)) return { type: 'object' };
  const inside = goType === undefined ? around : new Set([...around, goType]);
  const named = Object.entries(properties ?? {}).map(([name, inner]) => [name, withoutCycles(inner, inside)] as const);
  return {
    ...schema,
    ...(properties && { properties: Object.fromEntries(named) }),
    ...(items && { items: withoutCycles(items, inside) }),
    ...(typeof additionalProperties === 'object' && {
      additionalProperties: withoutCycles(additionalProperties, inside),
    }),
  };
}

function customSchema({ group, version, kind }: GroupVersionKind, definitions: Definitions): Schema | undefined {
  const source = definitions
    .find(({ spec }) => spec.group === group && spec.names.kind === kind)
    ?.spec.versions.find((candidate) => candidate.name === version && candidate.served)?.schema?.openAPIV3Schema;
  return source && parseSchema(asJson(source));
}
