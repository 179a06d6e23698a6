import { table } from '@pintle/machinery/table';
import { stringifyYaml } from '@pintle/machinery/yaml';
import type { Project } from '../scaffold/project.ts';
import type { Manifest } from './objects.ts';

/** A chart with the same objects; what people change between installations are values. */
export function helmFiles(project: Project, manifests: readonly Manifest[]): Record<string, string> {
  const { name } = project;
  const chart = `chart/${name}`;
  const deployment = manifests.find(({ object }) => object.kind === 'Deployment')!;
  const files: Record<string, string> = {
    [`${chart}/Chart.yaml`]: stringifyYaml({ apiVersion: 'v2', name, type: 'application', version: '0.1.0' }),
    [`${chart}/values.yaml`]: stringifyYaml({
      image: imageOf(deployment),
      replicas: (deployment.object.spec as { replicas: number }).replicas,
      serviceMonitor: { enabled: false },
      networkPolicy: { enabled: true },
    }),
  };
  for (const { folder, file, object } of manifests) {
    if (object.kind === 'Namespace') continue;
    const path = folder === 'crds' ? `${chart}/crds/${file}.yaml` : `${chart}/templates/${folder}-${file}.yaml`;
    files[path] = folder === 'crds' ? stringifyYaml(object) : templateOf(object);
  }
  return files;
}

const SWITCHES: Readonly<Record<string, string>> = table({
  ServiceMonitor: 'serviceMonitor.enabled',
  NetworkPolicy: 'networkPolicy.enabled',
});

function imageOf({ object }: Manifest): string {
  const { template } = object.spec as { template: { spec: { containers: readonly { image: string }[] } } };
  return template.spec.containers[0]!.image;
}

/** Marks are put in as plain texts, and become expressions once the object is text. */
function templateOf(object: Manifest['object']): string {
  const namespace = object.metadata.namespace ?? subjectNamespace(object);
  let text = stringifyYaml(object).replaceAll('{{', '{{ "{{" }}');
  if (namespace !== undefined)
    text = text.replaceAll(`namespace: ${namespace}\n`, 'namespace: {{ .Release.Namespace }}\n');
  if (object.kind === 'Deployment') {
    text = text.replace(/^( +)replicas: .*$/m, '$1replicas: {{ .Values.replicas }}');
    text = text.replace(/^( +-? *)image: .*$/m, '$1image: {{ .Values.image | quote }}');
  }
  const condition = SWITCHES[object.kind];
  return condition === undefined ? text : `{{- if .Values.${condition} }}\n${text}{{- end }}\n`;
}

/** Bindings of the cluster and webhooks name the namespace inside. */
function subjectNamespace(object: Manifest['object']): string | undefined {
  const { subjects, webhooks } = object as {
    subjects?: readonly { namespace?: string }[];
    webhooks?: readonly { clientConfig?: { service?: { namespace?: string } } }[];
  };
  return subjects?.[0]?.namespace ?? webhooks?.[0]?.clientConfig?.service?.namespace;
}
