import type { ValidatingWebhook } from '@pintle/kinds/admissionregistration/v1';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { PolicyRule } from '@pintle/kinds/rbac/v1';
import type { JsonObject } from '@pintle/machinery/json';
import type { Manifest } from '../manifests/objects.ts';
import type { OperatorFacts } from '../operator/load-operator.ts';
import { operatorRoles } from '../operator/operator-roles.ts';
import type { Project } from '../project/project.ts';
import { exampleOf } from './example.ts';

/** Metadata of the operator in a catalog. */
export interface BundleAbout {
  /** Semantic version of the operator. */
  readonly version: string;
  readonly image: string;
  readonly displayName: string;
  readonly description: string;
  readonly provider: string;
  readonly maintainers: readonly { readonly name: string; readonly email: string }[];
  readonly keywords: readonly string[];
  readonly links: readonly { readonly name: string; readonly url: string }[];
  readonly maturity: string;
  readonly minKubeVersion: string;
  /** Version that this one replaces. */
  readonly replaces?: string;
}

/** The fields of a ClusterServiceVersion that are read again here. */
interface ClusterServiceVersion {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly spec: { readonly installModes: readonly InstallMode[] } & Readonly<Record<string, unknown>>;
}

interface InstallMode {
  readonly type: string;
  readonly supported: boolean;
}

/** Folder in which OLM puts the certificates of webhooks. */
const CERTIFICATES = '/tmp/k8s-webhook-server/serving-certs';
const WEBHOOK_PORT = 9443;

/** Returns the ClusterServiceVersion, with which the Operator Lifecycle Manager (OLM) installs the operator. */
export function clusterServiceVersion(
  project: Project,
  facts: OperatorFacts,
  manifests: readonly Manifest[],
  about: BundleAbout,
): ClusterServiceVersion {
  const { name } = project;
  const { version, replaces, image } = about;
  return {
    apiVersion: 'operators.coreos.com/v1alpha1',
    kind: 'ClusterServiceVersion',
    metadata: {
      name: `${name}.v${version}`,
      annotations: {
        'alm-examples': JSON.stringify(examples(facts.definitions), null, 2),
        capabilities: 'Basic Install',
        containerImage: image,
        'operators.operatorframework.io/builder': 'pintle',
      },
    },
    spec: {
      customresourcedefinitions: { owned: facts.definitions.flatMap(ownedBy) },
      description: about.description,
      displayName: about.displayName,
      install: { strategy: 'deployment', spec: installOf(project, facts, manifests) },
      installModes: installModes(project),
      keywords: about.keywords,
      links: about.links,
      maintainers: about.maintainers,
      maturity: about.maturity,
      minKubeVersion: about.minKubeVersion,
      provider: { name: about.provider },
      relatedImages: [{ name: 'operator', image }],
      ...(replaces !== undefined && { replaces: `${name}.v${replaces}` }),
      version,
      ...(facts.webhooks !== undefined && { webhookdefinitions: webhooksOf(name, facts) }),
    },
  };
}

function examples(definitions: readonly CustomResourceDefinition[]): JsonObject[] {
  return definitions.map((definition) => {
    const { versions } = definition.spec;
    return exampleOf(definition, (versions.find(({ storage }) => storage) ?? versions[0]!).name);
  });
}

function ownedBy({ metadata, spec }: CustomResourceDefinition): object[] {
  const { kind } = spec.names;
  return spec.versions
    .filter(({ served }) => served)
    .map(({ name: version, schema }) => ({
      name: metadata.name,
      version,
      kind,
      displayName: kind.replace(/(?<=[a-z0-9])(?=[A-Z])/g, ' '),
      description: schema?.openAPIV3Schema?.description ?? `${kind} is managed by this operator.`,
    }));
}

function installOf(project: Project, facts: OperatorFacts, manifests: readonly Manifest[]): object {
  const { name } = project;
  const { cluster, own } = operatorRoles(facts, project);
  const allow = (rules: readonly PolicyRule[]) => (rules.length === 0 ? [] : [{ serviceAccountName: name, rules }]);
  const { object } = manifests.find(({ object: { kind } }) => kind === 'Deployment')!;
  return {
    clusterPermissions: allow(cluster),
    deployments: [
      {
        name,
        label: object.metadata.labels,
        spec: facts.webhooks === undefined ? object.spec : withCertificates(object.spec),
      },
    ],
    permissions: allow(own),
  };
}

interface DeploymentSpec {
  readonly template: { readonly spec: { readonly containers: readonly { readonly env?: readonly object[] }[] } };
}

/** Adds the path of the webhook certificates, which OLM creates; it also registers the webhooks. */
function withCertificates(given: unknown): object {
  const spec = given as DeploymentSpec;
  const containers = spec.template.spec.containers.map((container) => ({
    ...container,
    env: [...(container.env ?? []), { name: 'WEBHOOK_CERTIFICATES', value: CERTIFICATES }],
  }));
  return { ...spec, template: { ...spec.template, spec: { ...spec.template.spec, containers } } };
}

/** CRDs and their conversion are cluster-wide: an operator is installed once, for all namespaces or for its own. */
function installModes({ namespaced }: Project): InstallMode[] {
  const supported = (type: string): boolean => (namespaced ? type === 'OwnNamespace' : type === 'AllNamespaces');
  const types = ['OwnNamespace', 'SingleNamespace', 'MultiNamespace', 'AllNamespaces'];
  return types.map((type) => ({ type, supported: supported(type) }));
}

function webhooksOf(name: string, { webhooks, converted }: OperatorFacts): object[] {
  const common = {
    admissionReviewVersions: ['v1'],
    containerPort: 443,
    deploymentName: name,
    targetPort: WEBHOOK_PORT,
  };
  const admission = (type: string, hooks: readonly ValidatingWebhook[] = []): object[] =>
    hooks.map(({ name: generateName, clientConfig, ...rest }) => ({
      ...common,
      ...rest,
      type,
      generateName,
      webhookPath: clientConfig.service?.path ?? '/',
    }));
  const conversion = {
    ...common,
    type: 'ConversionWebhook',
    generateName: `convert.${name}`,
    conversionCRDs: converted,
    sideEffects: 'None',
    webhookPath: '/convert',
  };
  return [
    ...admission('MutatingAdmissionWebhook', webhooks?.mutating.webhooks),
    ...admission('ValidatingAdmissionWebhook', webhooks?.validating.webhooks),
    ...(converted.length === 0 ? [] : [conversion]),
  ];
}
