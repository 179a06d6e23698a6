import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject, ObjectMeta } from '@pintle/machinery';
import type { OperatorFacts } from '../operator/load-operator.ts';
import { hasTelemetry, operatorRoles } from '../operator/operator-roles.ts';
import { type CompleteSettings, completeSettings, ownEnv } from '../project/deployment-settings.ts';
import type { Project } from '../project/project.ts';

export interface ManifestOptions {
  readonly namespace: string;
  /** Default: the image in the settings of the project, or NAME:latest. */
  readonly image?: string;
  /** Default: the number in the settings of the project, or 1. */
  readonly replicas?: number;
}

/** An object of the deployment, and its file. */
export interface Manifest {
  /** Name of the file, without folder and extension. */
  readonly file: string;
  readonly folder: 'crds' | 'rbac' | 'manager' | 'webhooks' | 'network' | 'monitoring' | 'prometheus';
  readonly object: KubernetesObject & { metadata: ObjectMeta & { name: string } } & Readonly<Record<string, unknown>>;
}

const RBAC = 'rbac.authorization.k8s.io/v1';
const RBAC_GROUP = 'rbac.authorization.k8s.io';
const PORTS = { webhooks: 9443, metrics: 8080, health: 8081 };

/** Returns all objects of the deployment, in the order in which they are applied. */
export function manifestsOf(project: Project, facts: OperatorFacts, options: ManifestOptions): Manifest[] {
  const { name } = project;
  const about = new Labelled(name, options.namespace);
  const settings = settingsOf(project, facts, options);
  return [
    { folder: 'manager', file: 'namespace', object: namespaceOf(options.namespace, name) },
    ...facts.definitions.map(crdManifest),
    { folder: 'rbac', file: 'service-account', object: serviceAccount(name, about, settings) },
    ...rbac(project, facts, about, options),
    { folder: 'manager', file: 'deployment', object: deploymentOf(project, about, facts, settings) },
    { folder: 'monitoring', file: 'metrics-service', object: metricsService(name, about) },
    { folder: 'prometheus', file: 'service-monitor', object: serviceMonitor(name, about) },
    { folder: 'network', file: 'network-policy', object: networkPolicy(name, about, facts) },
    ...webhookManifests(name, about, facts),
  ];
}

/** Returns the settings of the deployment. Flags override the settings of the project. */
export function settingsOf(
  project: Project,
  facts: OperatorFacts,
  { image, replicas }: Omit<ManifestOptions, 'namespace'>,
): CompleteSettings {
  const settings = {
    ...project.deployment,
    telemetry: hasTelemetry(facts, project),
    ...(image !== undefined && { image }),
    ...(replicas !== undefined && { replicas }),
  };
  return completeSettings(project.name, settings);
}

function crdManifest(definition: CustomResourceDefinition): Manifest {
  return {
    folder: 'crds',
    file: definition.metadata.name ?? '',
    object: definition as unknown as Manifest['object'],
  };
}

/** Creates objects with the labels of the operator. */
class Labelled {
  readonly labels: Readonly<Record<string, string>>;
  readonly namespace: string;

  constructor(name: string, namespace: string) {
    this.labels = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/managed-by': 'pintle' };
    this.namespace = namespace;
  }

  object(apiVersion: string, kind: string, name: string, content: object): Manifest['object'] {
    return { apiVersion, kind, metadata: { name, namespace: this.namespace, labels: this.labels }, ...content };
  }

  clusterObject(apiVersion: string, kind: string, name: string, content: object): Manifest['object'] {
    return { apiVersion, kind, metadata: { name, labels: this.labels }, ...content };
  }
}

function namespaceOf(namespace: string, name: string): Manifest['object'] {
  const labels = { 'app.kubernetes.io/name': name, 'pod-security.kubernetes.io/enforce': 'restricted' };
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, labels } };
}

function rbac(project: Project, facts: OperatorFacts, about: Labelled, options: ManifestOptions): Manifest[] {
  const { name } = project;
  const { cluster, own } = operatorRoles(facts, project);
  const subjects = [{ kind: 'ServiceAccount', name, namespace: options.namespace }];
  const bind = (kind: string, role: string) => ({ roleRef: { apiGroup: RBAC_GROUP, kind, name: role }, subjects });
  const wide: Manifest[] = [
    {
      folder: 'rbac',
      file: 'cluster-role',
      object: about.clusterObject(RBAC, 'ClusterRole', name, { rules: cluster }),
    },
    {
      folder: 'rbac',
      file: 'cluster-role-binding',
      object: about.clusterObject(RBAC, 'ClusterRoleBinding', name, bind('ClusterRole', name)),
    },
  ];
  return [
    ...(cluster.length === 0 ? [] : wide),
    { folder: 'rbac', file: 'role', object: about.object(RBAC, 'Role', name, { rules: own }) },
    { folder: 'rbac', file: 'role-binding', object: about.object(RBAC, 'RoleBinding', name, bind('Role', name)) },
  ];
}

