import type { Deployment } from '@pintle/kinds/apps/v1';
import type {
  Affinity,
  EnvVar,
  LocalObjectReference,
  PodSecurityContext,
  ResourceRequirements,
  SecurityContext,
  Toleration,
} from '@pintle/kinds/core/v1';
import { loadRules } from '@pintle/kinds/rules';
import { schemaOfType } from '@pintle/kinds/schemas';
import type { FieldError } from '@pintle/machinery/errors';
import { asJson, isJsonObject, type JsonObject, type JsonValue } from '@pintle/machinery/json';
import { isQuantity } from '@pintle/machinery/quantity';
import { compileSchema, type Schema } from '@pintle/machinery/schema';
import { GenerateError } from '../errors.ts';
import { PROJECT_FILE } from './project.ts';

/**
 * Settings of the deployment: `deployment` in pintle.json, and values of the same names in the Helm chart. Maps are merged
 * with the defaults, where `null` removes a key; lists and scalars replace the default.
 */
export interface DeploymentSettings {
  /** Image of the operator; set by `--image`. Default: NAME:latest. */
  readonly image?: string;
  /** Number of replicas, one of which leads; set by `--replicas`. Default: 1. */
  readonly replicas?: number;
  /** Variables besides POD_NAMESPACE, POD_NAME and PINTLE_TELEMETRY, which are always set. */
  readonly env?: readonly EnvVar[];
  readonly resources?: ResourceRequirements;
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
  readonly affinity?: Affinity;
  readonly priorityClassName?: string;
  readonly podSecurityContext?: PodSecurityContext;
  /** Security context of the container. */
  readonly securityContext?: SecurityContext;
  readonly podLabels?: Readonly<Record<string, string>>;
  readonly podAnnotations?: Readonly<Record<string, string>>;
  readonly imagePullSecrets?: readonly LocalObjectReference[];
  readonly serviceAccount?: { readonly annotations?: Readonly<Record<string, string>> };
  /**
   * True lets the operator report to the console of a Pintle API server: it is told so, and its role allows it. Default: what the
   * sources say, with the option `telemetry` of a manager.
   */
  readonly telemetry?: boolean;
}

/** Settings with all defaults. */
export type CompleteSettings = Required<Omit<DeploymentSettings, 'serviceAccount'>> & {
  readonly serviceAccount: { readonly annotations: Readonly<Record<string, string>> };
};

/** Returns the variables of the container before those of the project. */
export function ownEnv(telemetry: string): readonly EnvVar[] {
  return [
    { name: 'POD_NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } },
    { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
    { name: 'PINTLE_TELEMETRY', value: telemetry },
  ];
}

const OWN_NAMES = ownEnv('').map(({ name }) => name);

/** Returns the settings of a project, merged with the defaults. */
export function completeSettings(name: string, settings: DeploymentSettings = {}): CompleteSettings {
  const usual = {
    image: `${name}:latest`,
    replicas: 1,
    env: [],
    resources: { limits: { memory: '256Mi' }, requests: { cpu: '10m', memory: '96Mi' } },
    nodeSelector: {},
    tolerations: [],
    affinity: {},
    priorityClassName: '',
    podSecurityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: 'RuntimeDefault' } },
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'] },
      readOnlyRootFilesystem: true,
    },
    podLabels: {},
    podAnnotations: {},
    imagePullSecrets: [],
    serviceAccount: { annotations: {} },
    telemetry: false,
  } as const satisfies CompleteSettings;
  return mergeValues(asJson(usual), asJson(settings)) as unknown as CompleteSettings;
}

/** Merges values as Helm merges them with those of a chart. */
function mergeValues(under: JsonObject, over: JsonObject): JsonObject {
  const result = new Map(Object.entries(under));
  for (const [key, value] of Object.entries(over)) {
    const below = result.get(key);
    if (value === null) result.delete(key);
    else result.set(key, isJsonObject(value) ? mergeValues(isJsonObject(below) ? below : {}, value) : value);
  }
  return Object.fromEntries(result);
}

