import { type FieldError, FieldPath, invalid, notSupported, required } from '@pintle/machinery/errors';
import {
  parseIp,
  pathSegmentName,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLegacyIp,
  validatePortName,
  validatePortNumber,
  validateWildcardDns1123Subdomain,
  warningsForIp,
} from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type {
  HTTPIngressPath,
  Ingress,
  IngressBackend,
  IngressRule,
  IngressSpec,
  IngressTLS,
} from '../../../generated/networking/v1.ts';
import { type Check, collect, isUnset, problems } from '../../common/checks.ts';
import { keepAllButStatus, keepStatus } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { ingressAddresses } from '../core/service.ts';
import { checkIngressHostname } from '../core/service-validation.ts';

const path = FieldPath.of('spec');
const classAnnotation = 'kubernetes.io/ingress.class';

export const ingressRules: ResourceRules<Ingress> = {
  metadataChecks: ['update', 'create'],
  tracksGeneration: true,
  prepareForCreate: (ingress) => {
    ingress.status = { loadBalancer: {} };
  },
  prepareForUpdate: keepStatus,
  validate: (ingress) => collect(checkSpec(ingress.spec ?? {}, undefined), checkClassAnnotation(ingress)),
  validateUpdate: (next, previous) => collect(checkSpec(next.spec ?? {}, previous.spec)),
  warnings: ({ metadata, spec }, previous) =>
    previous === undefined && metadata.annotations?.[classAnnotation] !== undefined && !spec?.ingressClassName
      ? [`annotation "${classAnnotation}" is deprecated, please use 'spec.ingressClassName' instead`]
      : [],
  subresources: {
    status: {
      prepareForUpdate: keepAllButStatus,
      validateUpdate: (next, previous) => collect(checkStatus(next, previous)),
      warnings: ({ status }) =>
        (status?.loadBalancer?.ingress ?? []).flatMap(({ ip }, index) =>
          ip ? warningsForIp(ip, FieldPath.of('status', 'loadBalancer', 'ingress').index(index)) : [],
        ),
    },
  },
  printer: {
    columns: [nameColumn, column('Class'), column('Hosts'), column('Address'), column('Ports'), ageColumn],
    row: (ingress, context) => [
      nameOf(ingress),
      ingress.spec?.ingressClassName ?? '<none>',
      formatHosts(ingress.spec?.rules ?? []),
      ingressAddresses(ingress.status?.loadBalancer as Parameters<typeof ingressAddresses>[0]).join(','),
      ingress.spec?.tls?.length ? '80, 443' : '80',
      age(ingress, context),
    ],
  },
};

function* checkClassAnnotation({ metadata, spec }: Ingress): Check {
  const annotation = metadata.annotations?.[classAnnotation];
  const name = spec?.ingressClassName;
  if (annotation !== undefined && name !== undefined && annotation !== name)
    yield invalid(
      FieldPath.of('annotations', classAnnotation),
      annotation,
      'must match `ingressClassName` when both are specified',
    );
}

/** Tolerates secret names and wildcard hosts that were stored before they were validated. */
function* checkSpec(spec: IngressSpec, former: IngressSpec | undefined): Check {
  const { rules = [], tls = [], defaultBackend, ingressClassName } = spec;
  if (rules.length === 0 && defaultBackend === undefined)
    yield invalid(path, spec.rules ?? null, 'either `defaultBackend` or `rules` must be specified');
  if (defaultBackend !== undefined) yield* checkBackend(defaultBackend, path.child('defaultBackend'));
  const toleratesWildcards = (former?.rules ?? []).some(
    (rule, index) => rule.host?.includes('*') && [...checkPaths(rule, path.child('rules').index(index))].length > 0,
  );
  for (const [index, rule] of rules.entries())
    yield* checkRule(rule, path.child('rules').index(index), toleratesWildcards);
  const toleratesSecrets = (former?.tls ?? []).some(({ secretName }) => secretProblems(secretName).length > 0);
  for (const [index, item] of tls.entries()) yield* checkTls(item, path.child('tls').index(index), toleratesSecrets);
  if (ingressClassName !== undefined)
    yield* problems(path.child('ingressClassName'), ingressClassName, validateDns1123Subdomain(ingressClassName));
}

function* checkRule(rule: IngressRule, at: FieldPath, toleratesWildcards: boolean): Check {
  const { host } = rule;
  if (host) {
    if (parseIp(host) !== undefined) yield invalid(at.child('host'), host, 'must be a DNS name, not an IP address');
    yield* hostErrors(host, at.child('host'));
  }
  if (!host?.includes('*') || !toleratesWildcards) yield* checkPaths(rule, at);
}

