import type { KubernetesList, KubernetesObject, ResourceType } from '@pintle/machinery';
import { resourceType } from '@pintle/machinery';
import type { Condition, LabelSelector } from '../meta/v1.ts';

/** A change by a partial object, which is merged as in server-side apply. */
export interface ApplyConfiguration {
  /**
   * An expression in the Common Expression Language that gives the partial object, as `Object{spec:
   * Object.spec{replicas: 3}}`. It must not change atomic lists, maps or structs.
   */
  expression?: string;
}

/** An annotation for the audit event of a request. */
export interface AuditAnnotation {
  /**
   * The name of the annotation, unique in the policy. It has at most 63 characters, and the audit event shows it after
   * the policy's name and a slash.
   */
  key: string;
  /**
   * An expression of at most 5 KiB that gives the value as text, or null for no annotation. A value above 10 KiB is
   * cut.
   */
  valueExpression: string;
}

/** A mistake in an expression. */
export interface ExpressionWarning {
  /** The path of the expression, such as `spec.validations[0].expression`. */
  fieldRef: string;
  /** Says what is wrong with the expression, in text for people. */
  warning: string;
}

/** A change by JSON patch operations. */
export interface JSONPatch {
  /**
   * An expression in the Common Expression Language that gives a list of operations, as `[JSONPatch{op: "add", path:
   * "/spec/paused", value: true}]`.
   */
  expression?: string;
}

/** A condition that a request must fulfil, beyond the rules and selectors. */
export interface MatchCondition {
  /**
   * An expression in the Common Expression Language that gives a boolean. It knows `object`, `oldObject`, `request`,
   * `authorizer` and, in policies, `params`.
   */
  expression: string;
  /** The name of the condition, a qualified name that is unique in its list. */
  name: string;
}

/** Which requests a policy is about. A request must match the selectors and one of the rules. */
export interface MatchResources {
  /** Rules for requests that are left out, even if `resourceRules` include them. */
  excludeResourceRules?: NamedRuleWithOperations[];
  /**
   * Whether a request in another version or group of the same resource matches too.
   * - `Equivalent`: It matches, and the object is converted to the version of the rule.
   * - `Exact`: It does not match.
   * @default "Equivalent"
   */
  matchPolicy?: 'Equivalent' | 'Exact';
  /**
   * Selects the namespaces of the objects by labels, where an empty selector matches all. Namespaces themselves are
   * matched by their own labels; other objects of cluster scope always match.
   */
  namespaceSelector?: LabelSelector;
  /**
   * Selects the objects by labels, where the old or the new one is enough. An empty selector matches all; users who
   * set labels can avoid the policy.
   */
  objectSelector?: LabelSelector;
  /** Rules for requests that are included. One that fits is enough. */
  resourceRules?: NamedRuleWithOperations[];
}

/** Changes objects by expressions, without a webhook. It takes effect where a MutatingAdmissionPolicyBinding binds it. */
export interface MutatingAdmissionPolicy extends KubernetesObject {
  /** Which requests the policy is about, and what it changes. */
  spec?: MutatingAdmissionPolicySpec;
}
export const MutatingAdmissionPolicy: ResourceType<MutatingAdmissionPolicy, 'Cluster'> = /* @__PURE__ */ resourceType<MutatingAdmissionPolicy, 'Cluster'>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingAdmissionPolicy', plural: 'mutatingadmissionpolicies', scope: 'Cluster', categories: ['api-extensions'] });

/** Puts a MutatingAdmissionPolicy into effect, with parameters and for certain requests. */
export interface MutatingAdmissionPolicyBinding extends KubernetesObject {
  /** Which policy is bound, with which parameters, and for which requests. */
  spec?: MutatingAdmissionPolicyBindingSpec;
}
export const MutatingAdmissionPolicyBinding: ResourceType<MutatingAdmissionPolicyBinding, 'Cluster'> = /* @__PURE__ */ resourceType<MutatingAdmissionPolicyBinding, 'Cluster'>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingAdmissionPolicyBinding', plural: 'mutatingadmissionpolicybindings', scope: 'Cluster', categories: ['api-extensions'] });

/** A list of MutatingAdmissionPolicyBindings. */
export type MutatingAdmissionPolicyBindingList = KubernetesList<MutatingAdmissionPolicyBinding>;

