import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '@pintle/kinds/admissionregistration/v1';
import type { CompiledLabelSelector } from '@pintle/machinery/selectors';
import { compileLabelSelector } from '@pintle/machinery/selectors';
import type { WebhookClientConfig } from '../../webhook/index.ts';
import type { AdmissionRule } from '../matching/rules.ts';

export type Configuration = MutatingWebhookConfiguration | ValidatingWebhookConfiguration;

export type ReviewVersion = 'v1' | 'v1beta1';

/** A webhook of a configuration, with defaults and compiled selectors. */
export interface Hook {
  readonly configuration: string;
  readonly name: string;
  readonly rules: readonly AdmissionRule[];
  /** Also called for other versions of the resource than the rules name (`matchPolicy: Equivalent`). */
  readonly takesEquivalents: boolean;
  readonly namespaceSelector: CompiledLabelSelector;
  readonly objectSelector: CompiledLabelSelector;
  readonly conditions: readonly { readonly expression: string }[];
  readonly ignoresFailures: boolean;
  readonly allowsReinvocation: boolean;
  /** The webhook has no side effects on a dry run. */
  readonly allowsDryRun: boolean;
  readonly timeoutMs: number;
  readonly reviewVersion: ReviewVersion;
  readonly clientConfig: WebhookClientConfig;
}

/** Returns all webhooks in the order of their calls: by the name of the configuration, then by position. */
export function hooksOf(configurations: readonly Configuration[]): Hook[] {
  const byName = [...configurations].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
  return byName.flatMap((configuration) =>
    (configuration.webhooks ?? []).map((webhook) => hookOf(nameOf(configuration), webhook)),
  );
}

function nameOf({ metadata }: Configuration): string {
  return metadata.name ?? '';
}

const DEFAULT_TIMEOUT_SECONDS = 10;
const KNOWN_VERSIONS: readonly string[] = ['v1', 'v1beta1'];

function hookOf(configuration: string, webhook: MutatingWebhook | ValidatingWebhook): Hook {
  return {
    configuration,
    name: webhook.name,
    rules: webhook.rules ?? [],
    takesEquivalents: webhook.matchPolicy !== 'Exact',
    namespaceSelector: compileLabelSelector(webhook.namespaceSelector ?? {}),
    objectSelector: compileLabelSelector(webhook.objectSelector ?? {}),
    conditions: webhook.matchConditions ?? [],
    ignoresFailures: webhook.failurePolicy === 'Ignore',
    allowsReinvocation: 'reinvocationPolicy' in webhook && webhook.reinvocationPolicy === 'IfNeeded',
    allowsDryRun: webhook.sideEffects === 'None' || webhook.sideEffects === 'NoneOnDryRun',
    timeoutMs: (webhook.timeoutSeconds ?? DEFAULT_TIMEOUT_SECONDS) * 1000,
    reviewVersion: (webhook.admissionReviewVersions.find((version) => KNOWN_VERSIONS.includes(version)) ??
      'v1') as ReviewVersion,
    clientConfig: webhook.clientConfig as WebhookClientConfig,
  };
}

/** A webhook without a valid response. Its `failurePolicy` decides whether the request goes on. */
export class HookFailure extends Error {
  override readonly name = 'HookFailure';

  constructor(hook: string, why: string, options?: ErrorOptions) {
    super(`failed calling webhook ${JSON.stringify(hook)}: ${why}`, options);
  }
}