/** Throws BadSettings when a field is unknown or has a wrong type. */
export function checkShape(settings: DeploymentSettings | undefined): void {
  if (settings === undefined) return;
  const schema = compileSchema(settingsSchema());
  const value = withoutNulls(asJson(settings));
  const problems = schema.validate(value, { path: 'deployment' }).map(({ field, body }) => `${field}: ${body}`);
  const { unknown } = schema.prune(structuredClone(value));
  problems.push(...unknown.map((path) => `deployment.${path}: unknown setting`));
  for (const [index, each] of (Array.isArray(settings.env) ? settings.env : []).entries())
    if (OWN_NAMES.includes((each as Partial<EnvVar> | null)?.name ?? ''))
      problems.push(`deployment.env[${index}].name: ${each.name} is always set by pintle`);
  for (const kind of ['limits', 'requests'] as const)
    for (const [name, amount] of Object.entries((value as DeploymentSettings).resources?.[kind] ?? {}))
      if (!isQuantity(amount))
        problems.push(`deployment.resources.${kind}.${name}: it is not a quantity such as 512Mi`);
  refuse(problems);
}

/** Throws BadSettings when a server would refuse the Deployment with the settings. */
export async function checkDeployment(deployment: object): Promise<void> {
  const rules = await loadRules({ group: 'apps', kind: 'Deployment' }, { hasStatus: true });
  const object = structuredClone(deployment) as Deployment;
  rules.default?.(object);
  refuse((rules.validate?.(object) ?? []).map((error) => `${settingOf(error)}: ${error.body}`));
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new GenerateError({ code: 'BadSettings', path: PROJECT_FILE, problems });
}

/** Removes nulls, which only remove defaults and have no type. */
function withoutNulls(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isJsonObject(value)) return value;
  const kept = Object.entries(value).filter(([, each]) => each !== null);
  return Object.fromEntries(kept.map(([key, each]) => [key, withoutNulls(each)]));
}

const POD = 'io.k8s.api.core.v1.PodSpec';
const CONTAINER = 'io.k8s.api.core.v1.Container';

/** Returns the schema of the settings: each has that of its field in the Deployment. */
function settingsSchema(): Schema {
  const field = (type: string, name: string): Schema => schemaOfType(type)?.properties?.[name] ?? {};
  const texts: Schema = { type: 'object', additionalProperties: { type: 'string' } };
  return {
    type: 'object',
    properties: {
      image: { type: 'string', minLength: 1 },
      replicas: { type: 'integer', minimum: 0 },
      env: field(CONTAINER, 'env'),
      resources: field(CONTAINER, 'resources'),
      nodeSelector: texts,
      tolerations: field(POD, 'tolerations'),
      affinity: field(POD, 'affinity'),
      priorityClassName: { type: 'string' },
      podSecurityContext: field(POD, 'securityContext'),
      securityContext: field(CONTAINER, 'securityContext'),
      podLabels: texts,
      podAnnotations: texts,
      imagePullSecrets: field(POD, 'imagePullSecrets'),
      serviceAccount: { type: 'object', properties: { annotations: texts } },
      telemetry: { type: 'boolean' },
    },
  };
}

const PLACES: readonly (readonly [field: string, setting: string])[] = [
  ['spec.template.spec.containers[0].image', 'image'],
  ['spec.template.spec.containers[0].resources', 'resources'],
  ['spec.template.spec.containers[0].securityContext', 'securityContext'],
  ['spec.template.spec.securityContext', 'podSecurityContext'],
  ['spec.template.spec.', ''],
  ['spec.template.metadata.labels', 'podLabels'],
  ['spec.template.labels', 'podLabels'],
  ['spec.template.annotations', 'podAnnotations'],
  ['spec.template.metadata.annotations', 'podAnnotations'],
  ['spec.replicas', 'replicas'],
];

/** Returns the setting behind a field of the Deployment. */
function settingOf({ field }: FieldError): string {
  const env = /^spec\.template\.spec\.containers\[0\]\.env\[(\d+)\](.*)$/.exec(field);
  if (env !== null) return `deployment.env[${Number(env[1]) - OWN_NAMES.length}]${env[2]}`;
  const place = PLACES.find(([prefix]) => field.startsWith(prefix));
  return place === undefined ? field : `deployment.${place[1]}${field.slice(place[0].length)}`;
}