/** Which policy is bound, with which parameters, and for which requests. */
export interface MutatingAdmissionPolicyBindingSpec {
  /** Which of the policy's requests the binding is about. Without it, all of them are meant. */
  matchResources?: MatchResources;
  /** The objects that give parameters to the policy. It needs `paramKind` in the policy. */
  paramRef?: ParamRef;
  /** The name of the MutatingAdmissionPolicy. If there is none, the binding has no effect. */
  policyName?: string;
}

/** A list of MutatingAdmissionPolicies. */
export type MutatingAdmissionPolicyList = KubernetesList<MutatingAdmissionPolicy>;

/** Which requests a policy is about, and what it changes. */
export interface MutatingAdmissionPolicySpec {
  /**
   * Says what happens to a request if the policy is misconfigured or an expression fails.
   * - `Fail`: It is refused.
   * - `Ignore`: It continues.
   * @default "Fail"
   */
  failurePolicy?: 'Fail' | 'Ignore';
  /**
   * Conditions that a request must all fulfil for the policy to apply, at most 64. If one fails with an error and none
   * is false, `failurePolicy` decides.
   */
  matchConditions?: MatchCondition[];
  /** Which requests the policy is about. It is required, and its operations must not include `DELETE`. */
  matchConstraints?: MatchResources;
  /** The changes, which are made one after another. At least one is required. */
  mutations?: Mutation[];
  /** The kind of the objects that give parameters to the policy. Without it, `params` is null in expressions. */
  paramKind?: ParamKind;
  /**
   * Whether the policy applies again if a later one changed the object. It is required.
   * - `IfNeeded`: It may apply once more.
   * - `Never`: It applies once for each binding.
   */
  reinvocationPolicy?: 'IfNeeded' | 'Never';
  /** Named expressions that others can use, each also by those that follow it. */
  variables?: Variable[];
}

/** A webhook that can change objects before they are stored. */
export interface MutatingWebhook {
  /**
   * The versions of AdmissionReview that the webhook understands, in its order of preference. The server uses the
   * first that it knows.
   */
  admissionReviewVersions: string[];
  /** Where the webhook is reached. */
  clientConfig: WebhookClientConfig;
  /**
   * Says what happens to the request if the webhook does not answer, or not properly.
   * - `Fail`: It is refused.
   * - `Ignore`: It continues.
   * @default "Fail"
   */
  failurePolicy?: 'Fail' | 'Ignore';
  /**
   * Conditions that a request must all fulfil for the webhook to be called, at most 64. If one fails with an error and
   * none is false, `failurePolicy` decides.
   */
  matchConditions?: MatchCondition[];
  /**
   * Whether the webhook gets requests in other versions or groups of the same resource too.
   * - `Equivalent`: Yes, converted to the version of the rule.
   * - `Exact`: No.
   * @default "Equivalent"
   */
  matchPolicy?: 'Equivalent' | 'Exact';
  /**
   * The full name of the webhook, a domain name with at least three parts such as `check.example.com`. It is unique in
   * its configuration.
   */
  name: string;
  /**
   * Selects the namespaces of the objects by labels, where an empty selector matches all. Namespaces themselves are
   * matched by their own labels; other objects of cluster scope always match.
   */
  namespaceSelector?: LabelSelector;
  /**
   * Selects the objects by labels, where the old or the new one is enough. An empty selector matches all; users who
   * set labels can avoid the webhook.
   */
  objectSelector?: LabelSelector;
  /**
   * Whether the webhook is called again if a later one changed the object.
   * - `IfNeeded`: It may be called once more.
   * - `Never`: It is called once.
   * @default "Never"
   */
  reinvocationPolicy?: 'IfNeeded' | 'Never';
  /**
   * Operations on resources for which the webhook is called, where one that fits is enough. Configurations of webhooks
   * never reach webhooks.
   */
  rules?: RuleWithOperations[];
  /**
   * Whether a call changes anything but its answer. Only `None` and `NoneOnDryRun` are allowed.
   * - `None`: It changes nothing.
   * - `NoneOnDryRun`: It changes nothing if the request is a dry run.
   * - `Some`: It changes something; refused.
   * - `Unknown`: It may change something; refused.
   */
  sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  /**
   * How many seconds the webhook has to answer, 1 to 30. After that `failurePolicy` decides.
   * @default 10
   */
  timeoutSeconds?: number;
}

