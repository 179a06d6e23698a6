import { schemaOf } from '@pintle/kinds/schemas';
import { gvkOf, parseGroupVersion } from '@pintle/machinery';
import { quote } from '@pintle/machinery/errors';
import type { JsonValue } from '@pintle/machinery/json';
import { isJsonObject } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import type { ServedResource } from '../resource/served-resource.ts';
import { isOldVersion } from './old-versions.ts';

/** How Kubernetes names a field that a kind does not have. */
export function unknownField(path: string): string {
  return `unknown field ${quote(path)}`;
}

/** Why a document does not say what it is; `undefined` when it may, though perhaps nothing. */
export function typeProblem(value: JsonValue): string | undefined {
  if (!isJsonObject(value)) return `${NO_TYPE}${unmarshal(value)} Go value of type ${TYPE_STRUCT}`;
  for (const name of Object.keys(value)) {
    const field = TYPE_FIELDS.get(name.toLowerCase());
    const claimed = field && (value[name] ?? '');
    if (claimed !== undefined && typeof claimed !== 'string') {
      return `${NO_TYPE}${unmarshal(claimed)} Go struct field .${field} of type string`;
    }
  }
  return undefined;
}

/** Kubernetes reads these first of all, and does not mind there how their names are written. */
const TYPE_FIELDS: ReadonlyMap<string, string> = new Map([
  ['apiversion', 'apiVersion'],
  ['kind', 'kind'],
]);

const NO_TYPE = "couldn't get version/kind; json parse error: ";
const TYPE_STRUCT =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** How Go begins to say that a value is of the wrong type. */
export function unmarshal(value: JsonValue): string {
  const type = typeof value;
  const shape = Array.isArray(value) ? 'array' : type === 'boolean' ? 'bool' : type === 'bigint' ? 'number' : type;
  return `json: cannot unmarshal ${shape} into`;
}

/** The places where Kubernetes registers kinds, as it names them; definitions have one to themselves. */
const BUILTIN_SCHEME = 'pkg/api/legacyscheme/scheme.go:30';
const DEFINITIONS_SCHEME = 'k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55';
const API_SERVICES_SCHEME = 'k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28';
const OWN_SCHEMES: Readonly<Record<string, string>> = table({
  'apiextensions.k8s.io': DEFINITIONS_SCHEME,
  'apiregistration.k8s.io': API_SERVICES_SCHEME,
});

export interface OtherType {
  readonly problem: string;
  /** It is of some other kind that is served; otherwise nobody knows what it is. */
  readonly isKnown: boolean;
}

/** Why an object of this apiVersion and kind is none of the resource; `undefined` when it is. */
export function otherType({ type }: ServedResource, apiVersion: string, kind: string): OtherType | undefined {
  if (apiVersion === type.apiVersion && kind === type.kind) return undefined;
  const gvk = gvkOf({ apiVersion, kind });
  if (gvk === undefined) return { problem: `unexpected GroupVersion string: ${apiVersion}`, isKnown: false };
  const ownScheme = OWN_SCHEMES[type.group];
  const isKnown = schemaOf(gvk) !== undefined || isOldVersion(apiVersion, kind);
  if (kind !== 'List' && (!isKnown || (ownScheme !== undefined && gvk.group !== type.group))) {
    const scheme = ownScheme ?? BUILTIN_SCHEME;
    const problem = `no kind ${quote(kind)} is registered for version ${quote(apiVersion)} in scheme ${quote(scheme)}`;
    return { problem, isKnown: false };
  }
  const group = parseGroupVersion(type.apiVersion)?.group ?? '';
  const internalGroup = group === '' ? 'core' : group.split('.')[0];
  const problem = `converting (${gvk.version}.${kind}) to (${internalGroup}.${type.kind}): unknown conversion`;
  return { problem, isKnown: true };
}
