export { parseEncryptionConfig } from './encryption-config.ts';
export { ValueEncryption } from './value-encryption.ts';
