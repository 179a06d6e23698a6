import { FieldPath, required } from '@pintle/machinery/errors';
import { pathSegmentName, validateDns1123Subdomain, validateIp } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { IPAddress, ParentReference } from '../../../generated/networking/v1.ts';
import { type Check, checkUnchanged, collect, problems } from '../../common/checks.ts';
import { age, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkSegment } from './ingress.ts';

const path = FieldPath.of('spec', 'parentRef');

export const ipAddressRules: ResourceRules<IPAddress> = {
  /** The name is the address itself. */
  validateName: (name) => validateIp(name, '').map(({ body }) => body.slice(body.indexOf('": ') + 3)),
  validate: ({ spec }) => collect(checkParent(spec?.parentRef)),
  validateUpdate: (next, previous) => [
    'create',
    ...checkParent(next.spec?.parentRef),
    'update',
    ...checkUnchanged(path, next.spec?.parentRef, previous.spec?.parentRef, goReference(next.spec?.parentRef)),
  ],
  printer: {
    columns: [nameColumn, column('ParentRef')],
    // Kubernetes prints the age without a column for it.
    row: (address, context) => [nameOf(address), formatParent(address.spec?.parentRef), age(address, context)],
  },
};

function* checkParent(parent: ParentReference | undefined): Check {
  if (parent === undefined) {
    yield required(path);
    return;
  }
  const { group, resource, name, namespace } = parent;
  if (group) yield* problems(path.child('group'), group, validateDns1123Subdomain(group));
  yield* checkSegment(path.child('resource'), resource);
  yield* checkSegment(path.child('name'), name);
  if (namespace) yield* problems(path.child('namespace'), namespace, pathSegmentName(namespace, false));
}

function goReference(parent: ParentReference | undefined): object | null {
  if (parent === undefined) return null;
  const { group = '', resource = '', namespace = '', name = '' } = parent;
  return { Group: group, Resource: resource, Namespace: namespace, Name: name };
}

function formatParent(parent: ParentReference | undefined): string {
  if (parent === undefined) return '<none>';
  const { group, resource = '', namespace, name = '' } = parent;
  const of = (group ? `${resource}.${group}` : resource).toLowerCase();
  return [of, ...(namespace ? [namespace] : []), name].join('/');
}
