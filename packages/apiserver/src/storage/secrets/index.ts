export { checkSecretKeys, hasSealedSecrets, resealSecrets, writeKeyCheck } from './reseal.ts';
export type { SecretKey, SecretKeys } from './secret-keys.ts';
export { createSecretKey, parseSecretKeys, printSecretKeys } from './secret-keys.ts';
export { SecretSeal } from './secret-seal.ts';
