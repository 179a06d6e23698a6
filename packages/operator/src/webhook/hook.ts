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

/** Options of a webhook in its configuration. */
export interface HookOptions {
  /** Default: `/mutate-` or `/validate-`, followed by the group with dashes, the version and the kind. */
  readonly path?: string;
  /** Treatment of requests when the webhook does not respond. Default: Fail. */
  readonly failurePolicy?: 'Fail' | 'Ignore';
  /** Default: 10. */
  readonly timeoutSeconds?: number;
  /** Namespaces of the objects. A webhook for objects that its own pods need should exclude its own namespace. */
  readonly namespaceSelector?: LabelSelector;
  readonly objectSelector?: LabelSelector;
  /** CEL expressions that must all be true. */
  readonly matchConditions?: readonly MatchCondition[];
  /** Equivalent includes objects of other versions, converted. Default: Equivalent. */
  readonly matchPolicy?: 'Equivalent' | 'Exact';
  /** Default: None. */
  readonly sideEffects?: 'None' | 'NoneOnDryRun';
  /** For mutating webhooks: IfNeeded calls it again after another one has changed the object. Default: Never. */
  readonly reinvocationPolicy?: 'IfNeeded' | 'Never';
}

/** Options of a webhook for any resources, by rules. */
export interface RawHookOptions extends HookOptions {
  readonly path: string;
  /** At least three labels separated by dots: `images.policy.example.com`. */
  readonly name: string;
  readonly rules: readonly RuleWithOperations[];
}

/** Entry of a webhook configuration, and its handler. */
export interface Hook {
  readonly kind: 'Mutating' | 'Validating';
  readonly name: string;
  readonly path: string;
  readonly rules: readonly RuleWithOperations[];
  readonly options: HookOptions;
  readonly handler: AdmissionHandler;
}

/** Returns the default path and name of a webhook for a kind. */
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

/** Returns the entry for the webhook configuration. */
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
