import type { KubernetesObject } from '@pintle/machinery';

/** Which object to look after. */
export interface Request {
  readonly namespace?: string | undefined;
  readonly name: string;
}

export function requestOf({ metadata: { namespace, name = '' } }: KubernetesObject): Request {
  return { ...(namespace && { namespace }), name };
}

export function requestKey({ namespace, name }: Request): string {
  return namespace ? `${namespace}/${name}` : name;
}