/** Webhooks that can change objects before they are stored. */
export interface MutatingWebhookConfiguration extends KubernetesObject {
  /** The webhooks. They are called one after another. */
  webhooks?: MutatingWebhook[];
}
export const MutatingWebhookConfiguration: ResourceType<MutatingWebhookConfiguration, 'Cluster'> = /* @__PURE__ */ resourceType<MutatingWebhookConfiguration, 'Cluster'>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'MutatingWebhookConfiguration', plural: 'mutatingwebhookconfigurations', scope: 'Cluster', categories: ['api-extensions'] });

/** A list of MutatingWebhookConfigurations. */
export type MutatingWebhookConfigurationList = KubernetesList<MutatingWebhookConfiguration>;

/** A change that a policy makes to objects. */
export interface Mutation {
  /** A change by a partial object, as in server-side apply. */
  applyConfiguration?: ApplyConfiguration;
  /** A change by a list of JSON patch operations. */
  jsonPatch?: JSONPatch;
  /**
   * The form of the change.
   * - `ApplyConfiguration`: The one in `applyConfiguration`.
   * - `JSONPatch`: The one in `jsonPatch`.
   */
  patchType: 'ApplyConfiguration' | 'JSONPatch';
}

/** Operations on resources, possibly limited to objects of certain names. */
export interface NamedRuleWithOperations {
  /** The API groups of the resources. An empty text is the core group, and `*` alone is all groups. */
  apiGroups?: string[];
  /** The API versions of the resources. `*` alone is all versions. */
  apiVersions?: string[];
  /** The operations, of `CREATE`, `UPDATE`, `DELETE` and `CONNECT`. `*` alone is all operations. */
  operations?: ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[];
  /** The names of the objects. Without any, all objects are meant. */
  resourceNames?: string[];
  /**
   * The resources, such as `pods`, the subresource `pods/log`, `pods/*`, `*\/scale` or `*\/*`. `*` is all resources
   * without subresources.
   */
  resources?: string[];
  /**
   * Whether the rule is about objects in namespaces.
   * - `*`: About all objects.
   * - `Cluster`: Only about those of cluster scope.
   * - `Namespaced`: Only about those in namespaces.
   * @default "*"
   */
  scope?: '*' | 'Cluster' | 'Namespaced';
}

/** The kind of the objects that give parameters to a policy. */
export interface ParamKind {
  /** The group and version of the kind, as `example.com/v1`. */
  apiVersion?: string;
  /** The name of the kind. */
  kind?: string;
}

/** The objects that give parameters to a policy, by name or by labels. The policy applies once for each of them. */
export interface ParamRef {
  /** The name of the object. It excludes `selector`. */
  name?: string;
  /**
   * The namespace of the objects. Without it, that of the request's object is meant; kinds of cluster scope must not
   * have it.
   */
  namespace?: string;
  /**
   * Says what happens if there are no such objects, either `Allow` or `Deny`, which leaves it to `failurePolicy`. It
   * is required.
   */
  parameterNotFoundAction?: string;
  /** Selects the objects by labels, where an empty selector selects all. It excludes `name`. */
  selector?: LabelSelector;
}

/** Operations on resources. */
export interface RuleWithOperations {
  /** The API groups of the resources. An empty text is the core group, and `*` alone is all groups. */
  apiGroups?: string[];
  /** The API versions of the resources. `*` alone is all versions. */
  apiVersions?: string[];
  /** The operations, of `CREATE`, `UPDATE`, `DELETE` and `CONNECT`. `*` alone is all operations. */
  operations?: ('*' | 'CONNECT' | 'CREATE' | 'DELETE' | 'UPDATE')[];
  /**
   * The resources, such as `pods`, the subresource `pods/log`, `pods/*`, `*\/scale` or `*\/*`. `*` is all resources
   * without subresources.
   */
  resources?: string[];
  /**
   * Whether the rule is about objects in namespaces.
   * - `*`: About all objects.
   * - `Cluster`: Only about those of cluster scope.
   * - `Namespaced`: Only about those in namespaces.
   * @default "*"
   */
  scope?: '*' | 'Cluster' | 'Namespaced';
}

/** A service that leads to a webhook. */
export interface ServiceReference {
  /** The name of the service. */
  name: string;
  /** The namespace of the service. */
  namespace: string;
  /** The path of the request at the webhook. */
  path?: string;
  /**
   * The port of the service, 1 to 65535.
   * @default 443
   */
  port?: number;
}

/** Says what a check of the expressions' types found. */
export interface TypeChecking {
  /** The mistakes, one for each expression that has any. */
  expressionWarnings?: ExpressionWarning[];
}

