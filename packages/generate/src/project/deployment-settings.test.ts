import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { JsonObject, JsonValue } from '@pintle/machinery/json';
import { parseYaml, stringifyYaml } from '@pintle/machinery/yaml';
import { describe, expect, test } from 'vitest';
import { clusterServiceVersion } from '../bundle/cluster-service-version.ts';
import { helmFiles } from '../manifests/helm.ts';
import { type Manifest, manifestsOf, settingsOf } from '../manifests/objects.ts';
import type { OperatorFacts } from '../operator/load-operator.ts';
import { checkDeployment, checkShape, type DeploymentSettings } from './deployment-settings.ts';
import type { Project } from './project.ts';

const PROJECT: Project = {
  layout: 4,
  name: 'fruits',
  domain: 'example.com',
  license: 'Apache-2.0',
  multigroup: false,
  namespaced: false,
  resources: [],
};
const NAMESPACE = 'fruits-system';

const SERVICE = { namespace: NAMESPACE, name: 'fruits-webhooks', path: '/convert' };
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'fruits.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Fruit', plural: 'fruits' },
    conversion: { strategy: 'Webhook', webhook: { clientConfig: { service: SERVICE } } },
    versions: [{ name: 'v1', schema: { openAPIV3Schema: { description: 'written {{ so }}', type: 'object' } } }],
  },
} as unknown as CustomResourceDefinition;

const FACTS = {
  definitions: [DEFINITION],
  rules: [],
  ownRules: [],
  declared: [],
  sources: { uses: [], unknown: [], handed: [], isSharded: false, hasTelemetry: false },
  observed: [],
  controlled: [],
  converted: [],
  webhooks: undefined,
} as unknown as OperatorFacts;

const ALL: DeploymentSettings = {
  image: 'registry.example.com/fruits:1.0',
  replicas: 2,
  env: [{ name: 'LOG_LEVEL', value: 'debug' }],
  resources: { limits: { cpu: '1', memory: '512Mi' } },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'dedicated', operator: 'Exists', effect: 'NoSchedule' }],
  affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [] } },
  priorityClassName: 'system-cluster-critical',
  podSecurityContext: { fsGroup: 1000 },
  securityContext: { readOnlyRootFilesystem: false },
  podLabels: { team: 'fruit' },
  podAnnotations: { 'sidecar.istio.io/inject': 'false' },
  imagePullSecrets: [{ name: 'registry' }],
  serviceAccount: { annotations: { 'eks.amazonaws.com/role-arn': 'arn:aws:iam::1:role/fruits' } },
  telemetry: true,
};

const manifests = (deployment?: DeploymentSettings): Manifest[] =>
  manifestsOf({ ...PROJECT, ...(deployment && { deployment }) }, FACTS, { namespace: NAMESPACE });
const find = (all: readonly Manifest[], kind: string): JsonObject =>
  all.find(({ object }) => object.kind === kind)!.object as unknown as JsonObject;

