import type { WebhookClient } from '@pintle/apiserver/webhook';
import type { Random } from '@pintle/async';
import type { CustomResourceDefinition } from '@pintle/kinds/apiextensions/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { WebhookConverter } from './webhook-converter.ts';

/** Converts custom objects between versions of their definition. */
export interface Converter {
  /** True when only the apiVersion changes. */
  readonly onlyRenames: boolean;
  /**
   * Returns the objects in `apiVersion`, in the order given. Those that have it already are returned as they are;
   * others may be changed in place. Rejects when one of them cannot be converted.
   */
  convertAll(objects: readonly KubernetesObject[], apiVersion: string): Promise<KubernetesObject[]>;
}

export function converterOf(
  { spec }: CustomResourceDefinition,
  { webhooks, random }: { readonly webhooks: WebhookClient; readonly random: Random },
): Converter {
  const { conversion } = spec;
  return conversion?.strategy === 'Webhook' ? new WebhookConverter(conversion.webhook, webhooks, random) : renaming;
}

/** Strategy `None`. */
export const renaming: Converter = {
  onlyRenames: true,
  convertAll: async (objects, apiVersion) => {
    for (const object of objects) object.apiVersion = apiVersion;
    return [...objects];
  },
};
