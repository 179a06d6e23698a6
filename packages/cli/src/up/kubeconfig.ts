import { chmod, mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Credentials } from './credentials.ts';

/** Writes a kubeconfig whose one context is this server's administrator. The file is for its owner alone. */
export async function writeKubeconfig(
  path: string,
  { server, credentials }: { readonly server: string; readonly credentials: Credentials },
): Promise<void> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const lines = [
    'apiVersion: v1',
    'kind: Config',
    'current-context: pintle',
    'clusters:',
    '- name: pintle',
    '  cluster:',
    `    server: ${server}`,
    `    certificate-authority-data: ${base64(credentials.authority)}`,
    'contexts:',
    '- name: pintle',
    '  context:',
    '    cluster: pintle',
    '    user: kubernetes-admin',
    'users:',
    '- name: kubernetes-admin',
    '  user:',
    `    client-certificate-data: ${base64(credentials.admin.certificate)}`,
    `    client-key-data: ${base64(credentials.admin.privateKey)}`,
    '',
  ];
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, lines.join('\n'), { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
}