function serviceAccount(name: string, about: Labelled, { serviceAccount }: CompleteSettings): Manifest['object'] {
  const object = about.object('v1', 'ServiceAccount', name, {});
  const annotations = serviceAccount?.annotations ?? {};
  return isEmpty(annotations) ? object : { ...object, metadata: { ...object.metadata, annotations } };
}

function deploymentOf(
  { name }: Project,
  about: Labelled,
  facts: OperatorFacts,
  settings: CompleteSettings,
): Manifest['object'] {
  const selector = { 'app.kubernetes.io/name': name };
  const probe = (path: string) => ({ httpGet: { path, port: 'health' } });
  const ports = [
    { name: 'metrics', containerPort: PORTS.metrics },
    { name: 'health', containerPort: PORTS.health },
    ...(facts.webhooks === undefined ? [] : [{ name: 'webhooks', containerPort: PORTS.webhooks }]),
  ];
  const container = {
    name: 'operator',
    image: settings.image,
    env: [...ownEnv(settings.telemetry ? 'on' : 'off'), ...(settings.env ?? [])],
    ports,
    livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 15, periodSeconds: 20 },
    readinessProbe: { ...probe('/readyz'), periodSeconds: 5 },
    ...filled(settings, ['resources', 'securityContext']),
  };
  const pod = {
    serviceAccountName: name,
    terminationGracePeriodSeconds: 35,
    ...(isEmpty(settings.podSecurityContext) ? {} : { securityContext: settings.podSecurityContext }),
    ...filled(settings, ['nodeSelector', 'tolerations', 'affinity', 'priorityClassName', 'imagePullSecrets']),
    containers: [container],
  };
  const metadata = {
    labels: { ...about.labels, ...settings.podLabels },
    ...(isEmpty(settings.podAnnotations) ? {} : { annotations: settings.podAnnotations }),
  };
  const template = { metadata, spec: pod };
  return about.object('apps/v1', 'Deployment', name, {
    spec: { replicas: settings.replicas, selector: { matchLabels: selector }, template },
  });
}

/** Returns the settings that are not empty. */
function filled(settings: CompleteSettings, names: readonly (keyof CompleteSettings)[]): object {
  return Object.fromEntries(names.map((name) => [name, settings[name]]).filter(([, value]) => !isEmpty(value)));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === '' || (typeof value === 'object' && Object.keys(value ?? {}).length === 0);
}

function metricsService(name: string, about: Labelled): Manifest['object'] {
  const ports = [{ name: 'metrics', port: PORTS.metrics, targetPort: 'metrics' }];
  return about.object('v1', 'Service', `${name}-metrics`, {
    spec: { ports, selector: { 'app.kubernetes.io/name': name } },
  });
}

function serviceMonitor(name: string, about: Labelled): Manifest['object'] {
  const spec = {
    endpoints: [{ port: 'metrics', path: '/metrics' }],
    selector: { matchLabels: { 'app.kubernetes.io/name': name } },
  };
  return about.object('monitoring.coreos.com/v1', 'ServiceMonitor', name, { spec });
}

/** Admits scrapers of metrics by the label of their namespace, and all clients of webhooks: the API server has no label. */
function networkPolicy(name: string, about: Labelled, facts: OperatorFacts): Manifest['object'] {
  const scrapers = { namespaceSelector: { matchLabels: { metrics: 'enabled' } } };
  const ingress = [
    { from: [scrapers], ports: [{ port: PORTS.metrics, protocol: 'TCP' }] },
    ...(facts.webhooks === undefined ? [] : [{ ports: [{ port: PORTS.webhooks, protocol: 'TCP' }] }]),
  ];
  const podSelector = { matchLabels: { 'app.kubernetes.io/name': name } };
  return about.object('networking.k8s.io/v1', 'NetworkPolicy', name, {
    spec: { ingress, podSelector, policyTypes: ['Ingress'] },
  });
}

function webhookManifests(name: string, about: Labelled, { webhooks }: OperatorFacts): Manifest[] {
  if (webhooks === undefined) return [];
  const ports = [{ name: 'webhooks', port: 443, targetPort: 'webhooks' }];
  const service = about.object('v1', 'Service', `${name}-webhooks`, {
    spec: { ports, selector: { 'app.kubernetes.io/name': name } },
  });
  const configurations = [
    { file: 'mutating', object: webhooks.mutating },
    { file: 'validating', object: webhooks.validating },
  ].filter(({ object }) => (object.webhooks ?? []).length > 0);
  return [
    { folder: 'webhooks', file: 'service', object: service },
    ...configurations.map(({ file, object }) => ({
      folder: 'webhooks' as const,
      file,
      object: {
        ...object,
        metadata: { ...object.metadata, name, labels: about.labels },
      } as unknown as Manifest['object'],
    })),
  ];
}
