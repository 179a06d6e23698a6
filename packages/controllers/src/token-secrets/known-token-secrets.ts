import type { CacheReader } from '@pintle/client';
import { defineIndex } from '@pintle/client';
import { Secret } from '@pintle/kinds/core/v1';
import type { Manager } from '@pintle/operator';
import { identityMetadata } from '../common/identity-metadata.ts';

export const TOKEN_TYPE = 'kubernetes.io/service-account-token';
export const ACCOUNT_NAME = 'kubernetes.io/service-account.name';
export const ACCOUNT_UID = 'kubernetes.io/service-account.uid';

/** Longest name of an object. */
const MAX_NAME_LENGTH = 253;
/** Stands for names that no account can have; no account has this one either. */
const IMPOSSIBLE_NAME = '-';

/**
 * Informer of all Secrets with tokens that holds their names and whose they are. A Secret may have a
 * megabyte: controllers read a whole one from the server when they work on it.
 */
export const TOKEN_SECRETS = {
  fieldSelector: `type=${TOKEN_TYPE}`,
  isMetadataOnly: true,
  transform: accountMetadata,
} as const;

export const TOKEN_SECRETS_BY_ACCOUNT = defineIndex(Secret, ({ metadata: { namespace, annotations } }) => {
  const name = annotations?.[ACCOUNT_NAME];
  return name ? [`${namespace}/${name}`] : [];
});

/** Returns the cached Secrets, without their content. Call while a controller watches `TOKEN_SECRETS`. */
export function knownTokenSecrets({ informers }: Manager): CacheReader<Secret> {
  using shared = informers.share(Secret, TOKEN_SECRETS);
  return shared.informer.cache;
}

function accountMetadata(secret: Secret): Secret {
  const { annotations = {} } = secret.metadata;
  const [name = '', uid = ''] = [annotations[ACCOUNT_NAME], annotations[ACCOUNT_UID]];
  const identity = identityMetadata(secret);
  return {
    ...identity,
    metadata: {
      ...identity.metadata,
      annotations: { [ACCOUNT_NAME]: possible(name), [ACCOUNT_UID]: possible(uid) },
    },
  };
}

function possible(text: string): string {
  return text.length > MAX_NAME_LENGTH ? IMPOSSIBLE_NAME : text;
}
