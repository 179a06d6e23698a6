import { FieldPath, invalid, type FieldPath as Path } from '@pintle/machinery/errors';
import { dns1123LabelName, validateQualifiedName } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { Namespace } from '../../../generated/core/v1.ts';
import { type Check, collect, problems } from '../../common/checks.ts';
import { ensure, keep, keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

const finalizersPath = FieldPath.of('spec', 'finalizers');

export const namespaceRules: ResourceRules<Namespace> = {
  metadataChecks: ['create', 'update'],
  validateName: dns1123LabelName,
  returnsDeletedObject: true,
  permanent: {
    names: new Set(['default', 'kube-system', 'kube-public']),
    reason: 'this namespace may not be deleted',
  },
  default: (namespace) => {
    labelWithName(namespace);
    ensure(namespace, 'status').phase ||= 'Active';
  },
  prepareForCreate: (namespace) => {
    labelWithName(namespace);
    namespace.status = { phase: 'Active' };
    const spec = ensure(namespace, 'spec');
    if (!spec.finalizers?.includes('kubernetes')) spec.finalizers = [...(spec.finalizers ?? []), 'kubernetes'];
  },
  prepareForUpdate: (next, previous) => {
    labelWithName(next);
    keep(ensure(next, 'spec'), previous.spec ?? {}, 'finalizers');
    keepStatus(next, previous);
  },
  validate: (namespace) => finalizersOf(namespace).flatMap((name) => [...checkFinalizer(finalizersPath, name)]),
  subresources: {
    status: {
      prepareForUpdate: (next, previous) => {
        labelWithName(next);
        keepAllButStatus(next, previous);
      },
      validateUpdate: (next) => collect(checkPhase(next)),
    },
    finalize: {
      prepareForUpdate: (next, previous) => {
        labelWithName(next);
        keepStatus(next, previous);
      },
      validateUpdate: (next) =>
        finalizersOf(next).flatMap((name, index) => [...checkFinalizer(finalizersPath.index(index), name)]),
    },
  },
  selectableFields: (namespace) => ({ 'status.phase': namespace.status?.phase ?? '' }),
  printer: {
    columns: [nameColumn, column('Status'), ageColumn],
    row: (namespace, context) => [nameOf(namespace), namespace.status?.phase ?? '', age(namespace, context)],
  },
};

/** Sets the label with the name of the namespace, on which selectors of namespaces rely. */
function labelWithName(namespace: Namespace): void {
  const { metadata } = namespace;
  if (metadata.name) metadata.labels = { ...metadata.labels, 'kubernetes.io/metadata.name': metadata.name };
}

function finalizersOf(namespace: Namespace): readonly string[] {
  return namespace.spec?.finalizers ?? [];
}

const standardFinalizers: readonly string[] = ['kubernetes', 'orphan', 'foregroundDeletion'];

function* checkFinalizer(path: Path, name: string): Check {
  yield* problems(path, name, validateQualifiedName(name));
  if (!name.includes('/') && !standardFinalizers.includes(name))
    yield invalid(path, name, 'name is neither a standard finalizer name nor is it fully qualified');
}

function* checkPhase({ metadata, status }: Namespace): Check {
  const [phase, state] = metadata.deletionTimestamp ? ['Terminating', 'not empty'] : ['Active', 'empty'];
  if (status?.phase !== phase)
    yield invalid('status.Phase', status?.phase ?? '', `may only be '${phase}' if \`deletionTimestamp\` is ${state}`);
}
