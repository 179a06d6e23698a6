import {
  duplicate,
  type FieldError,
  type FieldPath,
  forbidden,
  invalid,
  notFound,
  notSupported,
  required,
  tooMany,
} from '@pintle/machinery/errors';
import { validateDns1123Label } from '@pintle/machinery/names';
import type {
  Container,
  ContainerRestartRule,
  EphemeralContainer,
  PodSpec,
  Volume,
} from '../../../../../generated/core/v1.ts';
import {
  checkChoice,
  checkOptionalChoice,
  checkRequired,
  eachItem,
  isEmpty,
  requiredMatching,
} from '../../../checks.ts';
import { isSidecar } from '../../containers.ts';
import { validateSecurityContext } from '../security/security-context.ts';
import { validateEnv, validateEnvFrom } from './env.ts';
import { validateContainerPorts, validateHostPorts } from './ports.ts';
import { validateLifecycle, validateLivenessProbe, validateReadinessProbe } from './probes.ts';
import { validateContainerResources, validateResizePolicy } from './resources.ts';
import { validateVolumeDevices, validateVolumeMounts } from './volume-mounts.ts';

const messagePolicies = ['File', 'FallbackToLogsOnError'];
export const pullPolicies = ['Always', 'IfNotPresent', 'Never'];
const sidecarsAlone = 'may not be set for init containers without restartPolicy=Always';
const notEphemeral = 'cannot be set for an Ephemeral Container';

/** The objects that a container can refer to: volumes count only if they are valid. */
interface ContainerContext {
  readonly spec: PodSpec;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly claimNames: ReadonlySet<string>;
}

export function validateContainers(context: ContainerContext, path: FieldPath): FieldError[] {
  const containers = context.spec.containers ?? [];
  if (containers.length === 0) return [required(path)];
  const names = new Set<string>();
  return [
    ...eachItem(containers, path, (container, at) => [
      ...validateCommon(container, context, at),
      ...validateUnique(container.name, names, at.child('name')),
      ...validateWhileRunning(container, context.spec, at),
      ...validateRestartPolicy(container, at),
    ]),
    ...validateHostPorts(containers, path),
  ];
}

export function validateInitContainers(context: ContainerContext, path: FieldPath): FieldError[] {
  const names = namesOf(context.spec.containers);
  return eachItem(context.spec.initContainers, path, (container, at) => [
    ...validateCommon(container, context, at),
    ...validateInitRestartPolicy(container, at),
    ...validateUniqueIfNamed(container.name, names, at.child('name')),
    // Kubernetes checks each init container alone, and so always reports index 0.
    ...validateHostPorts([container], path),
    ...(isSidecar(container) ? validateWhileRunning(container, context.spec, at) : validateRunsOnce(container, at)),
  ]);
}

export function validateEphemeralContainers(context: ContainerContext, path: FieldPath): FieldError[] {
  const { containers, initContainers, ephemeralContainers } = context.spec;
  const targets = new Set([...namesOf(containers), ...namesOf(initContainers)]);
  const names = new Set(targets);
  return eachItem(ephemeralContainers, path, (container, at) => [
    ...validateCommon(container, context, at),
    ...validateImageSpelling(container, at),
    ...validateUnique(container.name, names, at.child('name')),
    ...validateTarget(container, targets, at.child('targetContainerName')),
    ...validateEphemeralFields(container, at),
  ]);
}

/** Templates may have images with spaces around them; Pods may not. */
export function validateImageSpelling({ image = '' }: { image?: string }, path: FieldPath): FieldError[] {
  if (image === image.trim()) return [];
  return [invalid(path.child('image'), image, 'must not have leading or trailing whitespace')];
}

function validateCommon(
  container: Container | EphemeralContainer,
  context: ContainerContext,
  path: FieldPath,
): FieldError[] {
  const { ports, env, envFrom, resources, resizePolicy, securityContext } = container;
  const { volumes, claimNames, spec } = context;
  // A Pod may have tens of thousands of containers, most with few fields: checks only fields that are present.
  return [
    ...requiredMatching(container.name, validateDns1123Label, path.child('name')),
    ...checkRequired(path.child('image'), container.image),
    ...checkChoice(path.child('terminationMessagePolicy'), container.terminationMessagePolicy, messagePolicies),
    ...(ports ? validateContainerPorts(ports, path.child('ports')) : []),
    ...(env ? validateEnv(env, path.child('env')) : []),
    ...(envFrom ? validateEnvFrom(envFrom, path.child('envFrom')) : []),
    ...(container.volumeMounts ? validateVolumeMounts(container, volumes, path.child('volumeMounts')) : []),
    ...(container.volumeDevices ? validateVolumeDevices(container, volumes, path.child('volumeDevices')) : []),
    ...checkChoice(path.child('imagePullPolicy'), container.imagePullPolicy, pullPolicies),
    ...(resources ? validateContainerResources(resources, claimNames, path.child('resources')) : []),
    ...(resizePolicy ? validateResizePolicy(resizePolicy, spec.restartPolicy, path.child('resizePolicy')) : []),
    ...(securityContext ? validateSecurityContext(securityContext, spec, path.child('securityContext')) : []),
  ];
}

