export { parseEncryptionConfig, ValueEncryption } from './encryption/index.ts';
export type { KubernetesLayoutOptions } from './kubernetes-layout.ts';
export { KubernetesLayout } from './kubernetes-layout.ts';
