import { stringifyYaml } from '@pintle/machinery/yaml';

interface KubeconfigFacts {
  readonly server: string;
  /** CA of the server's certificate, in PEM. */
  readonly authority: string;
  readonly user: string;
  /** Client certificate of the user, in PEM. */
  readonly certificate: string;
  readonly privateKey: string;
}

/** Returns a kubeconfig with one context. */
export function kubeconfigOf({ server, authority, user, certificate, privateKey }: KubeconfigFacts): string {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  return stringifyYaml({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'pintle',
    clusters: [{ name: 'pintle', cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [
      {
        name: user,
        user: { 'client-certificate-data': base64(certificate), 'client-key-data': base64(privateKey) },
      },
    ],
    contexts: [{ name: 'pintle', context: { cluster: 'pintle', user } }],
  });
}
