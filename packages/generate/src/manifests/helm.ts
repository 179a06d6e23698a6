import { asJson, type JsonObject } from '@pintle/machinery/json';
import { table } from '@pintle/machinery/table';
import { stringifyYaml } from '@pintle/machinery/yaml';
import type { OperatorFacts } from '../operator/load-operator.ts';
import { TELEMETRY_RULE } from '../operator/operator-roles.ts';
import { type CompleteSettings, ownEnv } from '../project/deployment-settings.ts';
import type { Project } from '../project/project.ts';
import { type Manifest, type ManifestOptions, manifestsOf, settingsOf } from './objects.ts';

/** Returns a Helm chart of the objects. The settings of the deployment become values of the same names. */
export function helmFiles(project: Project, facts: OperatorFacts, options: ManifestOptions): Record<string, string> {
  const { name } = project;
  const settings = settingsOf(project, facts, options);
  // The templates have all that a value can switch on.
  const manifests = manifestsOf({ ...project, deployment: { ...project.deployment, telemetry: true } }, facts, options);
  const chart = `chart/${name}`;
  const files: Record<string, string> = {
    [`${chart}/Chart.yaml`]: stringifyYaml({ apiVersion: 'v2', name, type: 'application', version: '0.1.0' }),
    [`${chart}/values.yaml`]: stringifyYaml({
      ...asJson(settings),
      crds: { install: true },
      serviceMonitor: { enabled: false },
      networkPolicy: { enabled: true },
    }),
  };
  const isWide = hasOtherRules(manifests);
  for (const { folder, file, object } of manifests) {
    if (object.kind === 'Namespace') continue;
    files[`${chart}/templates/${folder}-${file}.yaml`] = templateOf(object, settings, { isWide });
  }
  return files;
}

/** True when the ClusterRole of the operator has more than the rule for telemetry. */
function hasOtherRules(manifests: readonly Manifest[]): boolean {
  return manifests.some(({ object: { kind, rules } }) => kind === 'ClusterRole' && (rules as object[]).length > 1);
}

const SWITCHES: Readonly<Record<string, string>> = table({
  CustomResourceDefinition: 'crds.install',
  ServiceMonitor: 'serviceMonitor.enabled',
  NetworkPolicy: 'networkPolicy.enabled',
});

const CLUSTER_ROLES: ReadonlySet<string> = new Set(['ClusterRole', 'ClusterRoleBinding']);

/** Returns the template of an object. Values are inserted as marks, which are replaced by expressions in the text. */
function templateOf(
  object: Manifest['object'],
  settings: CompleteSettings,
  { isWide }: { readonly isWide: boolean },
): string {
  const namespace = object.metadata.namespace ?? innerNamespace(object);
  let text = stringifyYaml(marked(object, settings, { isWide })).replaceAll('{{', '{{ "{{" }}');
  if (namespace !== undefined)
    text = text.replaceAll(`namespace: ${namespace}\n`, 'namespace: {{ .Release.Namespace }}\n');
  text = text.replace(MARKED_LINE, expressionOf);
  const condition = !isWide && CLUSTER_ROLES.has(object.kind) ? 'telemetry' : SWITCHES[object.kind];
  return condition === undefined ? text : `{{- if .Values.${condition} }}\n${text}{{- end }}\n`;
}

function marked(
  object: Manifest['object'],
  settings: CompleteSettings,
  { isWide }: { readonly isWide: boolean },
): JsonObject {
  const copy = asJson(structuredClone(object));
  if (object.kind === 'ClusterRole' && isWide)
    return { ...copy, rules: [...(copy.rules as JsonObject[]).slice(0, -1), mark(TELEMETRY)] };
  if (object.kind === 'Deployment') return markedDeployment(copy, settings);
  const metadata = copy.metadata as JsonObject;
  if (object.kind === 'ServiceAccount')
    return { ...copy, metadata: { ...metadata, annotations: mark('serviceAccount.annotations') } };
  if (object.kind !== 'CustomResourceDefinition') return copy;
  // Helm never updates the `crds` folder of a chart, so CRDs are templates. `keep` protects the objects of users.
  const annotations = { ...(metadata.annotations as JsonObject), 'helm.sh/resource-policy': 'keep' };
  return { ...copy, metadata: { ...metadata, annotations } };
}

