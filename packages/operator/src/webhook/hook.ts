import type {
  MatchCondition,
  MutatingWebhook,
  RuleWithOperations,
  ValidatingWebhook,
  WebhookClientConfig,
} from '@pintle/kinds/admissionregistration/v1';
import type { LabelSelector } from '@pintle/kinds/meta/v1';
import type { ResourceType } from '@pintle/machinery';
import type { AdmissionHandler, Operation } from './admission.ts';

/** When the server asks, and what it does without an answer. */
export interface HookOptions {
  /** Default: `/mutate-` or `/validate-`, the group with dashes, the version and the kind. */
  readonly path?: string;
  /** Without an answer the request fails, or goes on. Default: Fail. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** Default: 10. */
  readonly timeoutSeconds?: number;
  /** Objects of these namespaces only. A webhook about what its own pods need should leave out its own namespace. */
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** In CEL; all must be true. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Equivalent: objects of other versions come too, converted. Default: Equivalent. */
  readonly matchPolicy?: 'Equivalent' | 'Exact';
  /** Default: None. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** Of mutating webhooks: whether to ask again when another has changed the object. Default: Never. */
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never';
}

/** A webhook of any kind: what it is asked about is said in rules. */
export interface RawHookOptions extends HookOptions {
  readonly path: string;
  /** Three labels with dots, at least: `images.policy.example.com`. */
  readonly name: string;
  readonly rules: readonly RuleWithOperations[];
}

/** One entry of a webhook configuration, and who answers. */
export interface Hook {
  readonly kind: 'Mutating' | 'Validating';
  readonly name: string;
  readonly path: string;
  readonly rules: readonly RuleWithOperations[];
  readonly options: HookOptions;
  readonly handler: AdmissionHandler;
}

/** What a webhook about a kind is called. */
export function hookNames(
  kind: Hook['kind'],
  { group, version, kind: type, plural }: ResourceType,
): { readonly path: string; readonly name: string } {
  const [path, name] = kind === 'Mutating' ? ['mutate', 'default'] : ['validate', 'validate'];
  return {
    path: `/${path}-${group.replaceAll('.', '-')}-${version}-${type.toLowerCase()}`,
    name: `${name}.${version}.${plural}.${group || 'core'}`,
  };
}

export function ruleFor(type: ResourceType, operations: readonly Operation[]): RuleWithOperations {
  const { group, version, plural, scope } = type;
  return { apiGroups: [group], apiVersions: [version], resources: [plural], operations: [...operations], scope };
}

/** The entry as the server is told it. */
export function describeHook(hook: Hook, clientConfig: WebhookClientConfig): MutatingWebhook & ValidatingWebhook {
  const { path: _path, matchConditions, reinvocationPolicy, ...options } = hook.options;
  return {
    name: hook.name,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    timeoutSeconds: 10,
    ...options,
    ...(matchConditions && { matchConditions: [...matchConditions] }),
    ...(hook.kind === 'Mutating' && reinvocationPolicy && { reinvocationPolicy }),
    rules: [...hook.rules],
    clientConfig,
  };
}