/**
 * Refuses requests by expressions, without a webhook. It takes effect where a ValidatingAdmissionPolicyBinding binds
 * it.
 */
export interface ValidatingAdmissionPolicy extends KubernetesObject {
  /** Which requests the policy is about, and what it checks. */
  spec?: ValidatingAdmissionPolicySpec;
  /** Says what the server found out about the policy's expressions. */
  status?: ValidatingAdmissionPolicyStatus;
}
export const ValidatingAdmissionPolicy: ResourceType<ValidatingAdmissionPolicy, 'Cluster'> = /* @__PURE__ */ resourceType<ValidatingAdmissionPolicy, 'Cluster'>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingAdmissionPolicy', plural: 'validatingadmissionpolicies', scope: 'Cluster', categories: ['api-extensions'] });

/** Puts a ValidatingAdmissionPolicy into effect, with parameters and for certain requests. */
export interface ValidatingAdmissionPolicyBinding extends KubernetesObject {
  /** Which policy is bound, with which parameters, and what happens on a refusal. */
  spec: ValidatingAdmissionPolicyBindingSpec;
}
export const ValidatingAdmissionPolicyBinding: ResourceType<ValidatingAdmissionPolicyBinding, 'Cluster'> = /* @__PURE__ */ resourceType<ValidatingAdmissionPolicyBinding, 'Cluster'>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingAdmissionPolicyBinding', plural: 'validatingadmissionpolicybindings', scope: 'Cluster', categories: ['api-extensions'] });

/** A list of ValidatingAdmissionPolicyBindings. */
export type ValidatingAdmissionPolicyBindingList = KubernetesList<ValidatingAdmissionPolicyBinding>;

/** Which policy is bound, with which parameters, and what happens on a refusal. */
export interface ValidatingAdmissionPolicyBindingSpec {
  /** Which of the policy's requests the binding is about. Without it, all of them are meant. */
  matchResources?: MatchResources;
  /** The objects that give parameters to the policy. It needs `paramKind` in the policy. */
  paramRef?: ParamRef;
  /** The name of the ValidatingAdmissionPolicy. If there is none, the binding has no effect. */
  policyName: string;
  /**
   * Says what happens if a validation is false, of `Deny` (refuse), `Warn` (warn the client) and `Audit` (note it in
   * the audit event). `Deny` and `Warn` exclude each other.
   */
  validationActions: ('Audit' | 'Deny' | 'Warn')[];
}

/** A list of ValidatingAdmissionPolicies. */
export type ValidatingAdmissionPolicyList = KubernetesList<ValidatingAdmissionPolicy>;

/** Which requests a policy is about, and what it checks. */
export interface ValidatingAdmissionPolicySpec {
  /**
   * Annotations for the audit event of a request, at most 20. `validations` and `auditAnnotations` must not both be
   * empty.
   */
  auditAnnotations?: AuditAnnotation[];
  /**
   * Says what happens to a request if the policy is misconfigured or an expression fails. A validation that is false
   * is no failure.
   * - `Fail`: It is refused, as far as the binding's actions say so.
   * - `Ignore`: It continues.
   * @default "Fail"
   */
  failurePolicy?: 'Fail' | 'Ignore';
  /**
   * Conditions that a request must all fulfil for the policy to apply, at most 64. If one fails with an error and none
   * is false, `failurePolicy` decides.
   */
  matchConditions?: MatchCondition[];
  /** Which requests the policy is about. It is required. */
  matchConstraints?: MatchResources;
  /** The kind of the objects that give parameters to the policy. Without it, `params` is null in expressions. */
  paramKind?: ParamKind;
  /** Expressions that must be true for the request to be allowed. */
  validations?: Validation[];
  /** Named expressions that others can use, each also by those that follow it. */
  variables?: Variable[];
}

/** Says what the server found out about a policy. */
export interface ValidatingAdmissionPolicyStatus {
  /** Observations about the policy. */
  conditions?: Condition[];
  /** The `metadata.generation` that the controller acted on last. */
  observedGeneration?: number;
  /** Says what a check of the expressions' types found. It is there once the check is done. */
  typeChecking?: TypeChecking;
}

