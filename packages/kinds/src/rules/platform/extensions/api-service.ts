import type { ObjectMeta } from '@pintle/machinery';
import { FieldPath, invalid, notSupported, quote, required } from '@pintle/machinery/errors';
import {
  pathSegmentName,
  validateDns1035Label,
  validateDns1123Subdomain,
  validatePortNumber,
} from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { APIService, APIServiceSpec } from '../../../generated/apiregistration/v1.ts';
import { type Check, checkRequired, collect, problems } from '../../common/checks.ts';
import { keepAllButStatusAndMetadata, keepStatus } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

const path = FieldPath.of('spec');

export const apiServiceRules: ResourceRules<APIService> = {
  metadataChecks: ['update', 'create'],
  takesAnyFinalizer: true,
  validateName: pathSegmentName,
  unconditionalUpdate: false,
  default: ({ spec }) => {
    if (spec?.service) spec.service.port ??= 443;
  },
  prepareForCreate: (service) => {
    service.status = service.spec?.service ? {} : { conditions: [localAvailable(service)] };
  },
  prepareForUpdate: keepStatus,
  validate: (service) => collect(checkService(service)),
  validateUpdate: (next) => collect(checkService(next)),
  subresources: {
    status: { prepareForUpdate: keepAllButStatusAndMetadata, validateUpdate: (next) => collect(checkConditions(next)) },
  },
  printer: {
    columns: [nameColumn, column('Service'), column('Available'), ageColumn],
    row: (service, context) => {
      const target = service.spec?.service;
      return [
        nameOf(service),
        target ? `${target.namespace ?? ''}/${target.name ?? ''}` : 'Local',
        formatAvailable(service),
        age(service, context),
      ];
    },
  },
};

function localAvailable({ metadata }: APIService) {
  return {
    type: 'Available',
    status: 'True',
    lastTransitionTime: metadata.creationTimestamp ?? null,
    reason: 'Local',
    message: 'Local APIServices are always available',
  };
}

function* checkService({ metadata, spec = { groupPriorityMinimum: 0, versionPriority: 0 } }: APIService): Check {
  const { group = '', version = '', groupPriorityMinimum, versionPriority } = spec;
  yield* checkOwnName(metadata, `${version}.${group}`);
  if (group === '' && version !== 'v1')
    yield required(path.child('group'), 'only v1 may have an empty group and it better be legacy kube');
  if (group !== '') yield* problems(path.child('group'), group, validateDns1123Subdomain(group));
  yield* problems(path.child('version'), version, validateDns1035Label(version));
  yield* checkPriority(path.child('groupPriorityMinimum'), groupPriorityMinimum, 20_000);
  yield* checkPriority(path.child('versionPriority'), versionPriority, 1000);
  yield* spec.service === undefined ? checkLocal(spec) : checkRemote(spec);
}

function* checkOwnName({ name, generateName }: ObjectMeta, wanted: string): Check {
  const detail = `must be \`spec.version+"."+spec.group\`: ${quote(wanted)}`;
  const isOther = (text: string | undefined): text is string =>
    !!text && text !== wanted && pathSegmentName(text, false).length === 0;
  if (isOther(generateName)) yield invalid('metadata.generateName', generateName, detail);
  if (isOther(name)) yield invalid('metadata.name', name, detail);
}

function* checkPriority(at: FieldPath, value: number, max: number): Check {
  if (value <= 0 || value > max) yield invalid(at, value, `must be positive and less than ${max}`);
}

function* checkLocal({ caBundle, insecureSkipTLSVerify }: APIServiceSpec): Check {
  if (caBundle)
    yield invalid(
      path.child('caBundle'),
      `${Buffer.byteLength(caBundle, 'base64')} bytes`,
      'local APIServices may not have a caBundle',
    );
  if (insecureSkipTLSVerify)
    yield invalid(path.child('insecureSkipTLSVerify'), true, 'local APIServices may not have insecureSkipTLSVerify');
}

function* checkRemote({ service, caBundle, insecureSkipTLSVerify }: APIServiceSpec): Check {
  const at = path.child('service');
  yield* checkRequired(at.child('namespace'), service?.namespace);
  yield* checkRequired(at.child('name'), service?.name);
  const port = service?.port ?? 0;
  const wrong = validatePortNumber(port);
  if (wrong.length > 0) yield invalid(at.child('port'), port, `port is not valid: ${wrong.join(', ')}`);
  if (insecureSkipTLSVerify && caBundle)
    yield invalid(path.child('insecureSkipTLSVerify'), true, 'may not be true if caBundle is present');
}

function* checkConditions({ status }: APIService): Check {
  const statuses = ['True', 'False', 'Unknown'];
  for (const [index, condition] of (status?.conditions ?? []).entries())
    if (!statuses.includes(condition.status))
      yield notSupported(FieldPath.of('status', 'conditions').index(index).child('status'), condition.status, statuses);
}

function formatAvailable({ status }: APIService): string {
  const available = status?.conditions?.find(({ type }) => type === 'Available');
  if (available === undefined) return 'Unknown';
  const { status: value, reason } = available;
  return value !== 'True' && reason ? `${value} (${reason})` : value;
}
