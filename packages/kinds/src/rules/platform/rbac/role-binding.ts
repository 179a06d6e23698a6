import { FieldPath, invalid, notSupported, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import { pathSegmentName, validateDns1123Subdomain } from '@pintle/machinery/names';
import type { Printer, ResourceRules } from '@pintle/machinery/rules';
import type { ClusterRoleBinding, RoleBinding, Subject } from '../../../generated/rbac/v1.ts';
import { type Check, collect, problems } from '../../common/checks.ts';
import { age, ageColumn, column, nameColumn, nameOf, wideColumn } from '../../common/printers.ts';

const group = 'rbac.authorization.k8s.io';

type Binding = RoleBinding | ClusterRoleBinding;

const printer: Printer<Binding> = {
  columns: [
    nameColumn,
    column('Role'),
    ageColumn,
    wideColumn('Users'),
    wideColumn('Groups'),
    wideColumn('ServiceAccounts'),
  ],
  row: (binding, context) => {
    const { roleRef, subjects = [] } = binding;
    const namesOf = (kind: string) => subjects.filter((subject) => subject.kind === kind);
    return [
      nameOf(binding),
      `${roleRef.kind}/${roleRef.name}`,
      age(binding, context),
      namesOf('User')
        .map(({ name }) => name)
        .join(', '),
      namesOf('Group')
        .map(({ name }) => name)
        .join(', '),
      namesOf('ServiceAccount')
        .map(({ namespace = '', name }) => `${namespace}/${name}`)
        .join(', '),
    ];
  },
};

export const roleBindingRules: ResourceRules<RoleBinding> = rulesOf(['Role', 'ClusterRole']);
export const clusterRoleBindingRules: ResourceRules<ClusterRoleBinding> = rulesOf(['ClusterRole']);

function rulesOf(kinds: readonly string[]): ResourceRules<Binding> {
  return {
    validateName: pathSegmentName,
    createOnUpdate: true,
    default: defaultBinding,
    validate: (binding) => collect(checkBinding(binding, kinds)),
    validateUpdate: (next, previous) => [
      'create',
      ...checkBinding(next, kinds),
      'update',
      ...checkSameRole(next, previous),
    ],
    printer,
  };
}

function defaultBinding({ roleRef, subjects = [] }: Binding): void {
  roleRef.apiGroup ||= group;
  for (const subject of subjects) if (subject.kind === 'User' || subject.kind === 'Group') subject.apiGroup ||= group;
}

function* checkBinding({ roleRef, subjects = [] }: Binding, kinds: readonly string[]): Check {
  const path = FieldPath.of('roleRef');
  if (roleRef.apiGroup !== group) yield notSupported(path.child('apiGroup'), roleRef.apiGroup, [group]);
  if (!kinds.includes(roleRef.kind)) yield notSupported(path.child('kind'), roleRef.kind, kinds);
  if (roleRef.name === '') yield required(path.child('name'));
  else yield* problems(path.child('name'), roleRef.name, pathSegmentName(roleRef.name, false));
  const isNamespaced = kinds.includes('Role');
  for (const [index, subject] of subjects.entries())
    yield* checkSubject(subject, isNamespaced, FieldPath.of('subjects').index(index));
}

function* checkSubject(subject: Subject, isNamespaced: boolean, path: FieldPath): Check {
  const { kind, name, namespace, apiGroup = '' } = subject;
  if (name === '') yield required(path.child('name'));
  switch (kind) {
    case 'ServiceAccount':
      if (name !== '') yield* problems(path.child('name'), name, validateDns1123Subdomain(name));
      if (apiGroup !== '') yield notSupported(path.child('apiGroup'), apiGroup, ['']);
      if (!isNamespaced && !namespace) yield required(path.child('namespace'));
      break;
    case 'User':
    case 'Group':
      if (apiGroup !== group) yield notSupported(path.child('apiGroup'), apiGroup, [group]);
      break;
    default:
      yield notSupported(path.child('kind'), kind, ['ServiceAccount', 'User', 'Group']);
  }
}

/** The permission to bind was checked for this role, so `roleRef` must not change. */
function* checkSameRole({ roleRef }: Binding, previous: Binding): Check {
  if (deepEqual(roleRef, previous.roleRef)) return;
  const { apiGroup, kind, name } = roleRef;
  yield invalid('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef');
}
