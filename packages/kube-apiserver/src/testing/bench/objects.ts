const FILLER = 'the quick brown fox jumps over the lazy dog; ';

export const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

/** A ConfigMap of about 1.2 KB. */
export function configMap(name: string, version = 0): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'default', labels: { app: 'bench', part: `p-${version % 10}` } },
    data: { version: String(version), text: FILLER.repeat(15), 'config.json': '{"a":1,"b":[true,false]}' },
  };
}

/** A Deployment of about 3 KB. */
export function deployment(name: string, image = 'nginx:1.27'): object {
  const labels = { app: name, tier: 'front', 'app.kubernetes.io/part-of': 'bench' };
  const container = (index: number) => ({
    name: `c-${index}`,
    image,
    args: ['--listen=:8080', `--name=${name}`, '--verbose'],
    ports: [
      { name: 'http', containerPort: 8080 + index },
      { name: 'metrics', containerPort: 9090 + index },
    ],
    env: Array.from({ length: 8 }, (_, i) => ({ name: `SETTING_${i}`, value: `some-value-${i}.svc.cluster.local` })),
    resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '1', memory: '512Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 'http' }, periodSeconds: 5 },
    volumeMounts: [{ name: 'config', mountPath: '/etc/config' }],
  });
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default', labels, annotations: { 'example.com/owner': 'bench' } },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels },
        spec: {
          containers: [container(0), container(1), container(2)],
          volumes: [{ name: 'config', configMap: { name: `${name}-config` } }],
        },
      },
    },
  };
}

const GROUP = 'bench.pintle.dev';
export const WIDGETS = `/apis/${GROUP}/v1/namespaces/default/widgets`;

/** Rules that hold for every widget, similar to real ones. */
const RULES = [
  'self.field1 < self.field6',
  "self.field0.startsWith('name')",
  'self.field3.size() <= 10 && self.field3.all(item, item.size() > 0)',
  "!self.field2 || self.field4 == 'medium'",
  "has(self.field5) && self.field5.matches('^[a-z]')",
];

/** A definition with 40 fields and 5 rules in its spec, similar to real ones. */
export function widgetDefinition(): object {
  const fields = Array.from({ length: 40 }, (_, index) => [`field${index}`, fieldSchema(index)]);
  const schema = {
    type: 'object',
    properties: {
      spec: {
        type: 'object',
        required: ['field0'],
        properties: Object.fromEntries(fields),
        'x-kubernetes-validations': RULES.map((rule) => ({ rule })),
      },
    },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `widgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
    },
  };
}

export function widget(name: string): object {
  const fields = Array.from({ length: 40 }, (_, index) => [`field${index}`, fieldValue(index)]);
  return {
    apiVersion: `${GROUP}/v1`,
    kind: 'Widget',
    metadata: { name, namespace: 'default', labels: { app: 'bench' } },
    spec: Object.fromEntries(fields),
  };
}

function fieldSchema(index: number): object {
  switch (index % 5) {
    case 0:
      return { type: 'string', minLength: 1, maxLength: 64, pattern: '^[a-z][a-z0-9-]*$' };
    case 1:
      return { type: 'integer', format: 'int32', minimum: 0, maximum: 1000 };
    case 2:
      return { type: 'boolean', default: false };
    case 3:
      return { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 64 } };
    default:
      return { type: 'string', enum: ['small', 'medium', 'large'] };
  }
}

function fieldValue(index: number): unknown {
  return [`name-${index}`, index, true, ['alpha', 'beta'], 'medium'][index % 5];
}