describe('settings of a deployment', () => {
  test('become fields of its objects, laid over what is usual', () => {
    const all = manifests(ALL);
    expect(find(all, 'ServiceAccount')).toMatchObject({ metadata: ALL.serviceAccount });
    expect(find(all, 'Deployment')).toMatchObject({
      spec: {
        replicas: 2,
        selector: { matchLabels: { 'app.kubernetes.io/name': 'fruits' } },
        template: {
          metadata: {
            labels: { 'app.kubernetes.io/name': 'fruits', team: 'fruit' },
            annotations: ALL.podAnnotations,
          },
          spec: {
            nodeSelector: ALL.nodeSelector,
            tolerations: ALL.tolerations,
            affinity: ALL.affinity,
            priorityClassName: 'system-cluster-critical',
            imagePullSecrets: [{ name: 'registry' }],
            securityContext: { fsGroup: 1000, runAsNonRoot: true },
            containers: [
              {
                image: 'registry.example.com/fruits:1.0',
                env: [
                  { name: 'POD_NAMESPACE' },
                  { name: 'POD_NAME' },
                  { name: 'PINTLE_TELEMETRY', value: 'on' },
                  { name: 'LOG_LEVEL', value: 'debug' },
                ],
                resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '10m', memory: '96Mi' } },
                securityContext: { allowPrivilegeEscalation: false, readOnlyRootFilesystem: false },
              },
            ],
          },
        },
      },
    });
  });

  test('take something away with null', () => {
    const settings = { resources: { limits: { memory: null } } } as unknown as DeploymentSettings;
    checkShape(settings);
    const { spec } = find(manifests(settings), 'Deployment') as unknown as {
      spec: { template: { spec: { containers: { resources: object }[] } } };
    };
    expect(spec.template.spec.containers[0]!.resources).toEqual({
      limits: {},
      requests: { cpu: '10m', memory: '96Mi' },
    });
  });

  test('are in the bundle for OLM too', () => {
    const all = manifests(ALL);
    const about = { version: '1.0.0', image: ALL.image! } as Parameters<typeof clusterServiceVersion>[3];
    const { spec } = clusterServiceVersion(PROJECT, FACTS, all, about);
    expect(spec.install).toMatchObject({ spec: { deployments: [{ spec: find(all, 'Deployment').spec }] } });
  });

  test('flags go before them', () => {
    const options = { image: 'fruits:2', replicas: 3 };
    expect(settingsOf({ ...PROJECT, deployment: ALL }, FACTS, options)).toMatchObject(options);
  });

  test.each<[settings: object, expected: string]>([
    [{ tolerations: 'all' }, 'deployment.tolerations: '],
    [{ tolerations: [{ operator: 'Some' }] }, 'deployment.tolerations[0].operator: Unsupported value: "Some"'],
    [{ env: [{ value: 'x' }] }, 'deployment.env[0].name: Required value'],
    [{ env: [{ name: 'POD_NAME', value: 'x' }] }, 'deployment.env[0].name: POD_NAME is always set by pintle'],
    [{ env: [{ name: 'PINTLE_TELEMETRY' }] }, 'deployment.env[0].name: PINTLE_TELEMETRY is always set by pintle'],
    [{ telemetry: 'on' }, 'deployment.telemetry: '],
    [{ resources: { request: {} } }, 'deployment.resources.request: unknown setting'],
    [{ resources: { limits: { memory: '12Xi' } } }, 'deployment.resources.limits.memory: it is not a quantity'],
    [{ colour: 'red' }, 'deployment.colour: unknown setting'],
    [{ replicas: -1 }, 'deployment.replicas: '],
    [{ podLabels: { team: 1 } }, 'deployment.podLabels.team: '],
    [{ serviceAccount: { annotation: {} } }, 'deployment.serviceAccount.annotation: unknown setting'],
  ])('%j is refused where it stands', (settings, expected) => {
    const check = () => checkShape(settings as DeploymentSettings);
    expect(check).toThrow(`Cannot use the settings in pintle.json: ${expected}`);
  });

  test.each<[settings: object, expected: string]>([
    [{ env: [{ name: 'A B=', value: 'x' }] }, 'deployment.env[0].name: Invalid value'],
    [{ podLabels: { 'app.kubernetes.io/name': 'other' } }, 'deployment.podLabels: Invalid value'],
    [{ nodeSelector: { 'not a key': 'x' } }, 'deployment.nodeSelector'],
    [{ priorityClassName: 'Not_A_Name' }, 'deployment.priorityClassName: Invalid value'],
    [{ securityContext: { runAsUser: -1 } }, 'deployment.securityContext.runAsUser: Invalid value'],
  ])('%j is refused as a server would refuse it', async (settings, expected) => {
    checkShape(settings as DeploymentSettings);
    await expect(checkDeployment(find(manifests(settings as DeploymentSettings), 'Deployment'))).rejects.toThrow(
      expected,
    );
  });

  test('that are good are taken', async () => {
    checkShape(ALL);
    await checkDeployment(find(manifests(ALL), 'Deployment'));
    await checkDeployment(find(manifests(), 'Deployment'));
  });
});

