import { FieldPath, forbidden, notSupported, required, tooLong } from '@pintle/machinery/errors';
import {
  byteLength,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateDomainPrefixedPath,
} from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { IngressClass, IngressClassParametersReference } from '../../../generated/networking/v1.ts';
import { type Check, checkUnchanged, collect, problems } from '../../common/checks.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkSegment } from './ingress.ts';

const path = FieldPath.of('spec');
const controllerMaxBytes = 250;

export const ingressClassRules: ResourceRules<IngressClass> = {
  tracksGeneration: true,
  default: ({ spec }) => {
    if (spec?.parameters) spec.parameters.scope ??= 'Cluster';
  },
  validate: (ingressClass) => collect(checkClass(ingressClass)),
  validateUpdate: (next, previous) => [
    'update',
    ...checkUnchanged(path.child('controller'), next.spec?.controller ?? '', previous.spec?.controller ?? ''),
    'create',
    ...checkClass(next),
  ],
  printer: {
    columns: [nameColumn, column('Controller'), column('Parameters'), ageColumn],
    row: (ingressClass, context) => {
      const isDefault = ingressClass.metadata.annotations?.['ingressclass.kubernetes.io/is-default-class'] === 'true';
      return [
        nameOf(ingressClass) + (isDefault ? ' (default)' : ''),
        ingressClass.spec?.controller ?? '',
        formatParameters(ingressClass.spec?.parameters),
        age(ingressClass, context),
      ];
    },
  },
};

function* checkClass({ spec }: IngressClass): Check {
  const controller = spec?.controller ?? '';
  if (byteLength(controller) > controllerMaxBytes) yield tooLong(path.child('controller'), controllerMaxBytes);
  yield* validateDomainPrefixedPath(controller, path.child('controller'));
  if (spec?.parameters !== undefined) yield* checkParameters(spec.parameters);
}

function* checkParameters({ apiGroup, kind, name, scope = '', namespace }: IngressClassParametersReference): Check {
  const at = path.child('parameters');
  if (apiGroup !== undefined) yield* problems(at.child('apiGroup'), apiGroup, validateDns1123Subdomain(apiGroup));
  yield* checkSegment(at.child('kind'), kind);
  yield* checkSegment(at.child('name'), name);
  if (scope === 'Cluster') {
    if (namespace !== undefined) yield forbidden(at.child('namespace'), "`parameters.scope` is set to 'Cluster'");
  } else if (scope === 'Namespace') {
    if (namespace === undefined) yield required(at.child('namespace'), "`parameters.scope` is set to 'Namespace'");
    else yield* problems(at.child('namespace'), namespace, validateDns1123Label(namespace));
  } else {
    yield notSupported(at.child('scope'), scope, ['Cluster', 'Namespace']);
  }
}

function formatParameters(parameters: IngressClassParametersReference | undefined): string {
  if (parameters === undefined) return '<none>';
  const { apiGroup, kind, name } = parameters;
  return `${apiGroup === undefined ? kind : `${kind}.${apiGroup}`}/${name}`;
}