function hostErrors(host: string, at: FieldPath): FieldError[] {
  return problems(
    at,
    host,
    host.includes('*') ? validateWildcardDns1123Subdomain(host) : validateDns1123Subdomain(host),
  );
}

function* checkPaths({ http }: IngressRule, at: FieldPath): Check {
  if (http === undefined) return;
  const paths = http.paths ?? [];
  if (paths.length === 0) yield required(at.child('http', 'paths'));
  for (const [index, item] of paths.entries()) yield* checkPath(item, at.child('http', 'paths').index(index));
}

const forbiddenParts = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEndings = ['/..', '/.'];

function* checkPath({ path: urlPath = '', pathType, backend }: HTTPIngressPath, at: FieldPath): Check {
  if (isUnset(pathType)) {
    yield required(at.child('pathType'), 'pathType must be specified');
    return;
  }
  const isExactOrPrefix = pathType === 'Exact' || pathType === 'Prefix';
  if (!isExactOrPrefix && pathType !== 'ImplementationSpecific') {
    yield notSupported(at.child('pathType'), pathType, ['Exact', 'ImplementationSpecific', 'Prefix']);
  } else {
    if (!urlPath.startsWith('/') && (isExactOrPrefix || urlPath !== ''))
      yield invalid(at.child('path'), urlPath, 'must be an absolute path');
    if (isExactOrPrefix) {
      for (const part of forbiddenParts)
        if (urlPath.includes(part)) yield invalid(at.child('path'), urlPath, `must not contain '${part}'`);
      for (const ending of forbiddenEndings)
        if (urlPath.endsWith(ending)) yield invalid(at.child('path'), urlPath, `cannot end with '${ending}'`);
    }
  }
  yield* checkBackend(backend, at.child('backend'));
}

function* checkBackend({ resource, service }: IngressBackend, at: FieldPath): Check {
  if (resource !== undefined && service !== undefined) {
    yield invalid(at, '', 'cannot set both resource and service backends');
  } else if (resource !== undefined) {
    const { apiGroup, kind, name } = resource;
    const refPath = at.child('resource');
    if (typeof apiGroup === 'string')
      yield* problems(refPath.child('apiGroup'), apiGroup, validateDns1123Subdomain(apiGroup));
    yield* checkSegment(refPath.child('kind'), kind);
    yield* checkSegment(refPath.child('name'), name);
  } else if (service !== undefined) {
    if (service.name === '') yield required(at.child('service', 'name'));
    else yield* problems(at.child('service', 'name'), service.name, validateDns1123Label(service.name));
    yield* checkBackendPort(service.port ?? {}, at);
  } else {
    yield invalid(at, '', 'resource or service backend is required');
  }
}

export function* checkSegment(at: FieldPath, value: string | undefined): Check {
  if (!value) yield required(at);
  else yield* problems(at, value, pathSegmentName(value, false));
}

function* checkBackendPort({ name, number }: { name?: string; number?: number }, at: FieldPath): Check {
  const portPath = at.child('service', 'port');
  if (name && number) yield invalid(at, '', 'cannot set both port name & port number');
  else if (name) yield* problems(portPath.child('name'), name, validatePortName(name));
  else if (number) yield* problems(portPath.child('number'), number, validatePortNumber(number));
  else yield required(at, 'port name or number is required');
}

function* checkTls({ hosts = [], secretName }: IngressTLS, at: FieldPath, toleratesSecrets: boolean): Check {
  for (const [index, host] of hosts.entries()) yield* hostErrors(host, at.child('hosts').index(index));
  if (!toleratesSecrets) yield* problems(at.child('secretName'), secretName, secretProblems(secretName));
}

function secretProblems(name: string | undefined): readonly string[] {
  return name ? validateDns1123Subdomain(name) : [];
}

function* checkStatus(next: Ingress, previous: Ingress): Check {
  const known = new Set((previous.status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip));
  for (const [index, { ip, hostname }] of (next.status?.loadBalancer?.ingress ?? []).entries()) {
    const at = FieldPath.of('status', 'loadBalancer', 'ingress').index(index);
    if (ip && !known.has(ip)) yield* validateLegacyIp(ip, at.child('ip'));
    yield* checkIngressHostname(at.child('hostname'), hostname);
  }
}

const maxHosts = 3;

/** Counts rules, not hosts, in the number of omitted ones, as Kubernetes does. */
function formatHosts(rules: readonly IngressRule[]): string {
  const hosts: string[] = [];
  let isCut = false;
  for (const { host } of rules) {
    isCut ||= hosts.length === maxHosts;
    if (!isCut && host) hosts.push(host);
  }
  const shown = hosts.join(',') || '*';
  return isCut ? `${shown} + ${rules.length - maxHosts} more...` : shown;
}
