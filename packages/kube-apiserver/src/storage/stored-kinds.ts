import type { StatefulSet } from '@pintle/kinds/apps/v1';
import type { PersistentVolumeClaim } from '@pintle/kinds/core/v1';
import { messageNameOf } from '@pintle/kinds/protobuf';
import { toCoreEvent, toVersion2 } from '@pintle/kinds/rules';
import type { GroupVersionKind, KubernetesObject, Scope } from '@pintle/machinery';
import { formatGroupVersion } from '@pintle/machinery';
import type { ProtobufTable } from '@pintle/machinery/protobuf';
import { table } from '@pintle/machinery/table';
import { builtinVersions } from '../builtin/builtin-versions.ts';
import { definitionTable, fromStoredDefinition, STORED_DEFINITION, toStoredDefinition } from './stored-definition.ts';

/** One form in which objects of a kind may be stored: a version, its message and the way to the version of records. */
export interface StoredForm {
  readonly apiVersion: string;
  readonly message: string;
  /** Encoding in which objects are written; both are read. Default: protobuf. */
  readonly encoding?: 'json';
  /** Default: the messages of all built-in kinds. */
  readonly table?: ProtobufTable;
  readonly toRecord?: (object: KubernetesObject) => KubernetesObject;
  readonly fromRecord?: (object: KubernetesObject) => KubernetesObject;
}

/** A built-in kind that is stored. */
export interface StoredKind {
  /** `group/resource`, as keys begin. */
  readonly name: string;
  readonly group: string;
  readonly resource: string;
  readonly kind: string;
  readonly scope: Scope;
  /** The version in which Kubernetes writes objects. */
  readonly written: StoredForm;
  /** All versions that are read, by apiVersion. */
  readonly forms: ReadonlyMap<string, StoredForm>;
}

type AnyConversion = (object: KubernetesObject) => KubernetesObject;

/** Other versions that an older server may have left, by `group/resource`. */
const OTHER_FORMS: Readonly<Record<string, readonly [GroupVersionKind, AnyConversion]>> = table({
  'core/events': [{ group: 'events.k8s.io', version: 'v1', kind: 'Event' }, toCoreEvent as unknown as AnyConversion],
  'autoscaling/horizontalpodautoscalers': [
    { group: 'autoscaling', version: 'v1', kind: 'HorizontalPodAutoscaler' },
    toVersion2 as unknown as AnyConversion,
  ],
});

/** Conversions that complete objects as Kubernetes does when it reads them, by `group/resource`. */
const COMPLETED: Readonly<Record<string, AnyConversion>> = table({
  'apps/statefulsets': withClaimTypes,
  'core/persistentvolumeclaims': withPhase,
});

/** Kinds that Kubernetes stores for itself and does not serve, by names that its EncryptionConfiguration has for them. */
const INTERNAL_KINDS: readonly StoredKind[] = [
  ['servicenodeportallocations', 'RangeAllocation'],
  ['apiServerIPInfo', 'Endpoints'],
].map(([resource, kind]) => {
  const stored = { group: '', version: 'v1', kind: kind! };
  return storedKind(
    { name: `core/${resource}`, group: '', resource: resource!, kind: kind!, scope: 'Cluster' },
    stored,
    stored,
  );
});

/** The built-in kinds by `group/resource`. */
export const storedKinds: ReadonlyMap<string, StoredKind> = new Map([
  ...INTERNAL_KINDS.map((kind) => [kind.name, kind] as const),
  ...builtinVersions()
    .flatMap(({ group, version, resources }) => resources.map((resource) => ({ group, version, ...resource })))
    .filter(({ group, storedAs }) => storedAs !== undefined && storedAs.group === group)
    // The first version of a group is the newest.
    .toReversed()
    .map(({ group, version, resource, scope, storedAs }) => {
      const name = `${group || 'core'}/${resource}`;
      const { kind } = storedAs!;
      return [name, storedKind({ name, group, resource, kind, scope }, { group, version, kind }, storedAs!)] as const;
    }),
]);

function storedKind(
  about: Omit<StoredKind, 'written' | 'forms'>,
  served: GroupVersionKind,
  stored: GroupVersionKind,
): StoredKind {
  const written = writtenForm(about.name, served, stored);
  const other = OTHER_FORMS[about.name];
  const forms = [
    formOf(served, served),
    ...(other === undefined ? [] : [{ ...formOf(other[0], other[0]), toRecord: other[1] }]),
    written,
  ];
  return { ...about, written, forms: new Map(forms.map((form) => [form.apiVersion, form])) };
}

function writtenForm(name: string, served: GroupVersionKind, stored: GroupVersionKind): StoredForm {
  if (name === 'apiextensions.k8s.io/customresourcedefinitions') return definitionForm(stored);
  const form = formOf(stored, served);
  const toRecord = COMPLETED[name];
  const encoding = name === 'apiregistration.k8s.io/apiservices' ? ({ encoding: 'json' } as const) : {};
  return { ...form, ...encoding, ...(toRecord && { toRecord }) };
}

/** Adds the phase of a new claim, which is not written. */
function withPhase(object: KubernetesObject): KubernetesObject {
  const claim: PersistentVolumeClaim & KubernetesObject = object;
  claim.status = { ...claim.status, phase: claim.status?.phase || 'Pending' };
  return claim;
}

/** Adds the types of volume claim templates: the one message that is part of another has no place for them. */
function withClaimTypes(object: KubernetesObject): KubernetesObject {
  const { spec } = object as StatefulSet;
  for (const claim of spec?.volumeClaimTemplates ?? [])
    Object.assign(claim, { kind: 'PersistentVolumeClaim', apiVersion: 'v1' });
  return object;
}

/** Returns the form of a version whose fields are those of the version of records. */
function formOf(version: GroupVersionKind, record: GroupVersionKind): StoredForm {
  const [apiVersion, recordVersion] = [formatGroupVersion(version), formatGroupVersion(record)];
  const message = messageNameOf(version);
  if (message === undefined) throw new TypeError(`Cannot store ${apiVersion} ${version.kind}: it has no protobuf form`);
  if (apiVersion === recordVersion) return { apiVersion, message };
  return {
    apiVersion,
    message,
    toRecord: (object) => ({ ...object, apiVersion: recordVersion }),
    fromRecord: (object) => ({ ...object, apiVersion }),
  };
}

function definitionForm(version: GroupVersionKind): StoredForm {
  return {
    apiVersion: formatGroupVersion(version),
    message: STORED_DEFINITION,
    encoding: 'json',
    table: definitionTable,
    toRecord: fromStoredDefinition,
    fromRecord: toStoredDefinition,
  };
}