/** A webhook that can refuse objects before they are stored. */
export interface ValidatingWebhook {
  /**
   * The versions of AdmissionReview that the webhook understands, in its order of preference. The server uses the
   * first that it knows.
   */
  admissionReviewVersions: string[];
  /** Where the webhook is reached. */
  clientConfig: WebhookClientConfig;
  /**
   * Says what happens to the request if the webhook does not answer, or not properly.
   * - `Fail`: It is refused.
   * - `Ignore`: It continues.
   * @default "Fail"
   */
  failurePolicy?: 'Fail' | 'Ignore';
  /**
   * Conditions that a request must all fulfil for the webhook to be called, at most 64. If one fails with an error and
   * none is false, `failurePolicy` decides.
   */
  matchConditions?: MatchCondition[];
  /**
   * Whether the webhook gets requests in other versions or groups of the same resource too.
   * - `Equivalent`: Yes, converted to the version of the rule.
   * - `Exact`: No.
   * @default "Equivalent"
   */
  matchPolicy?: 'Equivalent' | 'Exact';
  /**
   * The full name of the webhook, a domain name with at least three parts such as `check.example.com`. It is unique in
   * its configuration.
   */
  name: string;
  /**
   * Selects the namespaces of the objects by labels, where an empty selector matches all. Namespaces themselves are
   * matched by their own labels; other objects of cluster scope always match.
   */
  namespaceSelector?: LabelSelector;
  /**
   * Selects the objects by labels, where the old or the new one is enough. An empty selector matches all; users who
   * set labels can avoid the webhook.
   */
  objectSelector?: LabelSelector;
  /**
   * Operations on resources for which the webhook is called, where one that fits is enough. Configurations of webhooks
   * never reach webhooks.
   */
  rules?: RuleWithOperations[];
  /**
   * Whether a call changes anything but its answer. Only `None` and `NoneOnDryRun` are allowed.
   * - `None`: It changes nothing.
   * - `NoneOnDryRun`: It changes nothing if the request is a dry run.
   * - `Some`: It changes something; refused.
   * - `Unknown`: It may change something; refused.
   */
  sideEffects: 'None' | 'NoneOnDryRun' | 'Some' | 'Unknown';
  /**
   * How many seconds the webhook has to answer, 1 to 30. After that `failurePolicy` decides.
   * @default 10
   */
  timeoutSeconds?: number;
}

/** Webhooks that can refuse objects before they are stored. */
export interface ValidatingWebhookConfiguration extends KubernetesObject {
  /** The webhooks. They are called at the same time, and each can refuse. */
  webhooks?: ValidatingWebhook[];
}
export const ValidatingWebhookConfiguration: ResourceType<ValidatingWebhookConfiguration, 'Cluster'> = /* @__PURE__ */ resourceType<ValidatingWebhookConfiguration, 'Cluster'>({ group: 'admissionregistration.k8s.io', version: 'v1', kind: 'ValidatingWebhookConfiguration', plural: 'validatingwebhookconfigurations', scope: 'Cluster', categories: ['api-extensions'] });

/** A list of ValidatingWebhookConfigurations. */
export type ValidatingWebhookConfigurationList = KubernetesList<ValidatingWebhookConfiguration>;

/** An expression that must be true for a request to be allowed. */
export interface Validation {
  /**
   * The expression in the Common Expression Language. It knows `object`, `oldObject`, `request`, `params`,
   * `namespaceObject`, `variables` and `authorizer`.
   */
  expression: string;
  /** The text of the refusal, on one line. It is required if the expression has several lines. */
  message?: string;
  /**
   * An expression that makes the text of the refusal and wins over `message`. If it fails or is empty, `message` is
   * used.
   */
  messageExpression?: string;
  /**
   * The reason that clients see, one of `Forbidden`, `Invalid` and `RequestEntityTooLarge`. Without it, `Invalid`
   * applies.
   */
  reason?: string;
}

/** A named expression for use in other expressions of a policy. */
export interface Variable {
  /** The expression in the Common Expression Language. It is evaluated when it is first used. */
  expression: string;
  /** The name of the variable, which others use as `variables.NAME`. It is an identifier that is unique in the policy. */
  name: string;
}

/** Where a webhook is reached. Exactly one of `url` and `service` is given. */
export interface WebhookClientConfig {
  /**
   * The certificates that may have signed that of the webhook, in PEM and base64. Without it, the server trusts those
   * of its system.
   */
  caBundle?: string;
  /** The service that leads to the webhook. */
  service?: ServiceReference;
  /** The address of the webhook, as `https://HOST:PORT/PATH`, without user, query and fragment. */
  url?: string;
}