describe('the chart', () => {
  const chart = (deployment: DeploymentSettings = {}) => {
    const project = { ...PROJECT, deployment };
    return helmFiles(project, FACTS, { namespace: NAMESPACE });
  };
  const valuesOf = (files: Record<string, string>) => parseYaml(files['chart/fruits/values.yaml']!) as JsonObject;
  const rendered = (files: Record<string, string>, values: JsonObject, namespace = NAMESPACE): JsonObject[] =>
    Object.entries(files)
      .filter(([path]) => path.includes('/templates/'))
      .map(([, text]) => parseYaml(render(text, { Values: values, Release: { Namespace: namespace } })) as JsonObject)
      .filter((object) => object !== null);
  const ofKind = (objects: readonly JsonObject[], kind: string) => objects.find((each) => each.kind === kind);

  test.each([['no settings', {}] as const, ['all settings', ALL] as const])(
    'gives the same objects as everything else, with %s',
    (_, settings) => {
      const files = chart(settings);
      const objects = rendered(files, valuesOf(files));
      for (const kind of ['Deployment', 'ServiceAccount', 'NetworkPolicy'])
        expect(ofKind(objects, kind)).toEqual(find(manifests(settings), kind));
    },
  );

  test('has values of the same names', () => {
    const files = chart();
    for (const name of Object.keys(ALL)) expect(valuesOf(files)).toHaveProperty(name);
    const values = { ...valuesOf(files), ...(ALL as unknown as JsonObject) };
    values.resources = { limits: { cpu: '1' } };
    expect(ofKind(rendered(files, values), 'Deployment')).toMatchObject({
      spec: { template: { spec: { containers: [{ resources: { limits: { cpu: '1' } } }] } } },
    });
  });

  const RULE = { nonResourceURLs: ['/console/reports', '/console/reports/*'], verbs: ['post'] };
  const CONTROLLED = { ...FACTS, controlled: ['fruits.example.com'] };
  const REPORTING = { ...FACTS, sources: { ...FACTS.sources, hasTelemetry: true } };

  test.each<[string, OperatorFacts, DeploymentSettings, namespaced: boolean, isOn: boolean]>([
    ['nothing is said', CONTROLLED, {}, false, false],
    ['the sources have it', REPORTING, {}, false, true],
    ['the settings have it', CONTROLLED, { telemetry: true }, false, true],
    ['the settings refuse it', REPORTING, { telemetry: false }, false, false],
    ['a namespaced operator has it', FACTS, { telemetry: true }, true, true],
  ])('lets the operator report when %s, or by its value', (_, facts, deployment, namespaced, isOn) => {
    const project = { ...PROJECT, namespaced, deployment };
    const all = manifestsOf(project, facts, { namespace: NAMESPACE });
    const files = helmFiles(project, facts, { namespace: NAMESPACE });
    const rules = (object: JsonObject | undefined) => (object?.rules ?? []) as JsonObject[];
    const allowed = (objects: readonly JsonObject[]) =>
      objects.filter(({ kind }) => kind === 'ClusterRole').flatMap((object) => rules(object).filter(isReporting));
    const isReporting = ({ nonResourceURLs }: JsonObject) => nonResourceURLs !== undefined;
    const told = (objects: readonly JsonObject[]) =>
      /"name":"PINTLE_TELEMETRY","value":"(\w+)"/.exec(JSON.stringify(ofKind(objects, 'Deployment')))?.[1];
    const plain = all.map(({ object }) => object as unknown as JsonObject);
    expect([allowed(plain), told(plain)]).toEqual([isOn ? [RULE] : [], isOn ? 'on' : 'off']);
    const values = valuesOf(files);
    expect(values.telemetry).toBe(isOn);
    for (const telemetry of [isOn, !isOn]) {
      const objects = rendered(files, { ...values, telemetry });
      expect([allowed(objects), told(objects)]).toEqual([telemetry ? [RULE] : [], telemetry ? 'on' : 'off']);
      expect(ofKind(objects, 'ClusterRoleBinding') !== undefined).toBe(ofKind(objects, 'ClusterRole') !== undefined);
    }
    for (const kind of ['ClusterRole', 'ClusterRoleBinding'])
      expect(ofKind(rendered(files, values), kind)).toEqual(ofKind(plain, kind));
  });

  test('brings definitions that can be upgraded, and are kept when it goes', () => {
    const files = chart();
    expect(Object.keys(files).filter((path) => path.includes('/crds/'))).toEqual([]);
    const values = valuesOf(files);
    const definition = ofKind(rendered(files, values, 'elsewhere'), 'CustomResourceDefinition');
    const spec = structuredClone(DEFINITION.spec) as unknown as typeof DEFINITION.spec;
    spec.conversion!.webhook!.clientConfig!.service!.namespace = 'elsewhere';
    expect(definition).toEqual({
      ...DEFINITION,
      metadata: { name: 'fruits.example.com', annotations: { 'helm.sh/resource-policy': 'keep' } },
      spec,
    });
    const without = rendered(files, { ...values, crds: { install: false } });
    expect(ofKind(without, 'CustomResourceDefinition')).toBeUndefined();
  });
});

/** Does what Helm does with the few expressions that our templates have. */
function render(template: string, data: JsonObject): string {
  const lines: string[] = [];
  const blocks: { readonly isShown: boolean; readonly dot: JsonValue }[] = [{ isShown: true, dot: data }];
  const at = (path: string): JsonValue =>
    path
      .split('.')
      .filter((part) => part !== '')
      .reduce<JsonValue>((value, part) => (value as JsonObject)[part]!, path === '.' ? blocks.at(-1)!.dot : data);
  for (const line of template.split('\n')) {
    const [, word, path = ''] = /^\s*\{\{- (with|if|end) ?(\S*) \}\}$/.exec(line) ?? [];
    if (word === 'end') blocks.pop();
    else if (word !== undefined) blocks.push({ isShown: blocks.at(-1)!.isShown && isTrue(at(path)), dot: at(path) });
    else if (blocks.at(-1)!.isShown)
      lines.push(
        line
          .replace(/^\s*\{\{- toYaml (\S+) \| nindent (\d+) \}\}$/, (_, path: string, depth: string) =>
            stringifyYaml(at(path))
              .trimEnd()
              .replace(/^/gm, ' '.repeat(Number(depth))),
          )
          .replace(/\{\{ ternary "(\w+)" "(\w+)" (\.\S*) \| quote \}\}/, (_, yes: string, no: string, path: string) =>
            JSON.stringify(at(path) === true ? yes : no),
          )
          .replace(/\{\{ "\{\{" \}\}|\{\{ (\.\S*)( \| quote)? \}\}/g, (all, path?: string, quoted?: string) =>
            path === undefined ? all.slice(4, -4) : quoted ? JSON.stringify(at(path)) : String(at(path)),
          ),
      );
  }
  return lines.join('\n');
}

function isTrue(value: JsonValue): boolean {
  return typeof value === 'object' ? Object.keys(value ?? {}).length > 0 : Boolean(value);
}
