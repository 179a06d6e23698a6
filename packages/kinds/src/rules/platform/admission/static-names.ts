import type { KubernetesObject } from '@pintle/machinery';
import type { ResourceRules } from '@pintle/machinery/rules';

const reservedSuffix = '.static.k8s.io';

/** Names for what a server is configured with from files; what the API holds should not look like that. */
export function staticNameWarnings({ metadata }: KubernetesObject): string[] {
  if (!metadata.name?.endsWith(reservedSuffix)) return [];
  return [
    `metadata.name: names ending with "${reservedSuffix}" are reserved for static manifest-based configurations and cannot be managed via the API`,
  ];
}

/** What policies and their bindings have alike, those that validate and those that change. */
export const policyRules = {
  metadataChecks: ['create'],
  takesAnyFinalizer: true,
  warnings: staticNameWarnings,
  unconditionalUpdate: false,
  tracksGeneration: true,
} as const satisfies ResourceRules;