function markedDeployment(deployment: JsonObject, { podLabels = {} }: CompleteSettings): JsonObject {
  const spec = deployment.spec as JsonObject;
  const { metadata, spec: pod } = spec.template as { metadata: JsonObject; spec: JsonObject };
  const [container] = pod.containers as JsonObject[];
  const own = Object.entries(metadata.labels as JsonObject).filter(([key]) => !Object.hasOwn(podLabels, key));
  const labels = { ...Object.fromEntries(own), [mark('podLabels')]: mark('podLabels') };
  const filled = {
    ...container,
    image: mark('image'),
    env: [...asJson(ownEnv(mark('telemetry'))), mark('env')],
    resources: mark('resources'),
    securityContext: mark('securityContext'),
  };
  const values = ['nodeSelector', 'tolerations', 'affinity', 'priorityClassName', 'imagePullSecrets'];
  const template = {
    metadata: { ...metadata, labels, annotations: mark('podAnnotations') },
    spec: {
      ...pod,
      securityContext: mark('podSecurityContext'),
      ...Object.fromEntries(values.map((name) => [name, mark(name)])),
      containers: [filled],
    },
  };
  return { ...deployment, spec: { ...spec, replicas: mark('replicas'), template } };
}

const MARK = 'PINTLE_VALUE_';
/** Mark of the rule for telemetry. */
const TELEMETRY = 'telemetry.rule';
const MARKED_LINE = /^( *)(- )?(?:([\w.-]+): )?PINTLE_VALUE_([\w.]+)$/gm;

function mark(value: string): string {
  return `${MARK}${value}`;
}

/** Returns the expression of a value: scalars within their line; maps and lists only when they are not empty. */
function expressionOf(_line: string, indent: string, dash = '', key: string | undefined, value: string): string {
  if (value === TELEMETRY) return telemetryRule(indent);
  const path = `.Values.${value}`;
  if (value === 'telemetry') return `${indent}${dash}${key}: {{ ternary "on" "off" ${path} | quote }}`;
  if (value === 'replicas') return `${indent}${dash}${key}: {{ ${path} }}`;
  if (value === 'image') return `${indent}${dash}${key}: {{ ${path} | quote }}`;
  if (value === 'priorityClassName')
    return `${indent}{{- with ${path} }}\n${indent}${key}: {{ . | quote }}\n${indent}{{- end }}`;
  const isInside = key === undefined || key.startsWith(MARK);
  const depth = isInside ? indent.length : indent.length + 2;
  const head = isInside ? [] : [`${indent}${key}:`];
  const lines = [`{{- with ${path} }}`, ...head, `{{- toYaml . | nindent ${depth} }}`, '{{- end }}'];
  return lines.map((line) => (line.startsWith('{{') ? `${indent}${line}` : line)).join('\n');
}

function telemetryRule(indent: string): string {
  const rule = stringifyYaml([asJson(TELEMETRY_RULE)]).trimEnd();
  return ['{{- if .Values.telemetry }}', ...rule.split('\n'), '{{- end }}']
    .map((line) => `${indent}${line}`)
    .join('\n');
}

/** Returns the namespace that a ClusterRoleBinding, a webhook configuration or a CRD with conversion refers to. */
function innerNamespace(object: Manifest['object']): string | undefined {
  const { subjects, webhooks, spec } = object as {
    subjects?: readonly { namespace?: string }[];
    webhooks?: readonly { clientConfig?: { service?: { namespace?: string } } }[];
    spec?: { conversion?: { webhook?: { clientConfig?: { service?: { namespace?: string } } } } };
  };
  const service = webhooks?.[0]?.clientConfig?.service ?? spec?.conversion?.webhook?.clientConfig?.service;
  return subjects?.[0]?.namespace ?? service?.namespace;
}
