import type { Configuration } from '@pintle/client';
import type { Deployment } from '@pintle/kinds/apps/v1';
import type { ConfigMap, Service } from '@pintle/kinds/core/v1';
import { DEFAULT_VIEWER_IMAGE, type MarkdownView, type Phase } from './markdown-view.ts';

const PORT = 3000;

export function configMapOf({ metadata: { name }, spec }: MarkdownView): Configuration<ConfigMap> {
  return { metadata: { name: `markdowns-${name}` }, data: spec.markdowns };
}

export function deploymentOf({ metadata: { name }, spec }: MarkdownView): Configuration<Deployment> {
  const labels = labelsOf(name);
  const probe = { httpGet: { path: '/', port: 'http' } };
  return {
    metadata: { name: `viewer-${name}`, labels },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: {
        metadata: { labels },
        spec: {
          containers: [
            {
              name: 'viewer',
              image: spec.viewerImage ?? DEFAULT_VIEWER_IMAGE,
              command: ['mdbook'],
              args: ['serve', '--hostname', '0.0.0.0'],
              ports: [{ name: 'http', containerPort: PORT, protocol: 'TCP' }],
              volumeMounts: [{ name: 'markdowns', mountPath: '/book/src' }],
              livenessProbe: probe,
              readinessProbe: probe,
            },
          ],
          volumes: [{ name: 'markdowns', configMap: { name: `markdowns-${name}` } }],
        },
      },
    },
  };
}

export function serviceOf({ metadata: { name } }: MarkdownView): Configuration<Service> {
  const labels = labelsOf(name);
  return {
    metadata: { name: `viewer-${name}`, labels },
    spec: {
      type: 'ClusterIP',
      selector: labels,
      ports: [{ name: 'http', protocol: 'TCP', port: 80, targetPort: 'http' }],
    },
  };
}

/** Returns the phase of a view. The status of an older generation of the Deployment counts too: its viewers still run. */
export function phaseOf({ spec }: MarkdownView, { status }: Pick<Deployment, 'status'>): Phase {
  const available = status?.availableReplicas ?? 0;
  if (available === 0) return 'NotReady';
  return available >= spec.replicas ? 'Healthy' : 'Available';
}

function labelsOf(name = ''): Record<string, string> {
  return {
    'app.kubernetes.io/name': 'mdbook',
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/created-by': 'markdown-view',
  };
}
