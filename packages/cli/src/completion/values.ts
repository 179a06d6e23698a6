import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { Candidate } from './completions.ts';

interface KnownResource {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
}

/** Returns the values of an option from the project in this folder or the kubeconfig; none when they cannot be read. */
export async function valuesHere(command: Command, option: string): Promise<readonly Candidate[]> {
  try {
    return await valuesOf(command.name(), option);
  } catch {
    return [];
  }
}

async function valuesOf(command: string, option: string): Promise<readonly Candidate[]> {
  switch (option) {
    case '--kind':
      return known(
        ({ kind }) => kind,
        ({ group, version }) => `${group}/${version}`,
      );
    case '--group':
      return known(
        ({ group }) => group,
        () => 'API group of this project',
      );
    case '--version':
      return command === 'api'
        ? ['v1alpha1', 'v1beta1', 'v1'].map((value) => ({ value }))
        : known(({ version }) => version);
    case '--context':
      return await contexts();
    case '--for':
      return await builtinKinds();
    default:
      return [];
  }
}

function known(
  value: (resource: KnownResource) => string | undefined,
  about: (resource: KnownResource) => string = () => '',
): Candidate[] {
  const { resources } = JSON.parse(readFileSync('pintle.json', 'utf8')) as { resources: KnownResource[] };
  const found = resources.map((resource) => [value(resource) ?? '', about(resource)] as const);
  return [...new Map(found)].filter(([name]) => name !== '').map(([name, text]) => ({ value: name, about: text }));
}

async function contexts(): Promise<Candidate[]> {
  const { loadKubeconfig } = await import('@pintle/client');
  const { kubeconfig } = await loadKubeconfig();
  return [...kubeconfig.contexts.keys()].map((value) => ({ value }));
}

async function builtinKinds(): Promise<Candidate[]> {
  const { builtinGroups } = await import('@pintle/kinds/discovery');
  return builtinGroups.flatMap(({ group, versions }) =>
    versions.flatMap(({ version, resources }) =>
      resources.map(({ responseKind }) => ({
        value: `${group === '' ? 'core' : group}/${version}/${responseKind.kind}`,
      })),
    ),
  );
}
