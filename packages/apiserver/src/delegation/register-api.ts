import type { ClusterTransport } from './cluster.ts';
import { requestCluster } from './cluster.ts';

export interface ApiRegistration {
  readonly group: string;
  readonly version: string;
  /** The service in the cluster that points to this server. Default port: 443. */
  readonly service: { readonly namespace: string; readonly name: string; readonly port?: number };
  /** PEM certificate of the authority that signed this server's certificate. */
  readonly authority: string;
  /** Default 1000. */
  readonly groupPriorityMinimum?: number;
  /** Default 15. */
  readonly versionPriority?: number;
}

/** Registers an API with the cluster by an APIService. The caller creates the Service. */
export async function registerApi(cluster: ClusterTransport, registration: ApiRegistration): Promise<void> {
  const { group, version, service, authority, groupPriorityMinimum = 1_000, versionPriority = 15 } = registration;
  const name = `${version}.${group}`;
  const caBundle = Buffer.from(authority).toString('base64');
  const spec = { group, version, groupPriorityMinimum, versionPriority, service: { ...service }, caBundle };
  const { status, body } = await requestCluster(
    cluster,
    'PATCH',
    `/apis/apiregistration.k8s.io/v1/apiservices/${name}`,
    {
      body: { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata: { name }, spec },
      query: 'fieldManager=pintle-apiserver&force=true',
      contentType: 'application/apply-patch+yaml',
    },
  );
  if (status >= 300) throw new Error(`Cannot register ${name}: ${String(body.message ?? status)}`);
}