/** Two containers without a name count as duplicates. */
function validateUnique(name = '', names: Set<string>, path: FieldPath): FieldError[] {
  if (names.has(name)) return [duplicate(path, name)];
  names.add(name);
  return [];
}

/** Init containers without a name do not count as duplicates. */
function validateUniqueIfNamed(name: string | undefined, names: Set<string>, path: FieldPath): FieldError[] {
  if (!isEmpty(name)) return validateUnique(name, names, path);
  return names.has('') ? [duplicate(path, '')] : [];
}

/** Checks fields of containers that run as long as the Pod. */
function validateWhileRunning(container: Container, spec: PodSpec, path: FieldPath): FieldError[] {
  return [
    ...validateLifecycle(container.lifecycle, spec, path.child('lifecycle')),
    ...validateLivenessProbe(container.livenessProbe, path.child('livenessProbe')),
    ...validateReadinessProbe(container.readinessProbe, path.child('readinessProbe')),
    ...validateLivenessProbe(container.startupProbe, path.child('startupProbe')),
  ];
}

function validateRunsOnce(container: Container, path: FieldPath): FieldError[] {
  const probes = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;
  return [
    ...probes.filter((name) => container[name] !== undefined).map((name) => forbidden(path.child(name), sidecarsAlone)),
    ...eachItem(container.resizePolicy, path.child('resizePolicy'), ({ restartPolicy }, at) =>
      restartPolicy === 'RestartContainer'
        ? [
            invalid(
              at.child('restartPolicy'),
              restartPolicy,
              "must not be set to 'RestartContainer' for non-sidecar initContainers",
            ),
          ]
        : [],
    ),
  ];
}

function validateTarget(
  { targetContainerName }: EphemeralContainer,
  targets: ReadonlySet<string>,
  path: FieldPath,
): FieldError[] {
  return isEmpty(targetContainerName) || targets.has(targetContainerName) ? [] : [notFound(path, targetContainerName)];
}

/** Reports fields in the order in which Kubernetes declares them. */
function validateEphemeralFields(container: EphemeralContainer, path: FieldPath): FieldError[] {
  const meaningless = [
    'ports',
    'resources',
    'resizePolicy',
    'restartPolicy',
    'restartPolicyRules',
    'livenessProbe',
    'readinessProbe',
    'startupProbe',
    'lifecycle',
  ] as const;
  const isSet = (name: (typeof meaningless)[number]) =>
    name === 'resources' ? Object.keys(container.resources ?? {}).length > 0 : container[name] !== undefined;
  return [
    ...meaningless.filter(isSet).map((name) => forbidden(path.child(name), notEphemeral)),
    ...eachItem(container.volumeMounts, path.child('volumeMounts'), (mount, at) =>
      (['subPath', 'subPathExpr'] as const)
        .filter((name) => !isEmpty(mount[name]))
        .map((name) => forbidden(at.child(name), notEphemeral)),
    ),
  ];
}

function namesOf(containers: readonly { readonly name: string }[] | undefined): Set<string> {
  return new Set((containers ?? []).map(({ name = '' }: { readonly name?: string }) => name));
}

const policies = ['Always', 'Never', 'OnFailure'];
const actions = ['Restart', 'RestartAllContainers'];
const operators = ['In', 'NotIn'];
const maxRules = 20;
const maxExitCodes = 255;

/** Checks a container's restart policy, with the rules that override it. */
function validateRestartPolicy(container: Container, path: FieldPath): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy === undefined && rules.length === 0) return [];
  const rulesPath = path.child('restartPolicyRules');
  return [
    ...validatePolicy(restartPolicy, path.child('restartPolicy')),
    ...(rules.length > maxRules ? [tooMany(rulesPath, rules.length, maxRules)] : []),
    ...eachItem(rules, rulesPath, validateRule),
  ];
}

function validateInitRestartPolicy(container: Container, path: FieldPath): FieldError[] {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  if (restartPolicy !== undefined) return validateRestartPolicy(container, path);
  return rules.length === 0 ? [] : validatePolicy(restartPolicy, path.child('restartPolicy'));
}

function validatePolicy(policy: string | undefined, path: FieldPath): FieldError[] {
  if (policy === undefined) return [required(path, 'must specify restartPolicy when restart rules are used')];
  return checkOptionalChoice(path, policy, policies);
}

function validateRule({ action, exitCodes }: ContainerRestartRule, path: FieldPath): FieldError[] {
  const errors =
    isEmpty(action) || !actions.includes(action) ? [notSupported(path.child('action'), action ?? '', actions)] : [];
  if (exitCodes === undefined) return [...errors, required(path.child('exitCodes'), 'must be specified')];
  const { operator = '', values = [] } = exitCodes;
  if (!operators.includes(operator))
    errors.push(notSupported(path.child('exitCodes', 'operator'), operator, operators));
  if (values.length > maxExitCodes)
    errors.push(tooMany(path.child('exitCodes', 'values'), values.length, maxExitCodes));
  return errors;
}
