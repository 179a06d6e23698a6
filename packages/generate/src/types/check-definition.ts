import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import { CustomResourceDefinition as Definitions } from '@pintle/kinds/apiextensions/v1';
import { schemaOf } from '@pintle/kinds/schemas';
import { asJson, deepCopy } from '@pintle/machinery/json';
import { validateDns1035Label, validateDns1123Subdomain } from '@pintle/machinery/names';
import { compileTyped } from '@pintle/machinery/schema';

type Names = CustomResourceDefinition['spec']['names'];

/**
 * Returns why a CRD cannot be used, or `undefined`. Its content becomes paths and code, so every field must have its type, and
 * every name must be valid for a server.
 */
export function definitionProblem(definition: CustomResourceDefinition): string | undefined {
  const name = String(definition.metadata?.name ?? '');
  try {
    compileTyped(schemaOf(Definitions)!).read(deepCopy(asJson(definition)));
  } catch (error) {
    return `${name} is not a valid CRD: ${(error as Error).message}`;
  }
  const { spec } = definition;
  if (!spec?.group || !spec.names?.kind || !spec.names.plural || !spec.versions?.length)
    return `${name} has no group, no names or no versions`;
  const { kind } = spec.names;
  if (!/^[A-Za-z_$][\w$]*$/.test(kind)) return `${JSON.stringify(kind)} cannot be the name of a type`;
  if (validateDns1123Subdomain(spec.group).length > 0) return `${JSON.stringify(spec.group)} cannot be a group`;
  const versions = spec.versions.map((version) => version.name ?? '');
  const bad = [...versions, ...labelsOf(spec.names)].find((label) => validateDns1035Label(label).length > 0);
  if (bad !== undefined) return `${JSON.stringify(bad)} cannot be the name of a version or of a resource`;
  if (spec.scope !== 'Namespaced' && spec.scope !== 'Cluster') return `its scope is ${JSON.stringify(spec.scope)}`;
  return undefined;
}

/** Returns the names that must be DNS labels. The list kind is one in lower case. */
function labelsOf({ plural, singular, listKind, shortNames, categories }: Names): string[] {
  const optional = [singular, listKind?.toLowerCase()].filter((label) => label !== undefined && label !== '');
  return [plural, ...(optional as string[]), ...(shortNames ?? []), ...(categories ?? [])];
}
