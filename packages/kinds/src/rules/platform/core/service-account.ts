import type { ResourceRules } from '@pintle/machinery/rules';
import type { ServiceAccount } from '../../../generated/core/v1.ts';
import { nameAndAge } from '../../common/printers.ts';

const mountableSecretsAnnotation = 'kubernetes.io/enforce-mountable-secrets';

export const serviceAccountRules: ResourceRules<ServiceAccount> = {
  metadataChecks: ['update', 'create'],
  returnsDeletedObject: true,
  prepareForCreate: keepNamesOfSecrets,
  prepareForUpdate: keepNamesOfSecrets,
  warnings: (next, previous) =>
    hasOutdatedAnnotation(next) && !(previous && hasOutdatedAnnotation(previous))
      ? [
          `metadata.annotations[${mountableSecretsAnnotation}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`,
        ]
      : [],
  printer: nameAndAge,
};

function hasOutdatedAnnotation({ metadata }: ServiceAccount): boolean {
  return Object.hasOwn(metadata.annotations ?? {}, mountableSecretsAnnotation);
}

/** Keeps only the names: secrets are in the account's namespace. */
function keepNamesOfSecrets(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => (name ? { name } : {}));
}
