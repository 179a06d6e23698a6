import type { ProtobufTable } from '@pintle/machinery/protobuf';

export const messages: ProtobufTable = {
  'k8s.io.api.admission.v1.AdmissionRequest':
    'struct|1 uid pe string|2 kind pe k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind|3 resource pe k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionResource|4 subResource po string|13 requestKind oo k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind|14 requestResource oo k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionResource|15 requestSubResource po string|5 name po string|6 namespace po string|7 operation pe string|8 userInfo pe k8s.io.api.authentication.v1.UserInfo|9 object pe k8s.io.apimachinery.pkg.runtime.RawExtension|10 oldObject pe k8s.io.apimachinery.pkg.runtime.RawExtension|11 dryRun oo bool|12 options pe k8s.io.apimachinery.pkg.runtime.RawExtension',
  'k8s.io.api.admission.v1.AdmissionResponse':
    'struct|1 uid pe string|2 allowed pe bool|3 status oo k8s.io.apimachinery.pkg.apis.meta.v1.Status|4 patch po bytes|5 patchType oo string|6 auditAnnotations mo string|7 warnings lo string',
  'k8s.io.api.admission.v1.AdmissionReview':
    'struct|1 request oo AdmissionRequest|2 response oo AdmissionResponse',
  'k8s.io.api.admission.v1beta1.AdmissionRequest':
    'struct|1 uid pe string|2 kind pe k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind|3 resource pe k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionResource|4 subResource po string|13 requestKind oo k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind|14 requestResource oo k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionResource|15 requestSubResource po string|5 name po string|6 namespace po string|7 operation pe string|8 userInfo pe k8s.io.api.authentication.v1.UserInfo|9 object pe k8s.io.apimachinery.pkg.runtime.RawExtension|10 oldObject pe k8s.io.apimachinery.pkg.runtime.RawExtension|11 dryRun oo bool|12 options pe k8s.io.apimachinery.pkg.runtime.RawExtension',
  'k8s.io.api.admission.v1beta1.AdmissionResponse':
    'struct|1 uid pe string|2 allowed pe bool|3 status oo k8s.io.apimachinery.pkg.apis.meta.v1.Status|4 patch po bytes|5 patchType oo string|6 auditAnnotations mo string|7 warnings lo string',
  'k8s.io.api.admission.v1beta1.AdmissionReview':
    'struct|1 request oo AdmissionRequest|2 response oo AdmissionResponse',
  'k8s.io.api.admissionregistration.v1.ApplyConfiguration':
    'struct|1 expression po string',
  'k8s.io.api.admissionregistration.v1.AuditAnnotation':
    'struct|1 key pe string|2 valueExpression pe string',
  'k8s.io.api.admissionregistration.v1.ExpressionWarning':
    'struct|2 fieldRef pe string|3 warning pe string',
  'k8s.io.api.admissionregistration.v1.JSONPatch':
    'struct|1 expression po string',
  'k8s.io.api.admissionregistration.v1.MatchCondition':
    'struct|1 name pe string|2 expression pe string',
  'k8s.io.api.admissionregistration.v1.MatchResources':
    'struct|1 namespaceSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 objectSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 resourceRules lo NamedRuleWithOperations|4 excludeResourceRules lo NamedRuleWithOperations|7 matchPolicy oo string',
  'k8s.io.api.admissionregistration.v1.MutatingAdmissionPolicy':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe MutatingAdmissionPolicySpec',
  'k8s.io.api.admissionregistration.v1.MutatingAdmissionPolicyBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe MutatingAdmissionPolicyBindingSpec',
  'k8s.io.api.admissionregistration.v1.MutatingAdmissionPolicyBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le MutatingAdmissionPolicyBinding',
  'k8s.io.api.admissionregistration.v1.MutatingAdmissionPolicyBindingSpec':
    'struct|1 policyName po string|2 paramRef oo ParamRef|3 matchResources oo MatchResources',
  'k8s.io.api.admissionregistration.v1.MutatingAdmissionPolicyList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le MutatingAdmissionPolicy',
  'k8s.io.api.admissionregistration.v1.MutatingAdmissionPolicySpec':
    'struct|1 paramKind oo ParamKind|2 matchConstraints oo MatchResources|3 variables lo Variable|4 mutations lo Mutation|5 failurePolicy oo string|6 matchConditions lo MatchCondition|7 reinvocationPolicy po string',
  'k8s.io.api.admissionregistration.v1.MutatingWebhook':
    'struct|1 name pe string|2 clientConfig pe WebhookClientConfig|3 rules lo RuleWithOperations|4 failurePolicy oo string|9 matchPolicy oo string|5 namespaceSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|11 objectSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|6 sideEffects oe string|7 timeoutSeconds oo int32|8 admissionReviewVersions le string|10 reinvocationPolicy oo string|12 matchConditions lo MatchCondition',
  'k8s.io.api.admissionregistration.v1.MutatingWebhookConfiguration':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 webhooks lo MutatingWebhook',
  'k8s.io.api.admissionregistration.v1.MutatingWebhookConfigurationList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le MutatingWebhookConfiguration',
  'k8s.io.api.admissionregistration.v1.Mutation':
    'struct|2 patchType pe string|3 applyConfiguration oo ApplyConfiguration|4 jsonPatch oo JSONPatch',
  'k8s.io.api.admissionregistration.v1.NamedRuleWithOperations':
    'struct|1 resourceNames lo string|2 + pe RuleWithOperations',
  'k8s.io.api.admissionregistration.v1.ParamKind':
    'struct|1 apiVersion po string|2 kind po string',
  'k8s.io.api.admissionregistration.v1.ParamRef':
    'struct|1 name po string|2 namespace po string|3 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|4 parameterNotFoundAction oo string',
  'k8s.io.api.admissionregistration.v1.Rule':
    'struct|1 apiGroups lo string|2 apiVersions lo string|3 resources lo string|4 scope oo string',
  'k8s.io.api.admissionregistration.v1.RuleWithOperations':
    'struct|1 operations lo string|2 + pe Rule',
  'k8s.io.api.admissionregistration.v1.ServiceReference':
    'struct|1 namespace pe string|2 name pe string|3 path oo string|4 port oo int32',
  'k8s.io.api.admissionregistration.v1.TypeChecking':
    'struct|1 expressionWarnings lo ExpressionWarning',
  'k8s.io.api.admissionregistration.v1.ValidatingAdmissionPolicy':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ValidatingAdmissionPolicySpec|3 status pe ValidatingAdmissionPolicyStatus',
  'k8s.io.api.admissionregistration.v1.ValidatingAdmissionPolicyBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ValidatingAdmissionPolicyBindingSpec',
  'k8s.io.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ValidatingAdmissionPolicyBinding',
  'k8s.io.api.admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec':
    'struct|1 policyName po string|2 paramRef oo ParamRef|3 matchResources oo MatchResources|4 validationActions lo string',
  'k8s.io.api.admissionregistration.v1.ValidatingAdmissionPolicyList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ValidatingAdmissionPolicy',
  'k8s.io.api.admissionregistration.v1.ValidatingAdmissionPolicySpec':
    'struct|1 paramKind oo ParamKind|2 matchConstraints oo MatchResources|3 validations lo Validation|4 failurePolicy oo string|5 auditAnnotations lo AuditAnnotation|6 matchConditions lo MatchCondition|7 variables lo Variable',
  'k8s.io.api.admissionregistration.v1.ValidatingAdmissionPolicyStatus':
    'struct|1 observedGeneration po int64|2 typeChecking oo TypeChecking|3 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.admissionregistration.v1.ValidatingWebhook':
    'struct|1 name pe string|2 clientConfig pe WebhookClientConfig|3 rules lo RuleWithOperations|4 failurePolicy oo string|9 matchPolicy oo string|5 namespaceSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|10 objectSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|6 sideEffects oe string|7 timeoutSeconds oo int32|8 admissionReviewVersions le string|11 matchConditions lo MatchCondition',
  'k8s.io.api.admissionregistration.v1.ValidatingWebhookConfiguration':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 webhooks lo ValidatingWebhook',
  'k8s.io.api.admissionregistration.v1.ValidatingWebhookConfigurationList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ValidatingWebhookConfiguration',
  'k8s.io.api.admissionregistration.v1.Validation':
    'struct|1 expression pe string|2 message po string|3 reason oo string|4 messageExpression po string',
  'k8s.io.api.admissionregistration.v1.Variable':
    'struct|1 name pe string|2 expression pe string',
  'k8s.io.api.admissionregistration.v1.WebhookClientConfig':
    'struct|3 url oo string|1 service oo ServiceReference|2 caBundle po bytes',
  'k8s.io.api.admissionregistration.v1alpha1.ApplyConfiguration':
    'struct|1 expression po string',
  'k8s.io.api.admissionregistration.v1alpha1.AuditAnnotation':
    'struct|1 key pe string|2 valueExpression pe string',
  'k8s.io.api.admissionregistration.v1alpha1.ExpressionWarning':
    'struct|2 fieldRef pe string|3 warning pe string',
  'k8s.io.api.admissionregistration.v1alpha1.JSONPatch':
    'struct|1 expression po string',
  'k8s.io.api.admissionregistration.v1alpha1.MatchCondition':
    'struct|1 name pe string|2 expression pe string',
  'k8s.io.api.admissionregistration.v1alpha1.MatchResources':
    'struct|1 namespaceSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 objectSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 resourceRules lo NamedRuleWithOperations|4 excludeResourceRules lo NamedRuleWithOperations|7 matchPolicy oo string',
  'k8s.io.api.admissionregistration.v1alpha1.MutatingAdmissionPolicy':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe MutatingAdmissionPolicySpec',
  'k8s.io.api.admissionregistration.v1alpha1.MutatingAdmissionPolicyBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe MutatingAdmissionPolicyBindingSpec',
  'k8s.io.api.admissionregistration.v1alpha1.MutatingAdmissionPolicyBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le MutatingAdmissionPolicyBinding',
  'k8s.io.api.admissionregistration.v1alpha1.MutatingAdmissionPolicyBindingSpec':
    'struct|1 policyName po string|2 paramRef oo ParamRef|3 matchResources oo MatchResources',
  'k8s.io.api.admissionregistration.v1alpha1.MutatingAdmissionPolicyList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le MutatingAdmissionPolicy',
  'k8s.io.api.admissionregistration.v1alpha1.MutatingAdmissionPolicySpec':
    'struct|1 paramKind oo ParamKind|2 matchConstraints oo MatchResources|3 variables lo Variable|4 mutations lo Mutation|5 failurePolicy oo string|6 matchConditions lo MatchCondition|7 reinvocationPolicy po string',
  'k8s.io.api.admissionregistration.v1alpha1.Mutation':
    'struct|2 patchType pe string|3 applyConfiguration oo ApplyConfiguration|4 jsonPatch oo JSONPatch',
  'k8s.io.api.admissionregistration.v1alpha1.NamedRuleWithOperations':
    'struct|1 resourceNames lo string|2 + pe k8s.io.api.admissionregistration.v1.RuleWithOperations',
  'k8s.io.api.admissionregistration.v1alpha1.ParamKind':
    'struct|1 apiVersion po string|2 kind po string',
  'k8s.io.api.admissionregistration.v1alpha1.ParamRef':
    'struct|1 name po string|2 namespace po string|3 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|4 parameterNotFoundAction oo string',
  'k8s.io.api.admissionregistration.v1alpha1.TypeChecking':
    'struct|1 expressionWarnings lo ExpressionWarning',
  'k8s.io.api.admissionregistration.v1alpha1.ValidatingAdmissionPolicy':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ValidatingAdmissionPolicySpec|3 status pe ValidatingAdmissionPolicyStatus',
  'k8s.io.api.admissionregistration.v1alpha1.ValidatingAdmissionPolicyBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ValidatingAdmissionPolicyBindingSpec',
  'k8s.io.api.admissionregistration.v1alpha1.ValidatingAdmissionPolicyBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ValidatingAdmissionPolicyBinding',
  'k8s.io.api.admissionregistration.v1alpha1.ValidatingAdmissionPolicyBindingSpec':
    'struct|1 policyName po string|2 paramRef oo ParamRef|3 matchResources oo MatchResources|4 validationActions lo string',
  'k8s.io.api.admissionregistration.v1alpha1.ValidatingAdmissionPolicyList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ValidatingAdmissionPolicy',
  'k8s.io.api.admissionregistration.v1alpha1.ValidatingAdmissionPolicySpec':
    'struct|1 paramKind oo ParamKind|2 matchConstraints oo MatchResources|3 validations lo Validation|4 failurePolicy oo string|5 auditAnnotations lo AuditAnnotation|6 matchConditions lo MatchCondition|7 variables lo Variable',
  'k8s.io.api.admissionregistration.v1alpha1.ValidatingAdmissionPolicyStatus':
    'struct|1 observedGeneration po int64|2 typeChecking oo TypeChecking|3 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.admissionregistration.v1alpha1.Validation':
    'struct|1 expression pe string|2 message po string|3 reason oo string|4 messageExpression po string',
  'k8s.io.api.admissionregistration.v1alpha1.Variable':
    'struct|1 name pe string|2 expression pe string',
  'k8s.io.api.admissionregistration.v1beta1.ApplyConfiguration':
    'struct|1 expression po string',
  'k8s.io.api.admissionregistration.v1beta1.AuditAnnotation':
    'struct|1 key pe string|2 valueExpression pe string',
  'k8s.io.api.admissionregistration.v1beta1.ExpressionWarning':
    'struct|2 fieldRef pe string|3 warning pe string',
  'k8s.io.api.admissionregistration.v1beta1.JSONPatch':
    'struct|1 expression po string',
  'k8s.io.api.admissionregistration.v1beta1.MatchCondition':
    'struct|1 name pe string|2 expression pe string',
  'k8s.io.api.admissionregistration.v1beta1.MatchResources':
    'struct|1 namespaceSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 objectSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 resourceRules lo NamedRuleWithOperations|4 excludeResourceRules lo NamedRuleWithOperations|7 matchPolicy oo string',
  'k8s.io.api.admissionregistration.v1beta1.MutatingAdmissionPolicy':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe MutatingAdmissionPolicySpec',
  'k8s.io.api.admissionregistration.v1beta1.MutatingAdmissionPolicyBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe MutatingAdmissionPolicyBindingSpec',
  'k8s.io.api.admissionregistration.v1beta1.MutatingAdmissionPolicyBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le MutatingAdmissionPolicyBinding',
  'k8s.io.api.admissionregistration.v1beta1.MutatingAdmissionPolicyBindingSpec':
    'struct|1 policyName po string|2 paramRef oo ParamRef|3 matchResources oo MatchResources',
  'k8s.io.api.admissionregistration.v1beta1.MutatingAdmissionPolicyList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le MutatingAdmissionPolicy',
  'k8s.io.api.admissionregistration.v1beta1.MutatingAdmissionPolicySpec':
    'struct|1 paramKind oo ParamKind|2 matchConstraints oo MatchResources|3 variables lo Variable|4 mutations lo Mutation|5 failurePolicy oo string|6 matchConditions lo MatchCondition|7 reinvocationPolicy po string',
  'k8s.io.api.admissionregistration.v1beta1.MutatingWebhook':
    'struct|1 name pe string|2 clientConfig pe WebhookClientConfig|3 rules lo k8s.io.api.admissionregistration.v1.RuleWithOperations|4 failurePolicy oo string|9 matchPolicy oo string|5 namespaceSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|11 objectSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|6 sideEffects oo string|7 timeoutSeconds oo int32|8 admissionReviewVersions lo string|10 reinvocationPolicy oo string|12 matchConditions lo MatchCondition',
  'k8s.io.api.admissionregistration.v1beta1.MutatingWebhookConfiguration':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 webhooks lo MutatingWebhook',
  'k8s.io.api.admissionregistration.v1beta1.MutatingWebhookConfigurationList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le MutatingWebhookConfiguration',
  'k8s.io.api.admissionregistration.v1beta1.Mutation':
    'struct|2 patchType pe string|3 applyConfiguration oo ApplyConfiguration|4 jsonPatch oo JSONPatch',
  'k8s.io.api.admissionregistration.v1beta1.NamedRuleWithOperations':
    'struct|1 resourceNames lo string|2 + pe k8s.io.api.admissionregistration.v1.RuleWithOperations',
  'k8s.io.api.admissionregistration.v1beta1.ParamKind':
    'struct|1 apiVersion po string|2 kind po string',
  'k8s.io.api.admissionregistration.v1beta1.ParamRef':
    'struct|1 name po string|2 namespace po string|3 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|4 parameterNotFoundAction oo string',
  'k8s.io.api.admissionregistration.v1beta1.ServiceReference':
    'struct|1 namespace pe string|2 name pe string|3 path oo string|4 port oo int32',
  'k8s.io.api.admissionregistration.v1beta1.TypeChecking':
    'struct|1 expressionWarnings lo ExpressionWarning',
  'k8s.io.api.admissionregistration.v1beta1.ValidatingAdmissionPolicy':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ValidatingAdmissionPolicySpec|3 status pe ValidatingAdmissionPolicyStatus',
  'k8s.io.api.admissionregistration.v1beta1.ValidatingAdmissionPolicyBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ValidatingAdmissionPolicyBindingSpec',
  'k8s.io.api.admissionregistration.v1beta1.ValidatingAdmissionPolicyBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ValidatingAdmissionPolicyBinding',
  'k8s.io.api.admissionregistration.v1beta1.ValidatingAdmissionPolicyBindingSpec':
    'struct|1 policyName po string|2 paramRef oo ParamRef|3 matchResources oo MatchResources|4 validationActions lo string',
  'k8s.io.api.admissionregistration.v1beta1.ValidatingAdmissionPolicyList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ValidatingAdmissionPolicy',
  'k8s.io.api.admissionregistration.v1beta1.ValidatingAdmissionPolicySpec':
    'struct|1 paramKind oo ParamKind|2 matchConstraints oo MatchResources|3 validations lo Validation|4 failurePolicy oo string|5 auditAnnotations lo AuditAnnotation|6 matchConditions lo MatchCondition|7 variables lo Variable',
  'k8s.io.api.admissionregistration.v1beta1.ValidatingAdmissionPolicyStatus':
    'struct|1 observedGeneration po int64|2 typeChecking oo TypeChecking|3 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.admissionregistration.v1beta1.ValidatingWebhook':
    'struct|1 name pe string|2 clientConfig pe WebhookClientConfig|3 rules lo k8s.io.api.admissionregistration.v1.RuleWithOperations|4 failurePolicy oo string|9 matchPolicy oo string|5 namespaceSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|10 objectSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|6 sideEffects oo string|7 timeoutSeconds oo int32|8 admissionReviewVersions lo string|11 matchConditions lo MatchCondition',
  'k8s.io.api.admissionregistration.v1beta1.ValidatingWebhookConfiguration':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 webhooks lo ValidatingWebhook',
  'k8s.io.api.admissionregistration.v1beta1.ValidatingWebhookConfigurationList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ValidatingWebhookConfiguration',
  'k8s.io.api.admissionregistration.v1beta1.Validation':
    'struct|1 expression pe string|2 message po string|3 reason oo string|4 messageExpression po string',
  'k8s.io.api.admissionregistration.v1beta1.Variable':
    'struct|1 name pe string|2 expression pe string',
  'k8s.io.api.admissionregistration.v1beta1.WebhookClientConfig':
    'struct|3 url oo string|1 service oo ServiceReference|2 caBundle po bytes',
  'k8s.io.api.apidiscovery.v2.APIGroupDiscovery':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 versions lo APIVersionDiscovery',
  'k8s.io.api.apidiscovery.v2.APIGroupDiscoveryList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le APIGroupDiscovery',
  'k8s.io.api.apidiscovery.v2.APIResourceDiscovery':
    'struct|1 resource pe string|2 responseKind oo k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind|3 scope pe string|4 singularResource pe string|5 verbs le string|6 shortNames lo string|7 categories lo string|8 subresources lo APISubresourceDiscovery',
  'k8s.io.api.apidiscovery.v2.APISubresourceDiscovery':
    'struct|1 subresource pe string|2 responseKind oo k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind|3 acceptedTypes lo k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind|4 verbs le string',
  'k8s.io.api.apidiscovery.v2.APIVersionDiscovery':
    'struct|1 version pe string|2 resources lo APIResourceDiscovery|3 freshness po string',
  'k8s.io.api.apidiscovery.v2beta1.APIGroupDiscovery':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 versions lo APIVersionDiscovery',
  'k8s.io.api.apidiscovery.v2beta1.APIGroupDiscoveryList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le APIGroupDiscovery',
  'k8s.io.api.apidiscovery.v2beta1.APIResourceDiscovery':
    'struct|1 resource pe string|2 responseKind oo k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind|3 scope pe string|4 singularResource pe string|5 verbs le string|6 shortNames lo string|7 categories lo string|8 subresources lo APISubresourceDiscovery',
  'k8s.io.api.apidiscovery.v2beta1.APISubresourceDiscovery':
    'struct|1 subresource pe string|2 responseKind oo k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind|3 acceptedTypes lo k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind|4 verbs le string',
  'k8s.io.api.apidiscovery.v2beta1.APIVersionDiscovery':
    'struct|1 version pe string|2 resources lo APIResourceDiscovery|3 freshness po string',
  'k8s.io.api.apiserverinternal.v1alpha1.ServerStorageVersion':
    'struct|1 apiServerID po string|2 encodingVersion po string|3 decodableVersions lo string|4 servedVersions lo string',
  'k8s.io.api.apiserverinternal.v1alpha1.StorageVersion':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe StorageVersionSpec|3 status pe StorageVersionStatus',
  'k8s.io.api.apiserverinternal.v1alpha1.StorageVersionCondition':
    'struct|1 type pe string|2 status pe string|3 observedGeneration po int64|4 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 reason pe string|6 message po string',
  'k8s.io.api.apiserverinternal.v1alpha1.StorageVersionList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le StorageVersion',
  'k8s.io.api.apiserverinternal.v1alpha1.StorageVersionSpec':
    'struct',
  'k8s.io.api.apiserverinternal.v1alpha1.StorageVersionStatus':
    'struct|1 storageVersions lo ServerStorageVersion|2 commonEncodingVersion oo string|3 conditions lo StorageVersionCondition',
  'k8s.io.api.apps.v1.ControllerRevision':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 data pe k8s.io.apimachinery.pkg.runtime.RawExtension|3 revision pe int64',
  'k8s.io.api.apps.v1.ControllerRevisionList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ControllerRevision',
  'k8s.io.api.apps.v1.DaemonSet':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DaemonSetSpec|3 status pe DaemonSetStatus',
  'k8s.io.api.apps.v1.DaemonSetCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.apps.v1.DaemonSetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le DaemonSet',
  'k8s.io.api.apps.v1.DaemonSetSpec':
    'struct|1 selector oe k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 template pe k8s.io.api.core.v1.PodTemplateSpec|3 updateStrategy pe DaemonSetUpdateStrategy|4 minReadySeconds po int32|6 revisionHistoryLimit oo int32',
  'k8s.io.api.apps.v1.DaemonSetStatus':
    'struct|1 currentNumberScheduled pe int32|2 numberMisscheduled pe int32|3 desiredNumberScheduled pe int32|4 numberReady pe int32|5 observedGeneration po int64|6 updatedNumberScheduled po int32|7 numberAvailable po int32|8 numberUnavailable po int32|9 collisionCount oo int32|10 conditions lo DaemonSetCondition',
  'k8s.io.api.apps.v1.DaemonSetUpdateStrategy':
    'struct|1 type po string|2 rollingUpdate oo RollingUpdateDaemonSet',
  'k8s.io.api.apps.v1.Deployment':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DeploymentSpec|3 status pe DeploymentStatus',
  'k8s.io.api.apps.v1.DeploymentCondition':
    'struct|1 type pe string|2 status pe string|6 lastUpdateTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|7 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.apps.v1.DeploymentList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Deployment',
  'k8s.io.api.apps.v1.DeploymentSpec':
    'struct|1 replicas oo int32|2 selector oe k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 template pe k8s.io.api.core.v1.PodTemplateSpec|4 strategy pe DeploymentStrategy|5 minReadySeconds po int32|6 revisionHistoryLimit oo int32|7 paused po bool|9 progressDeadlineSeconds oo int32',
  'k8s.io.api.apps.v1.DeploymentStatus':
    'struct|1 observedGeneration po int64|2 replicas po int32|3 updatedReplicas po int32|7 readyReplicas po int32|4 availableReplicas po int32|5 unavailableReplicas po int32|9 terminatingReplicas oo int32|6 conditions lo DeploymentCondition|8 collisionCount oo int32',
  'k8s.io.api.apps.v1.DeploymentStrategy':
    'struct|1 type po string|2 rollingUpdate oo RollingUpdateDeployment',
  'k8s.io.api.apps.v1.ReplicaSet':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ReplicaSetSpec|3 status pe ReplicaSetStatus',
  'k8s.io.api.apps.v1.ReplicaSetCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.apps.v1.ReplicaSetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ReplicaSet',
  'k8s.io.api.apps.v1.ReplicaSetSpec':
    'struct|1 replicas oo int32|4 minReadySeconds po int32|2 selector oe k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 template pe k8s.io.api.core.v1.PodTemplateSpec',
  'k8s.io.api.apps.v1.ReplicaSetStatus':
    'struct|1 replicas pe int32|2 fullyLabeledReplicas po int32|4 readyReplicas po int32|5 availableReplicas po int32|7 terminatingReplicas oo int32|3 observedGeneration po int64|6 conditions lo ReplicaSetCondition',
  'k8s.io.api.apps.v1.RollingUpdateDaemonSet':
    'struct|1 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|2 maxSurge oo k8s.io.apimachinery.pkg.util.intstr.IntOrString',
  'k8s.io.api.apps.v1.RollingUpdateDeployment':
    'struct|1 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|2 maxSurge oo k8s.io.apimachinery.pkg.util.intstr.IntOrString',
  'k8s.io.api.apps.v1.RollingUpdateStatefulSetStrategy':
    'struct|1 partition oo int32|2 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString',
  'k8s.io.api.apps.v1.StatefulSet':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe StatefulSetSpec|3 status pe StatefulSetStatus',
  'k8s.io.api.apps.v1.StatefulSetCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.apps.v1.StatefulSetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le StatefulSet',
  'k8s.io.api.apps.v1.StatefulSetOrdinals':
    'struct|1 start pe int32',
  'k8s.io.api.apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy':
    'struct|1 whenDeleted po string|2 whenScaled po string',
  'k8s.io.api.apps.v1.StatefulSetSpec':
    'struct|1 replicas oo int32|2 selector oe k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 template pe k8s.io.api.core.v1.PodTemplateSpec|4 volumeClaimTemplates lo k8s.io.api.core.v1.PersistentVolumeClaim|5 serviceName pe string|6 podManagementPolicy po string|7 updateStrategy pe StatefulSetUpdateStrategy|8 revisionHistoryLimit oo int32|9 minReadySeconds po int32|10 persistentVolumeClaimRetentionPolicy oo StatefulSetPersistentVolumeClaimRetentionPolicy|11 ordinals oo StatefulSetOrdinals',
  'k8s.io.api.apps.v1.StatefulSetStatus':
    'struct|1 observedGeneration po int64|2 replicas pe int32|3 readyReplicas po int32|4 currentReplicas po int32|5 updatedReplicas po int32|6 currentRevision po string|7 updateRevision po string|9 collisionCount oo int32|10 conditions lo StatefulSetCondition|11 availableReplicas pe int32',
  'k8s.io.api.apps.v1.StatefulSetUpdateStrategy':
    'struct|1 type po string|2 rollingUpdate oo RollingUpdateStatefulSetStrategy',
  'k8s.io.api.apps.v1beta1.ControllerRevision':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 data pe k8s.io.apimachinery.pkg.runtime.RawExtension|3 revision pe int64',
  'k8s.io.api.apps.v1beta1.ControllerRevisionList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ControllerRevision',
  'k8s.io.api.apps.v1beta1.Deployment':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DeploymentSpec|3 status pe DeploymentStatus',
  'k8s.io.api.apps.v1beta1.DeploymentCondition':
    'struct|1 type pe string|2 status pe string|6 lastUpdateTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|7 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.apps.v1beta1.DeploymentList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Deployment',
  'k8s.io.api.apps.v1beta1.DeploymentRollback':
    'struct|1 name pe string|2 updatedAnnotations mo string|3 rollbackTo pe RollbackConfig',
  'k8s.io.api.apps.v1beta1.DeploymentSpec':
    'struct|1 replicas oo int32|2 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 template pe k8s.io.api.core.v1.PodTemplateSpec|4 strategy pe DeploymentStrategy|5 minReadySeconds po int32|6 revisionHistoryLimit oo int32|7 paused po bool|8 rollbackTo oo RollbackConfig|9 progressDeadlineSeconds oo int32',
  'k8s.io.api.apps.v1beta1.DeploymentStatus':
    'struct|1 observedGeneration po int64|2 replicas po int32|3 updatedReplicas po int32|7 readyReplicas po int32|4 availableReplicas po int32|5 unavailableReplicas po int32|9 terminatingReplicas oo int32|6 conditions lo DeploymentCondition|8 collisionCount oo int32',
  'k8s.io.api.apps.v1beta1.DeploymentStrategy':
    'struct|1 type po string|2 rollingUpdate oo RollingUpdateDeployment',
  'k8s.io.api.apps.v1beta1.RollbackConfig':
    'struct|1 revision po int64',
  'k8s.io.api.apps.v1beta1.RollingUpdateDeployment':
    'struct|1 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|2 maxSurge oo k8s.io.apimachinery.pkg.util.intstr.IntOrString',
  'k8s.io.api.apps.v1beta1.RollingUpdateStatefulSetStrategy':
    'struct|1 partition oo int32|2 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString',
  'k8s.io.api.apps.v1beta1.Scale':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ScaleSpec|3 status pe ScaleStatus',
  'k8s.io.api.apps.v1beta1.ScaleSpec':
    'struct|1 replicas po int32',
  'k8s.io.api.apps.v1beta1.ScaleStatus':
    'struct|1 replicas pe int32|2 selector mo string|3 targetSelector po string',
  'k8s.io.api.apps.v1beta1.StatefulSet':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe StatefulSetSpec|3 status pe StatefulSetStatus',
  'k8s.io.api.apps.v1beta1.StatefulSetCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.apps.v1beta1.StatefulSetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le StatefulSet',
  'k8s.io.api.apps.v1beta1.StatefulSetOrdinals':
    'struct|1 start pe int32',
  'k8s.io.api.apps.v1beta1.StatefulSetPersistentVolumeClaimRetentionPolicy':
    'struct|1 whenDeleted po string|2 whenScaled po string',
  'k8s.io.api.apps.v1beta1.StatefulSetSpec':
    'struct|1 replicas oo int32|2 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 template pe k8s.io.api.core.v1.PodTemplateSpec|4 volumeClaimTemplates lo k8s.io.api.core.v1.PersistentVolumeClaim|5 serviceName pe string|6 podManagementPolicy po string|7 updateStrategy pe StatefulSetUpdateStrategy|8 revisionHistoryLimit oo int32|9 minReadySeconds po int32|10 persistentVolumeClaimRetentionPolicy oo StatefulSetPersistentVolumeClaimRetentionPolicy|11 ordinals oo StatefulSetOrdinals',
  'k8s.io.api.apps.v1beta1.StatefulSetStatus':
    'struct|1 observedGeneration oo int64|2 replicas pe int32|3 readyReplicas po int32|4 currentReplicas po int32|5 updatedReplicas po int32|6 currentRevision po string|7 updateRevision po string|9 collisionCount oo int32|10 conditions lo StatefulSetCondition|11 availableReplicas pe int32',
  'k8s.io.api.apps.v1beta1.StatefulSetUpdateStrategy':
    'struct|1 type po string|2 rollingUpdate oo RollingUpdateStatefulSetStrategy',
  'k8s.io.api.apps.v1beta2.ControllerRevision':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 data pe k8s.io.apimachinery.pkg.runtime.RawExtension|3 revision pe int64',
  'k8s.io.api.apps.v1beta2.ControllerRevisionList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ControllerRevision',
  'k8s.io.api.apps.v1beta2.DaemonSet':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DaemonSetSpec|3 status pe DaemonSetStatus',
  'k8s.io.api.apps.v1beta2.DaemonSetCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.apps.v1beta2.DaemonSetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le DaemonSet',
  'k8s.io.api.apps.v1beta2.DaemonSetSpec':
    'struct|1 selector oe k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 template pe k8s.io.api.core.v1.PodTemplateSpec|3 updateStrategy pe DaemonSetUpdateStrategy|4 minReadySeconds po int32|6 revisionHistoryLimit oo int32',
  'k8s.io.api.apps.v1beta2.DaemonSetStatus':
    'struct|1 currentNumberScheduled pe int32|2 numberMisscheduled pe int32|3 desiredNumberScheduled pe int32|4 numberReady pe int32|5 observedGeneration po int64|6 updatedNumberScheduled po int32|7 numberAvailable po int32|8 numberUnavailable po int32|9 collisionCount oo int32|10 conditions lo DaemonSetCondition',
  'k8s.io.api.apps.v1beta2.DaemonSetUpdateStrategy':
    'struct|1 type po string|2 rollingUpdate oo RollingUpdateDaemonSet',
  'k8s.io.api.apps.v1beta2.Deployment':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DeploymentSpec|3 status pe DeploymentStatus',
  'k8s.io.api.apps.v1beta2.DeploymentCondition':
    'struct|1 type pe string|2 status pe string|6 lastUpdateTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|7 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.apps.v1beta2.DeploymentList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Deployment',
  'k8s.io.api.apps.v1beta2.DeploymentSpec':
    'struct|1 replicas oo int32|2 selector oe k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 template pe k8s.io.api.core.v1.PodTemplateSpec|4 strategy pe DeploymentStrategy|5 minReadySeconds po int32|6 revisionHistoryLimit oo int32|7 paused po bool|9 progressDeadlineSeconds oo int32',
  'k8s.io.api.apps.v1beta2.DeploymentStatus':
    'struct|1 observedGeneration po int64|2 replicas po int32|3 updatedReplicas po int32|7 readyReplicas po int32|4 availableReplicas po int32|5 unavailableReplicas po int32|9 terminatingReplicas oo int32|6 conditions lo DeploymentCondition|8 collisionCount oo int32',
  'k8s.io.api.apps.v1beta2.DeploymentStrategy':
    'struct|1 type po string|2 rollingUpdate oo RollingUpdateDeployment',
  'k8s.io.api.apps.v1beta2.ReplicaSet':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ReplicaSetSpec|3 status pe ReplicaSetStatus',
  'k8s.io.api.apps.v1beta2.ReplicaSetCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.apps.v1beta2.ReplicaSetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ReplicaSet',
  'k8s.io.api.apps.v1beta2.ReplicaSetSpec':
    'struct|1 replicas oo int32|4 minReadySeconds po int32|2 selector oe k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 template pe k8s.io.api.core.v1.PodTemplateSpec',
  'k8s.io.api.apps.v1beta2.ReplicaSetStatus':
    'struct|1 replicas pe int32|2 fullyLabeledReplicas po int32|4 readyReplicas po int32|5 availableReplicas po int32|7 terminatingReplicas oo int32|3 observedGeneration po int64|6 conditions lo ReplicaSetCondition',
  'k8s.io.api.apps.v1beta2.RollingUpdateDaemonSet':
    'struct|1 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|2 maxSurge oo k8s.io.apimachinery.pkg.util.intstr.IntOrString',
  'k8s.io.api.apps.v1beta2.RollingUpdateDeployment':
    'struct|1 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|2 maxSurge oo k8s.io.apimachinery.pkg.util.intstr.IntOrString',
  'k8s.io.api.apps.v1beta2.RollingUpdateStatefulSetStrategy':
    'struct|1 partition oo int32|2 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString',
  'k8s.io.api.apps.v1beta2.Scale':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ScaleSpec|3 status pe ScaleStatus',
  'k8s.io.api.apps.v1beta2.ScaleSpec':
    'struct|1 replicas po int32',
  'k8s.io.api.apps.v1beta2.ScaleStatus':
    'struct|1 replicas pe int32|2 selector mo string|3 targetSelector po string',
  'k8s.io.api.apps.v1beta2.StatefulSet':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe StatefulSetSpec|3 status pe StatefulSetStatus',
  'k8s.io.api.apps.v1beta2.StatefulSetCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.apps.v1beta2.StatefulSetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le StatefulSet',
  'k8s.io.api.apps.v1beta2.StatefulSetOrdinals':
    'struct|1 start pe int32',
  'k8s.io.api.apps.v1beta2.StatefulSetPersistentVolumeClaimRetentionPolicy':
    'struct|1 whenDeleted po string|2 whenScaled po string',
  'k8s.io.api.apps.v1beta2.StatefulSetSpec':
    'struct|1 replicas oo int32|2 selector oe k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 template pe k8s.io.api.core.v1.PodTemplateSpec|4 volumeClaimTemplates lo k8s.io.api.core.v1.PersistentVolumeClaim|5 serviceName pe string|6 podManagementPolicy po string|7 updateStrategy pe StatefulSetUpdateStrategy|8 revisionHistoryLimit oo int32|9 minReadySeconds po int32|10 persistentVolumeClaimRetentionPolicy oo StatefulSetPersistentVolumeClaimRetentionPolicy|11 ordinals oo StatefulSetOrdinals',
  'k8s.io.api.apps.v1beta2.StatefulSetStatus':
    'struct|1 observedGeneration po int64|2 replicas pe int32|3 readyReplicas po int32|4 currentReplicas po int32|5 updatedReplicas po int32|6 currentRevision po string|7 updateRevision po string|9 collisionCount oo int32|10 conditions lo StatefulSetCondition|11 availableReplicas pe int32',
  'k8s.io.api.apps.v1beta2.StatefulSetUpdateStrategy':
    'struct|1 type po string|2 rollingUpdate oo RollingUpdateStatefulSetStrategy',
  'k8s.io.api.authentication.v1.BoundObjectReference':
    'struct|1 kind po string|2 apiVersion po string|3 name po string|4 uid po string',
  'k8s.io.api.authentication.v1.ExtraValue':
    'list|1 items le string',
  'k8s.io.api.authentication.v1.SelfSubjectReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 status pe SelfSubjectReviewStatus',
  'k8s.io.api.authentication.v1.SelfSubjectReviewStatus':
    'struct|1 userInfo pe UserInfo',
  'k8s.io.api.authentication.v1.TokenRequest':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe TokenRequestSpec|3 status pe TokenRequestStatus',
  'k8s.io.api.authentication.v1.TokenRequestSpec':
    'struct|1 audiences le string|4 expirationSeconds oe int64|3 boundObjectRef oe BoundObjectReference',
  'k8s.io.api.authentication.v1.TokenRequestStatus':
    'struct|1 token pe string|2 expirationTimestamp pe k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.authentication.v1.TokenReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe TokenReviewSpec|3 status pe TokenReviewStatus',
  'k8s.io.api.authentication.v1.TokenReviewSpec':
    'struct|1 token po string|2 audiences lo string',
  'k8s.io.api.authentication.v1.TokenReviewStatus':
    'struct|1 authenticated po bool|2 user pe UserInfo|4 audiences lo string|3 error po string',
  'k8s.io.api.authentication.v1.UserInfo':
    'struct|1 username po string|2 uid po string|3 groups lo string|4 extra mo ExtraValue',
  'k8s.io.api.authentication.v1alpha1.SelfSubjectReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 status pe SelfSubjectReviewStatus',
  'k8s.io.api.authentication.v1alpha1.SelfSubjectReviewStatus':
    'struct|1 userInfo pe k8s.io.api.authentication.v1.UserInfo',
  'k8s.io.api.authentication.v1beta1.ExtraValue':
    'list|1 items le string',
  'k8s.io.api.authentication.v1beta1.SelfSubjectReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 status pe SelfSubjectReviewStatus',
  'k8s.io.api.authentication.v1beta1.SelfSubjectReviewStatus':
    'struct|1 userInfo pe k8s.io.api.authentication.v1.UserInfo',
  'k8s.io.api.authentication.v1beta1.TokenReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe TokenReviewSpec|3 status pe TokenReviewStatus',
  'k8s.io.api.authentication.v1beta1.TokenReviewSpec':
    'struct|1 token po string|2 audiences lo string',
  'k8s.io.api.authentication.v1beta1.TokenReviewStatus':
    'struct|1 authenticated po bool|2 user pe UserInfo|4 audiences lo string|3 error po string',
  'k8s.io.api.authentication.v1beta1.UserInfo':
    'struct|1 username po string|2 uid po string|3 groups lo string|4 extra mo ExtraValue',
  'k8s.io.api.authorization.v1.ExtraValue':
    'list|1 items le string',
  'k8s.io.api.authorization.v1.FieldSelectorAttributes':
    'struct|1 rawSelector po string|2 requirements lo k8s.io.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement',
  'k8s.io.api.authorization.v1.LabelSelectorAttributes':
    'struct|1 rawSelector po string|2 requirements lo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement',
  'k8s.io.api.authorization.v1.LocalSubjectAccessReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe SubjectAccessReviewSpec|3 status pe SubjectAccessReviewStatus',
  'k8s.io.api.authorization.v1.NonResourceAttributes':
    'struct|1 path po string|2 verb po string',
  'k8s.io.api.authorization.v1.NonResourceRule':
    'struct|1 verbs le string|2 nonResourceURLs lo string',
  'k8s.io.api.authorization.v1.ResourceAttributes':
    'struct|1 namespace po string|2 verb po string|3 group po string|4 version po string|5 resource po string|6 subresource po string|7 name po string|8 fieldSelector oo FieldSelectorAttributes|9 labelSelector oo LabelSelectorAttributes',
  'k8s.io.api.authorization.v1.ResourceRule':
    'struct|1 verbs le string|2 apiGroups lo string|3 resources lo string|4 resourceNames lo string',
  'k8s.io.api.authorization.v1.SelfSubjectAccessReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe SelfSubjectAccessReviewSpec|3 status pe SubjectAccessReviewStatus',
  'k8s.io.api.authorization.v1.SelfSubjectAccessReviewSpec':
    'struct|1 resourceAttributes oo ResourceAttributes|2 nonResourceAttributes oo NonResourceAttributes',
  'k8s.io.api.authorization.v1.SelfSubjectRulesReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe SelfSubjectRulesReviewSpec|3 status pe SubjectRulesReviewStatus',
  'k8s.io.api.authorization.v1.SelfSubjectRulesReviewSpec':
    'struct|1 namespace po string',
  'k8s.io.api.authorization.v1.SubjectAccessReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe SubjectAccessReviewSpec|3 status pe SubjectAccessReviewStatus',
  'k8s.io.api.authorization.v1.SubjectAccessReviewSpec':
    'struct|1 resourceAttributes oo ResourceAttributes|2 nonResourceAttributes oo NonResourceAttributes|3 user po string|4 groups lo string|5 extra mo ExtraValue|6 uid po string',
  'k8s.io.api.authorization.v1.SubjectAccessReviewStatus':
    'struct|1 allowed pe bool|4 denied po bool|2 reason po string|3 evaluationError po string',
  'k8s.io.api.authorization.v1.SubjectRulesReviewStatus':
    'struct|1 resourceRules le ResourceRule|2 nonResourceRules le NonResourceRule|3 incomplete pe bool|4 evaluationError po string',
  'k8s.io.api.authorization.v1beta1.ExtraValue':
    'list|1 items le string',
  'k8s.io.api.authorization.v1beta1.LocalSubjectAccessReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe SubjectAccessReviewSpec|3 status pe SubjectAccessReviewStatus',
  'k8s.io.api.authorization.v1beta1.NonResourceAttributes':
    'struct|1 path po string|2 verb po string',
  'k8s.io.api.authorization.v1beta1.NonResourceRule':
    'struct|1 verbs le string|2 nonResourceURLs lo string',
  'k8s.io.api.authorization.v1beta1.ResourceAttributes':
    'struct|1 namespace po string|2 verb po string|3 group po string|4 version po string|5 resource po string|6 subresource po string|7 name po string|8 fieldSelector oo k8s.io.api.authorization.v1.FieldSelectorAttributes|9 labelSelector oo k8s.io.api.authorization.v1.LabelSelectorAttributes',
  'k8s.io.api.authorization.v1beta1.ResourceRule':
    'struct|1 verbs le string|2 apiGroups lo string|3 resources lo string|4 resourceNames lo string',
  'k8s.io.api.authorization.v1beta1.SelfSubjectAccessReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe SelfSubjectAccessReviewSpec|3 status pe SubjectAccessReviewStatus',
  'k8s.io.api.authorization.v1beta1.SelfSubjectAccessReviewSpec':
    'struct|1 resourceAttributes oo ResourceAttributes|2 nonResourceAttributes oo NonResourceAttributes',
  'k8s.io.api.authorization.v1beta1.SelfSubjectRulesReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe SelfSubjectRulesReviewSpec|3 status pe SubjectRulesReviewStatus',
  'k8s.io.api.authorization.v1beta1.SelfSubjectRulesReviewSpec':
    'struct|1 namespace po string',
  'k8s.io.api.authorization.v1beta1.SubjectAccessReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe SubjectAccessReviewSpec|3 status pe SubjectAccessReviewStatus',
  'k8s.io.api.authorization.v1beta1.SubjectAccessReviewSpec':
    'struct|1 resourceAttributes oo ResourceAttributes|2 nonResourceAttributes oo NonResourceAttributes|3 user po string|4 group lo string|5 extra mo ExtraValue|6 uid po string',
  'k8s.io.api.authorization.v1beta1.SubjectAccessReviewStatus':
    'struct|1 allowed pe bool|4 denied po bool|2 reason po string|3 evaluationError po string',
  'k8s.io.api.authorization.v1beta1.SubjectRulesReviewStatus':
    'struct|1 resourceRules le ResourceRule|2 nonResourceRules le NonResourceRule|3 incomplete pe bool|4 evaluationError po string',
  'k8s.io.api.autoscaling.v1.CrossVersionObjectReference':
    'struct|1 kind pe string|2 name pe string|3 apiVersion po string',
  'k8s.io.api.autoscaling.v1.HorizontalPodAutoscaler':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe HorizontalPodAutoscalerSpec|3 status pe HorizontalPodAutoscalerStatus',
  'k8s.io.api.autoscaling.v1.HorizontalPodAutoscalerList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le HorizontalPodAutoscaler',
  'k8s.io.api.autoscaling.v1.HorizontalPodAutoscalerSpec':
    'struct|1 scaleTargetRef pe CrossVersionObjectReference|2 minReplicas oo int32|3 maxReplicas pe int32|4 targetCPUUtilizationPercentage oo int32',
  'k8s.io.api.autoscaling.v1.HorizontalPodAutoscalerStatus':
    'struct|1 observedGeneration oo int64|2 lastScaleTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time|3 currentReplicas pe int32|4 desiredReplicas pe int32|5 currentCPUUtilizationPercentage oo int32',
  'k8s.io.api.autoscaling.v1.Scale':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ScaleSpec|3 status pe ScaleStatus',
  'k8s.io.api.autoscaling.v1.ScaleSpec':
    'struct|1 replicas po int32',
  'k8s.io.api.autoscaling.v1.ScaleStatus':
    'struct|1 replicas pe int32|2 selector po string',
  'k8s.io.api.autoscaling.v2.ContainerResourceMetricSource':
    'struct|1 name pe string|2 target pe MetricTarget|3 container pe string',
  'k8s.io.api.autoscaling.v2.ContainerResourceMetricStatus':
    'struct|1 name pe string|2 current pe MetricValueStatus|3 container pe string',
  'k8s.io.api.autoscaling.v2.CrossVersionObjectReference':
    'struct|1 kind pe string|2 name pe string|3 apiVersion po string',
  'k8s.io.api.autoscaling.v2.ExternalMetricSource':
    'struct|1 metric pe MetricIdentifier|2 target pe MetricTarget',
  'k8s.io.api.autoscaling.v2.ExternalMetricStatus':
    'struct|1 metric pe MetricIdentifier|2 current pe MetricValueStatus',
  'k8s.io.api.autoscaling.v2.HPAScalingPolicy':
    'struct|1 type pe string|2 value pe int32|3 periodSeconds pe int32',
  'k8s.io.api.autoscaling.v2.HPAScalingRules':
    'struct|3 stabilizationWindowSeconds oo int32|1 selectPolicy oo string|2 policies lo HPAScalingPolicy|4 tolerance oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.autoscaling.v2.HorizontalPodAutoscaler':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe HorizontalPodAutoscalerSpec|3 status pe HorizontalPodAutoscalerStatus',
  'k8s.io.api.autoscaling.v2.HorizontalPodAutoscalerBehavior':
    'struct|1 scaleUp oo HPAScalingRules|2 scaleDown oo HPAScalingRules',
  'k8s.io.api.autoscaling.v2.HorizontalPodAutoscalerCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.autoscaling.v2.HorizontalPodAutoscalerList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le HorizontalPodAutoscaler',
  'k8s.io.api.autoscaling.v2.HorizontalPodAutoscalerSpec':
    'struct|1 scaleTargetRef pe CrossVersionObjectReference|2 minReplicas oo int32|3 maxReplicas pe int32|4 metrics lo MetricSpec|5 behavior oo HorizontalPodAutoscalerBehavior',
  'k8s.io.api.autoscaling.v2.HorizontalPodAutoscalerStatus':
    'struct|1 observedGeneration oo int64|2 lastScaleTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time|3 currentReplicas po int32|4 desiredReplicas pe int32|5 currentMetrics le MetricStatus|6 conditions lo HorizontalPodAutoscalerCondition',
  'k8s.io.api.autoscaling.v2.MetricIdentifier':
    'struct|1 name pe string|2 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector',
  'k8s.io.api.autoscaling.v2.MetricSpec':
    'struct|1 type pe string|2 object oo ObjectMetricSource|3 pods oo PodsMetricSource|4 resource oo ResourceMetricSource|7 containerResource oo ContainerResourceMetricSource|5 external oo ExternalMetricSource',
  'k8s.io.api.autoscaling.v2.MetricStatus':
    'struct|1 type pe string|2 object oo ObjectMetricStatus|3 pods oo PodsMetricStatus|4 resource oo ResourceMetricStatus|7 containerResource oo ContainerResourceMetricStatus|5 external oo ExternalMetricStatus',
  'k8s.io.api.autoscaling.v2.MetricTarget':
    'struct|1 type pe string|2 value oo k8s.io.apimachinery.pkg.api.resource.Quantity|3 averageValue oo k8s.io.apimachinery.pkg.api.resource.Quantity|4 averageUtilization oo int32',
  'k8s.io.api.autoscaling.v2.MetricValueStatus':
    'struct|1 value oo k8s.io.apimachinery.pkg.api.resource.Quantity|2 averageValue oo k8s.io.apimachinery.pkg.api.resource.Quantity|3 averageUtilization oo int32',
  'k8s.io.api.autoscaling.v2.ObjectMetricSource':
    'struct|1 describedObject pe CrossVersionObjectReference|2 target pe MetricTarget|3 metric pe MetricIdentifier',
  'k8s.io.api.autoscaling.v2.ObjectMetricStatus':
    'struct|1 metric pe MetricIdentifier|2 current pe MetricValueStatus|3 describedObject pe CrossVersionObjectReference',
  'k8s.io.api.autoscaling.v2.PodsMetricSource':
    'struct|1 metric pe MetricIdentifier|2 target pe MetricTarget',
  'k8s.io.api.autoscaling.v2.PodsMetricStatus':
    'struct|1 metric pe MetricIdentifier|2 current pe MetricValueStatus',
  'k8s.io.api.autoscaling.v2.ResourceMetricSource':
    'struct|1 name pe string|2 target pe MetricTarget',
  'k8s.io.api.autoscaling.v2.ResourceMetricStatus':
    'struct|1 name pe string|2 current pe MetricValueStatus',
  'k8s.io.api.batch.v1.CronJob':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe CronJobSpec|3 status pe CronJobStatus',
  'k8s.io.api.batch.v1.CronJobList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CronJob',
  'k8s.io.api.batch.v1.CronJobSpec':
    'struct|1 schedule pe string|8 timeZone oo string|2 startingDeadlineSeconds oo int64|3 concurrencyPolicy po string|4 suspend oo bool|5 jobTemplate pe JobTemplateSpec|6 successfulJobsHistoryLimit oo int32|7 failedJobsHistoryLimit oo int32',
  'k8s.io.api.batch.v1.CronJobStatus':
    'struct|1 active lo k8s.io.api.core.v1.ObjectReference|4 lastScheduleTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 lastSuccessfulTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.batch.v1.Job':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe JobSpec|3 status pe JobStatus',
  'k8s.io.api.batch.v1.JobCondition':
    'struct|1 type pe string|2 status pe string|3 lastProbeTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 reason po string|6 message po string',
  'k8s.io.api.batch.v1.JobList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Job',
  'k8s.io.api.batch.v1.JobSpec':
    'struct|1 parallelism oo int32|2 completions oo int32|3 activeDeadlineSeconds oo int64|11 podFailurePolicy oo PodFailurePolicy|16 successPolicy oo SuccessPolicy|7 backoffLimit oo int32|12 backoffLimitPerIndex oo int32|13 maxFailedIndexes oo int32|4 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|5 manualSelector oo bool|6 template pe k8s.io.api.core.v1.PodTemplateSpec|8 ttlSecondsAfterFinished oo int32|9 completionMode oo string|10 suspend oo bool|14 podReplacementPolicy oo string|15 managedBy oo string',
  'k8s.io.api.batch.v1.JobStatus':
    'struct|1 conditions lo JobCondition|2 startTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time|3 completionTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 active po int32|5 succeeded po int32|6 failed po int32|11 terminating oo int32|7 completedIndexes po string|10 failedIndexes oo string|8 uncountedTerminatedPods oo UncountedTerminatedPods|9 ready oo int32',
  'k8s.io.api.batch.v1.JobTemplateSpec':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe JobSpec',
  'k8s.io.api.batch.v1.PodFailurePolicy':
    'struct|1 rules le PodFailurePolicyRule',
  'k8s.io.api.batch.v1.PodFailurePolicyOnExitCodesRequirement':
    'struct|1 containerName oo string|2 operator pe string|3 values le int32',
  'k8s.io.api.batch.v1.PodFailurePolicyOnPodConditionsPattern':
    'struct|1 type pe string|2 status pe string',
  'k8s.io.api.batch.v1.PodFailurePolicyRule':
    'struct|1 action pe string|2 onExitCodes oo PodFailurePolicyOnExitCodesRequirement|3 onPodConditions lo PodFailurePolicyOnPodConditionsPattern',
  'k8s.io.api.batch.v1.SuccessPolicy':
    'struct|1 rules le SuccessPolicyRule',
  'k8s.io.api.batch.v1.SuccessPolicyRule':
    'struct|1 succeededIndexes oo string|2 succeededCount oo int32',
  'k8s.io.api.batch.v1.UncountedTerminatedPods':
    'struct|1 succeeded lo string|2 failed lo string',
  'k8s.io.api.batch.v1beta1.CronJob':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe CronJobSpec|3 status pe CronJobStatus',
  'k8s.io.api.batch.v1beta1.CronJobList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CronJob',
  'k8s.io.api.batch.v1beta1.CronJobSpec':
    'struct|1 schedule pe string|8 timeZone oo string|2 startingDeadlineSeconds oo int64|3 concurrencyPolicy po string|4 suspend oo bool|5 jobTemplate pe JobTemplateSpec|6 successfulJobsHistoryLimit oo int32|7 failedJobsHistoryLimit oo int32',
  'k8s.io.api.batch.v1beta1.CronJobStatus':
    'struct|1 active lo k8s.io.api.core.v1.ObjectReference|4 lastScheduleTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 lastSuccessfulTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.batch.v1beta1.JobTemplateSpec':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe k8s.io.api.batch.v1.JobSpec',
  'k8s.io.api.certificates.v1.CertificateSigningRequest':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe CertificateSigningRequestSpec|3 status pe CertificateSigningRequestStatus',
  'k8s.io.api.certificates.v1.CertificateSigningRequestCondition':
    'struct|1 type pe string|6 status pe string|2 reason po string|3 message po string|4 lastUpdateTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.certificates.v1.CertificateSigningRequestList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CertificateSigningRequest',
  'k8s.io.api.certificates.v1.CertificateSigningRequestSpec':
    'struct|1 request pe bytes|7 signerName pe string|8 expirationSeconds oo int32|5 usages lo string|2 username po string|3 uid po string|4 groups lo string|6 extra mo ExtraValue',
  'k8s.io.api.certificates.v1.CertificateSigningRequestStatus':
    'struct|1 conditions lo CertificateSigningRequestCondition|2 certificate po bytes',
  'k8s.io.api.certificates.v1.ExtraValue':
    'list|1 items le string',
  'k8s.io.api.certificates.v1alpha1.ClusterTrustBundle':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ClusterTrustBundleSpec',
  'k8s.io.api.certificates.v1alpha1.ClusterTrustBundleList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ClusterTrustBundle',
  'k8s.io.api.certificates.v1alpha1.ClusterTrustBundleSpec':
    'struct|1 signerName po string|2 trustBundle pe string',
  'k8s.io.api.certificates.v1beta1.CertificateSigningRequest':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe CertificateSigningRequestSpec|3 status pe CertificateSigningRequestStatus',
  'k8s.io.api.certificates.v1beta1.CertificateSigningRequestCondition':
    'struct|1 type pe string|6 status pe string|2 reason po string|3 message po string|4 lastUpdateTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.certificates.v1beta1.CertificateSigningRequestList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CertificateSigningRequest',
  'k8s.io.api.certificates.v1beta1.CertificateSigningRequestSpec':
    'struct|1 request pe bytes|7 signerName oo string|8 expirationSeconds oo int32|5 usages lo string|2 username po string|3 uid po string|4 groups lo string|6 extra mo ExtraValue',
  'k8s.io.api.certificates.v1beta1.CertificateSigningRequestStatus':
    'struct|1 conditions lo CertificateSigningRequestCondition|2 certificate po bytes',
  'k8s.io.api.certificates.v1beta1.ClusterTrustBundle':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ClusterTrustBundleSpec',
  'k8s.io.api.certificates.v1beta1.ClusterTrustBundleList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ClusterTrustBundle',
  'k8s.io.api.certificates.v1beta1.ClusterTrustBundleSpec':
    'struct|1 signerName po string|2 trustBundle pe string',
  'k8s.io.api.certificates.v1beta1.ExtraValue':
    'list|1 items le string',
  'k8s.io.api.certificates.v1beta1.PodCertificateRequest':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PodCertificateRequestSpec|3 status pe PodCertificateRequestStatus',
  'k8s.io.api.certificates.v1beta1.PodCertificateRequestList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PodCertificateRequest',
  'k8s.io.api.certificates.v1beta1.PodCertificateRequestSpec':
    'struct|1 signerName pe string|2 podName pe string|3 podUID pe string|4 serviceAccountName pe string|5 serviceAccountUID pe string|6 nodeName pe string|7 nodeUID pe string|8 maxExpirationSeconds oo int32|9 pkixPublicKey pe bytes|10 proofOfPossession pe bytes|12 stubPKCS10Request pe bytes|11 unverifiedUserAnnotations mo string',
  'k8s.io.api.certificates.v1beta1.PodCertificateRequestStatus':
    'struct|1 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition|2 certificateChain po string|4 notBefore oo k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 beginRefreshAt oo k8s.io.apimachinery.pkg.apis.meta.v1.Time|6 notAfter oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.coordination.v1.Lease':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe LeaseSpec',
  'k8s.io.api.coordination.v1.LeaseList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Lease',
  'k8s.io.api.coordination.v1.LeaseSpec':
    'struct|1 holderIdentity oo string|2 leaseDurationSeconds oo int32|3 acquireTime oo k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|4 renewTime oo k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|5 leaseTransitions oo int32|6 strategy oo string|7 preferredHolder oo string',
  'k8s.io.api.coordination.v1alpha2.LeaseCandidate':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe LeaseCandidateSpec',
  'k8s.io.api.coordination.v1alpha2.LeaseCandidateList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le LeaseCandidate',
  'k8s.io.api.coordination.v1alpha2.LeaseCandidateSpec':
    'struct|1 leaseName pe string|2 pingTime oo k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|3 renewTime oo k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|4 binaryVersion pe string|5 emulationVersion po string|6 strategy po string',
  'k8s.io.api.coordination.v1beta1.Lease':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe LeaseSpec',
  'k8s.io.api.coordination.v1beta1.LeaseCandidate':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe LeaseCandidateSpec',
  'k8s.io.api.coordination.v1beta1.LeaseCandidateList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le LeaseCandidate',
  'k8s.io.api.coordination.v1beta1.LeaseCandidateSpec':
    'struct|1 leaseName pe string|2 pingTime oo k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|3 renewTime oo k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|4 binaryVersion pe string|5 emulationVersion po string|6 strategy po string',
  'k8s.io.api.coordination.v1beta1.LeaseList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Lease',
  'k8s.io.api.coordination.v1beta1.LeaseSpec':
    'struct|1 holderIdentity oo string|2 leaseDurationSeconds oo int32|3 acquireTime oo k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|4 renewTime oo k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|5 leaseTransitions oo int32|6 strategy oo string|7 preferredHolder oo string',
  'k8s.io.api.core.v1.AWSElasticBlockStoreVolumeSource':
    'struct|1 volumeID pe string|2 fsType po string|3 partition po int32|4 readOnly po bool',
  'k8s.io.api.core.v1.Affinity':
    'struct|1 nodeAffinity oo NodeAffinity|2 podAffinity oo PodAffinity|3 podAntiAffinity oo PodAntiAffinity',
  'k8s.io.api.core.v1.AppArmorProfile':
    'struct|1 type pe string|2 localhostProfile oo string',
  'k8s.io.api.core.v1.AttachedVolume':
    'struct|1 name pe string|2 devicePath pe string',
  'k8s.io.api.core.v1.AzureDiskVolumeSource':
    'struct|1 diskName pe string|2 diskURI pe string|3 cachingMode oo string|4 fsType oo string|5 readOnly oo bool|6 kind oo string',
  'k8s.io.api.core.v1.AzureFilePersistentVolumeSource':
    'struct|1 secretName pe string|2 shareName pe string|3 readOnly po bool|4 secretNamespace oe string',
  'k8s.io.api.core.v1.AzureFileVolumeSource':
    'struct|1 secretName pe string|2 shareName pe string|3 readOnly po bool',
  'k8s.io.api.core.v1.Binding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 target pe ObjectReference',
  'k8s.io.api.core.v1.CSIPersistentVolumeSource':
    'struct|1 driver pe string|2 volumeHandle pe string|3 readOnly po bool|4 fsType po string|5 volumeAttributes mo string|6 controllerPublishSecretRef oo SecretReference|7 nodeStageSecretRef oo SecretReference|8 nodePublishSecretRef oo SecretReference|9 controllerExpandSecretRef oo SecretReference|10 nodeExpandSecretRef oo SecretReference',
  'k8s.io.api.core.v1.CSIVolumeSource':
    'struct|1 driver pe string|2 readOnly oo bool|3 fsType oo string|4 volumeAttributes mo string|5 nodePublishSecretRef oo LocalObjectReference',
  'k8s.io.api.core.v1.Capabilities':
    'struct|1 add lo string|2 drop lo string',
  'k8s.io.api.core.v1.CephFSPersistentVolumeSource':
    'struct|1 monitors le string|2 path po string|3 user po string|4 secretFile po string|5 secretRef oo SecretReference|6 readOnly po bool',
  'k8s.io.api.core.v1.CephFSVolumeSource':
    'struct|1 monitors le string|2 path po string|3 user po string|4 secretFile po string|5 secretRef oo LocalObjectReference|6 readOnly po bool',
  'k8s.io.api.core.v1.CinderPersistentVolumeSource':
    'struct|1 volumeID pe string|2 fsType po string|3 readOnly po bool|4 secretRef oo SecretReference',
  'k8s.io.api.core.v1.CinderVolumeSource':
    'struct|1 volumeID pe string|2 fsType po string|3 readOnly po bool|4 secretRef oo LocalObjectReference',
  'k8s.io.api.core.v1.ClientIPConfig':
    'struct|1 timeoutSeconds oo int32',
  'k8s.io.api.core.v1.ClusterTrustBundleProjection':
    'struct|1 name oo string|2 signerName oo string|3 labelSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|5 optional oo bool|4 path pe string',
  'k8s.io.api.core.v1.ComponentCondition':
    'struct|1 type pe string|2 status pe string|3 message po string|4 error po string',
  'k8s.io.api.core.v1.ComponentStatus':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 conditions lo ComponentCondition',
  'k8s.io.api.core.v1.ComponentStatusList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ComponentStatus',
  'k8s.io.api.core.v1.ConfigMap':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|4 immutable oo bool|2 data mo string|3 binaryData mo bytes',
  'k8s.io.api.core.v1.ConfigMapEnvSource':
    'struct|1 + pe LocalObjectReference|2 optional oo bool',
  'k8s.io.api.core.v1.ConfigMapKeySelector':
    'struct|1 + pe LocalObjectReference|2 key pe string|3 optional oo bool',
  'k8s.io.api.core.v1.ConfigMapList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ConfigMap',
  'k8s.io.api.core.v1.ConfigMapNodeConfigSource':
    'struct|1 namespace pe string|2 name pe string|3 uid po string|4 resourceVersion po string|5 kubeletConfigKey pe string',
  'k8s.io.api.core.v1.ConfigMapProjection':
    'struct|1 + pe LocalObjectReference|2 items lo KeyToPath|4 optional oo bool',
  'k8s.io.api.core.v1.ConfigMapVolumeSource':
    'struct|1 + pe LocalObjectReference|2 items lo KeyToPath|3 defaultMode oo int32|4 optional oo bool',
  'k8s.io.api.core.v1.Container':
    'struct|1 name pe string|2 image po string|3 command lo string|4 args lo string|5 workingDir po string|6 ports lo ContainerPort|19 envFrom lo EnvFromSource|7 env lo EnvVar|8 resources pe ResourceRequirements|23 resizePolicy lo ContainerResizePolicy|24 restartPolicy oo string|25 restartPolicyRules lo ContainerRestartRule|9 volumeMounts lo VolumeMount|21 volumeDevices lo VolumeDevice|10 livenessProbe oo Probe|11 readinessProbe oo Probe|22 startupProbe oo Probe|12 lifecycle oo Lifecycle|13 terminationMessagePath po string|20 terminationMessagePolicy po string|14 imagePullPolicy po string|15 securityContext oo SecurityContext|16 stdin po bool|17 stdinOnce po bool|18 tty po bool',
  'k8s.io.api.core.v1.ContainerExtendedResourceRequest':
    'struct|1 containerName pe string|2 resourceName pe string|3 requestName pe string',
  'k8s.io.api.core.v1.ContainerImage':
    'struct|1 names le string|2 sizeBytes po int64',
  'k8s.io.api.core.v1.ContainerPort':
    'struct|1 name po string|2 hostPort po int32|3 containerPort pe int32|4 protocol po string|5 hostIP po string',
  'k8s.io.api.core.v1.ContainerResizePolicy':
    'struct|1 resourceName pe string|2 restartPolicy pe string',
  'k8s.io.api.core.v1.ContainerRestartRule':
    'struct|1 action po string|2 exitCodes oo ContainerRestartRuleOnExitCodes',
  'k8s.io.api.core.v1.ContainerRestartRuleOnExitCodes':
    'struct|1 operator po string|2 values lo int32',
  'k8s.io.api.core.v1.ContainerState':
    'struct|1 waiting oo ContainerStateWaiting|2 running oo ContainerStateRunning|3 terminated oo ContainerStateTerminated',
  'k8s.io.api.core.v1.ContainerStateRunning':
    'struct|1 startedAt pe k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.core.v1.ContainerStateTerminated':
    'struct|1 exitCode pe int32|2 signal po int32|3 reason po string|4 message po string|5 startedAt pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|6 finishedAt pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|7 containerID po string',
  'k8s.io.api.core.v1.ContainerStateWaiting':
    'struct|1 reason po string|2 message po string',
  'k8s.io.api.core.v1.ContainerStatus':
    'struct|1 name pe string|2 state pe ContainerState|3 lastState pe ContainerState|4 ready pe bool|5 restartCount pe int32|6 image pe string|7 imageID pe string|8 containerID po string|9 started oo bool|10 allocatedResources mo k8s.io.apimachinery.pkg.api.resource.Quantity|11 resources oo ResourceRequirements|12 volumeMounts lo VolumeMountStatus|13 user oo ContainerUser|14 allocatedResourcesStatus lo ResourceStatus|15 stopSignal oo string',
  'k8s.io.api.core.v1.ContainerUser':
    'struct|1 linux oo LinuxContainerUser',
  'k8s.io.api.core.v1.DaemonEndpoint':
    'struct|1 Port pe int32',
  'k8s.io.api.core.v1.DownwardAPIProjection':
    'struct|1 items lo DownwardAPIVolumeFile',
  'k8s.io.api.core.v1.DownwardAPIVolumeFile':
    'struct|1 path pe string|2 fieldRef oo ObjectFieldSelector|3 resourceFieldRef oo ResourceFieldSelector|4 mode oo int32',
  'k8s.io.api.core.v1.DownwardAPIVolumeSource':
    'struct|1 items lo DownwardAPIVolumeFile|2 defaultMode oo int32',
  'k8s.io.api.core.v1.EmptyDirVolumeSource':
    'struct|1 medium po string|2 sizeLimit oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.core.v1.EndpointAddress':
    'struct|1 ip pe string|3 hostname po string|4 nodeName oo string|2 targetRef oo ObjectReference',
  'k8s.io.api.core.v1.EndpointPort':
    'struct|1 name po string|2 port pe int32|3 protocol po string|4 appProtocol oo string',
  'k8s.io.api.core.v1.EndpointSubset':
    'struct|1 addresses lo EndpointAddress|2 notReadyAddresses lo EndpointAddress|3 ports lo EndpointPort',
  'k8s.io.api.core.v1.Endpoints':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 subsets lo EndpointSubset',
  'k8s.io.api.core.v1.EndpointsList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Endpoints',
  'k8s.io.api.core.v1.EnvFromSource':
    'struct|1 prefix po string|2 configMapRef oo ConfigMapEnvSource|3 secretRef oo SecretEnvSource',
  'k8s.io.api.core.v1.EnvVar':
    'struct|1 name pe string|2 value po string|3 valueFrom oo EnvVarSource',
  'k8s.io.api.core.v1.EnvVarSource':
    'struct|1 fieldRef oo ObjectFieldSelector|2 resourceFieldRef oo ResourceFieldSelector|3 configMapKeyRef oo ConfigMapKeySelector|4 secretKeyRef oo SecretKeySelector|5 fileKeyRef oo FileKeySelector',
  'k8s.io.api.core.v1.EphemeralContainer':
    'struct|1 + pe EphemeralContainerCommon|2 targetContainerName po string',
  'k8s.io.api.core.v1.EphemeralContainerCommon':
    'struct|1 name pe string|2 image po string|3 command lo string|4 args lo string|5 workingDir po string|6 ports lo ContainerPort|19 envFrom lo EnvFromSource|7 env lo EnvVar|8 resources pe ResourceRequirements|23 resizePolicy lo ContainerResizePolicy|24 restartPolicy oo string|25 restartPolicyRules lo ContainerRestartRule|9 volumeMounts lo VolumeMount|21 volumeDevices lo VolumeDevice|10 livenessProbe oo Probe|11 readinessProbe oo Probe|22 startupProbe oo Probe|12 lifecycle oo Lifecycle|13 terminationMessagePath po string|20 terminationMessagePolicy po string|14 imagePullPolicy po string|15 securityContext oo SecurityContext|16 stdin po bool|17 stdinOnce po bool|18 tty po bool',
  'k8s.io.api.core.v1.EphemeralVolumeSource':
    'struct|1 volumeClaimTemplate oo PersistentVolumeClaimTemplate',
  'k8s.io.api.core.v1.Event':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 involvedObject pe ObjectReference|3 reason po string|4 message po string|5 source pe EventSource|6 firstTimestamp pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|7 lastTimestamp pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|8 count po int32|9 type po string|10 eventTime pe k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|11 series oo EventSeries|12 action po string|13 related oo ObjectReference|14 reportingComponent pe string|15 reportingInstance pe string',
  'k8s.io.api.core.v1.EventList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Event',
  'k8s.io.api.core.v1.EventSeries':
    'struct|1 count po int32|2 lastObservedTime pe k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime',
  'k8s.io.api.core.v1.EventSource':
    'struct|1 component po string|2 host po string',
  'k8s.io.api.core.v1.ExecAction':
    'struct|1 command lo string',
  'k8s.io.api.core.v1.FCVolumeSource':
    'struct|1 targetWWNs lo string|2 lun oo int32|3 fsType po string|4 readOnly po bool|5 wwids lo string',
  'k8s.io.api.core.v1.FileKeySelector':
    'struct|1 volumeName pe string|2 path pe string|3 key pe string|4 optional oo bool',
  'k8s.io.api.core.v1.FlexPersistentVolumeSource':
    'struct|1 driver pe string|2 fsType po string|3 secretRef oo SecretReference|4 readOnly po bool|5 options mo string',
  'k8s.io.api.core.v1.FlexVolumeSource':
    'struct|1 driver pe string|2 fsType po string|3 secretRef oo LocalObjectReference|4 readOnly po bool|5 options mo string',
  'k8s.io.api.core.v1.FlockerVolumeSource':
    'struct|1 datasetName po string|2 datasetUUID po string',
  'k8s.io.api.core.v1.GCEPersistentDiskVolumeSource':
    'struct|1 pdName pe string|2 fsType po string|3 partition po int32|4 readOnly po bool',
  'k8s.io.api.core.v1.GRPCAction':
    'struct|1 port pe int32|2 service oe string',
  'k8s.io.api.core.v1.GitRepoVolumeSource':
    'struct|1 repository pe string|2 revision po string|3 directory po string',
  'k8s.io.api.core.v1.GlusterfsPersistentVolumeSource':
    'struct|1 endpoints pe string|2 path pe string|3 readOnly po bool|4 endpointsNamespace oo string',
  'k8s.io.api.core.v1.GlusterfsVolumeSource':
    'struct|1 endpoints pe string|2 path pe string|3 readOnly po bool',
  'k8s.io.api.core.v1.HTTPGetAction':
    'struct|1 path po string|2 port pe k8s.io.apimachinery.pkg.util.intstr.IntOrString|3 host po string|4 scheme po string|5 httpHeaders lo HTTPHeader',
  'k8s.io.api.core.v1.HTTPHeader':
    'struct|1 name pe string|2 value pe string',
  'k8s.io.api.core.v1.HostAlias':
    'struct|1 ip pe string|2 hostnames lo string',
  'k8s.io.api.core.v1.HostIP':
    'struct|1 ip pe string',
  'k8s.io.api.core.v1.HostPathVolumeSource':
    'struct|1 path pe string|2 type oo string',
  'k8s.io.api.core.v1.ISCSIPersistentVolumeSource':
    'struct|1 targetPortal pe string|2 iqn pe string|3 lun pe int32|4 iscsiInterface po string|5 fsType po string|6 readOnly po bool|7 portals lo string|8 chapAuthDiscovery po bool|11 chapAuthSession po bool|10 secretRef oo SecretReference|12 initiatorName oo string',
  'k8s.io.api.core.v1.ISCSIVolumeSource':
    'struct|1 targetPortal pe string|2 iqn pe string|3 lun pe int32|4 iscsiInterface po string|5 fsType po string|6 readOnly po bool|7 portals lo string|8 chapAuthDiscovery po bool|11 chapAuthSession po bool|10 secretRef oo LocalObjectReference|12 initiatorName oo string',
  'k8s.io.api.core.v1.ImageVolumeSource':
    'struct|1 reference po string|2 pullPolicy po string',
  'k8s.io.api.core.v1.ImageVolumeStatus':
    'struct|1 imageRef po string',
  'k8s.io.api.core.v1.KeyToPath':
    'struct|1 key pe string|2 path pe string|3 mode oo int32',
  'k8s.io.api.core.v1.Lifecycle':
    'struct|1 postStart oo LifecycleHandler|2 preStop oo LifecycleHandler|3 stopSignal oo string',
  'k8s.io.api.core.v1.LifecycleHandler':
    'struct|1 exec oo ExecAction|2 httpGet oo HTTPGetAction|3 tcpSocket oo TCPSocketAction|4 sleep oo SleepAction',
  'k8s.io.api.core.v1.LimitRange':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe LimitRangeSpec',
  'k8s.io.api.core.v1.LimitRangeItem':
    'struct|1 type pe string|2 max mo k8s.io.apimachinery.pkg.api.resource.Quantity|3 min mo k8s.io.apimachinery.pkg.api.resource.Quantity|4 default mo k8s.io.apimachinery.pkg.api.resource.Quantity|5 defaultRequest mo k8s.io.apimachinery.pkg.api.resource.Quantity|6 maxLimitRequestRatio mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.core.v1.LimitRangeList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le LimitRange',
  'k8s.io.api.core.v1.LimitRangeSpec':
    'struct|1 limits le LimitRangeItem',
  'k8s.io.api.core.v1.LinuxContainerUser':
    'struct|1 uid pe int64|2 gid pe int64|3 supplementalGroups lo int64',
  'k8s.io.api.core.v1.List':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le k8s.io.apimachinery.pkg.runtime.RawExtension',
  'k8s.io.api.core.v1.LoadBalancerIngress':
    'struct|1 ip po string|2 hostname po string|3 ipMode oo string|4 ports lo PortStatus',
  'k8s.io.api.core.v1.LoadBalancerStatus':
    'struct|1 ingress lo LoadBalancerIngress',
  'k8s.io.api.core.v1.LocalObjectReference':
    'struct|1 name po string',
  'k8s.io.api.core.v1.LocalVolumeSource':
    'struct|1 path pe string|2 fsType oo string',
  'k8s.io.api.core.v1.ModifyVolumeStatus':
    'struct|1 targetVolumeAttributesClassName po string|2 status pe string',
  'k8s.io.api.core.v1.NFSVolumeSource':
    'struct|1 server pe string|2 path pe string|3 readOnly po bool',
  'k8s.io.api.core.v1.Namespace':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe NamespaceSpec|3 status pe NamespaceStatus',
  'k8s.io.api.core.v1.NamespaceCondition':
    'struct|1 type pe string|2 status pe string|4 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 reason po string|6 message po string',
  'k8s.io.api.core.v1.NamespaceList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Namespace',
  'k8s.io.api.core.v1.NamespaceSpec':
    'struct|1 finalizers lo string',
  'k8s.io.api.core.v1.NamespaceStatus':
    'struct|1 phase po string|2 conditions lo NamespaceCondition',
  'k8s.io.api.core.v1.Node':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe NodeSpec|3 status pe NodeStatus',
  'k8s.io.api.core.v1.NodeAddress':
    'struct|1 type pe string|2 address pe string',
  'k8s.io.api.core.v1.NodeAffinity':
    'struct|1 requiredDuringSchedulingIgnoredDuringExecution oo NodeSelector|2 preferredDuringSchedulingIgnoredDuringExecution lo PreferredSchedulingTerm',
  'k8s.io.api.core.v1.NodeAllocatableResourceClaimStatus':
    'struct|1 resourceClaimName pe string|2 containers lo string|3 resources me k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.core.v1.NodeCondition':
    'struct|1 type pe string|2 status pe string|3 lastHeartbeatTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 reason po string|6 message po string',
  'k8s.io.api.core.v1.NodeConfigSource':
    'struct|2 configMap oo ConfigMapNodeConfigSource',
  'k8s.io.api.core.v1.NodeConfigStatus':
    'struct|1 assigned oo NodeConfigSource|2 active oo NodeConfigSource|3 lastKnownGood oo NodeConfigSource|4 error po string',
  'k8s.io.api.core.v1.NodeDaemonEndpoints':
    'struct|1 kubeletEndpoint pe DaemonEndpoint',
  'k8s.io.api.core.v1.NodeFeatures':
    'struct|1 supplementalGroupsPolicy oo bool',
  'k8s.io.api.core.v1.NodeList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Node',
  'k8s.io.api.core.v1.NodeProxyOptions':
    'struct|1 path po string',
  'k8s.io.api.core.v1.NodeRuntimeHandler':
    'struct|1 name pe string|2 features oo NodeRuntimeHandlerFeatures',
  'k8s.io.api.core.v1.NodeRuntimeHandlerFeatures':
    'struct|1 recursiveReadOnlyMounts oo bool|2 userNamespaces oo bool',
  'k8s.io.api.core.v1.NodeSelector':
    'struct|1 nodeSelectorTerms le NodeSelectorTerm',
  'k8s.io.api.core.v1.NodeSelectorRequirement':
    'struct|1 key pe string|2 operator pe string|3 values lo string',
  'k8s.io.api.core.v1.NodeSelectorTerm':
    'struct|1 matchExpressions lo NodeSelectorRequirement|2 matchFields lo NodeSelectorRequirement',
  'k8s.io.api.core.v1.NodeSpec':
    'struct|1 podCIDR po string|7 podCIDRs lo string|3 providerID po string|4 unschedulable po bool|5 taints lo Taint|6 configSource oo NodeConfigSource|2 externalID po string',
  'k8s.io.api.core.v1.NodeStatus':
    'struct|1 capacity mo k8s.io.apimachinery.pkg.api.resource.Quantity|2 allocatable mo k8s.io.apimachinery.pkg.api.resource.Quantity|3 phase po string|4 conditions lo NodeCondition|5 addresses lo NodeAddress|6 daemonEndpoints pe NodeDaemonEndpoints|7 nodeInfo pe NodeSystemInfo|8 images lo ContainerImage|9 volumesInUse lo string|10 volumesAttached lo AttachedVolume|11 config oo NodeConfigStatus|12 runtimeHandlers lo NodeRuntimeHandler|13 features oo NodeFeatures|14 declaredFeatures lo string',
  'k8s.io.api.core.v1.NodeSwapStatus':
    'struct|1 capacity oo int64',
  'k8s.io.api.core.v1.NodeSystemInfo':
    'struct|1 machineID pe string|2 systemUUID pe string|3 bootID pe string|4 kernelVersion pe string|5 osImage pe string|6 containerRuntimeVersion pe string|7 kubeletVersion pe string|8 kubeProxyVersion pe string|9 operatingSystem pe string|10 architecture pe string|11 swap oo NodeSwapStatus',
  'k8s.io.api.core.v1.ObjectFieldSelector':
    'struct|1 apiVersion po string|2 fieldPath pe string',
  'k8s.io.api.core.v1.ObjectReference':
    'struct|1 kind po string|2 namespace po string|3 name po string|4 uid po string|5 apiVersion po string|6 resourceVersion po string|7 fieldPath po string',
  'k8s.io.api.core.v1.PersistentVolume':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PersistentVolumeSpec|3 status pe PersistentVolumeStatus',
  'k8s.io.api.core.v1.PersistentVolumeClaim':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PersistentVolumeClaimSpec|3 status pe PersistentVolumeClaimStatus',
  'k8s.io.api.core.v1.PersistentVolumeClaimCondition':
    'struct|1 type pe string|2 status pe string|3 lastProbeTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 reason po string|6 message po string',
  'k8s.io.api.core.v1.PersistentVolumeClaimList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PersistentVolumeClaim',
  'k8s.io.api.core.v1.PersistentVolumeClaimSpec':
    'struct|1 accessModes lo string|4 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 resources pe VolumeResourceRequirements|3 volumeName po string|5 storageClassName oo string|6 volumeMode oo string|7 dataSource oo TypedLocalObjectReference|8 dataSourceRef oo TypedObjectReference|9 volumeAttributesClassName oo string',
  'k8s.io.api.core.v1.PersistentVolumeClaimStatus':
    'struct|1 phase po string|2 accessModes lo string|3 capacity mo k8s.io.apimachinery.pkg.api.resource.Quantity|4 conditions lo PersistentVolumeClaimCondition|5 allocatedResources mo k8s.io.apimachinery.pkg.api.resource.Quantity|7 allocatedResourceStatuses mo string|8 currentVolumeAttributesClassName oo string|9 modifyVolumeStatus oo ModifyVolumeStatus',
  'k8s.io.api.core.v1.PersistentVolumeClaimTemplate':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PersistentVolumeClaimSpec',
  'k8s.io.api.core.v1.PersistentVolumeClaimVolumeSource':
    'struct|1 claimName pe string|2 readOnly po bool',
  'k8s.io.api.core.v1.PersistentVolumeList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PersistentVolume',
  'k8s.io.api.core.v1.PersistentVolumeSource':
    'struct|1 gcePersistentDisk oo GCEPersistentDiskVolumeSource|2 awsElasticBlockStore oo AWSElasticBlockStoreVolumeSource|3 hostPath oo HostPathVolumeSource|4 glusterfs oo GlusterfsPersistentVolumeSource|5 nfs oo NFSVolumeSource|6 rbd oo RBDPersistentVolumeSource|7 iscsi oo ISCSIPersistentVolumeSource|8 cinder oo CinderPersistentVolumeSource|9 cephfs oo CephFSPersistentVolumeSource|10 fc oo FCVolumeSource|11 flocker oo FlockerVolumeSource|12 flexVolume oo FlexPersistentVolumeSource|13 azureFile oo AzureFilePersistentVolumeSource|14 vsphereVolume oo VsphereVirtualDiskVolumeSource|15 quobyte oo QuobyteVolumeSource|16 azureDisk oo AzureDiskVolumeSource|17 photonPersistentDisk oo PhotonPersistentDiskVolumeSource|18 portworxVolume oo PortworxVolumeSource|19 scaleIO oo ScaleIOPersistentVolumeSource|20 local oo LocalVolumeSource|21 storageos oo StorageOSPersistentVolumeSource|22 csi oo CSIPersistentVolumeSource',
  'k8s.io.api.core.v1.PersistentVolumeSpec':
    'struct|1 capacity mo k8s.io.apimachinery.pkg.api.resource.Quantity|2 + pe PersistentVolumeSource|3 accessModes lo string|4 claimRef oo ObjectReference|5 persistentVolumeReclaimPolicy po string|6 storageClassName po string|7 mountOptions lo string|8 volumeMode oo string|9 nodeAffinity oo VolumeNodeAffinity|10 volumeAttributesClassName oo string',
  'k8s.io.api.core.v1.PersistentVolumeStatus':
    'struct|1 phase po string|2 message po string|3 reason po string|4 lastPhaseTransitionTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.core.v1.PhotonPersistentDiskVolumeSource':
    'struct|1 pdID pe string|2 fsType po string',
  'k8s.io.api.core.v1.Pod':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PodSpec|3 status pe PodStatus',
  'k8s.io.api.core.v1.PodAffinity':
    'struct|1 requiredDuringSchedulingIgnoredDuringExecution lo PodAffinityTerm|2 preferredDuringSchedulingIgnoredDuringExecution lo WeightedPodAffinityTerm',
  'k8s.io.api.core.v1.PodAffinityTerm':
    'struct|1 labelSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 namespaces lo string|3 topologyKey pe string|4 namespaceSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|5 matchLabelKeys lo string|6 mismatchLabelKeys lo string',
  'k8s.io.api.core.v1.PodAntiAffinity':
    'struct|1 requiredDuringSchedulingIgnoredDuringExecution lo PodAffinityTerm|2 preferredDuringSchedulingIgnoredDuringExecution lo WeightedPodAffinityTerm',
  'k8s.io.api.core.v1.PodAttachOptions':
    'struct|1 stdin po bool|2 stdout po bool|3 stderr po bool|4 tty po bool|5 container po string',
  'k8s.io.api.core.v1.PodCertificateProjection':
    'struct|1 signerName po string|2 keyType po string|3 maxExpirationSeconds oo int32|4 credentialBundlePath po string|5 keyPath po string|6 certificateChainPath po string|7 userAnnotations mo string',
  'k8s.io.api.core.v1.PodCondition':
    'struct|1 type pe string|7 observedGeneration po int64|2 status pe string|3 lastProbeTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|5 reason po string|6 message po string',
  'k8s.io.api.core.v1.PodDNSConfig':
    'struct|1 nameservers lo string|2 searches lo string|3 options lo PodDNSConfigOption',
  'k8s.io.api.core.v1.PodDNSConfigOption':
    'struct|1 name po string|2 value oo string',
  'k8s.io.api.core.v1.PodExecOptions':
    'struct|1 stdin po bool|2 stdout po bool|3 stderr po bool|4 tty po bool|5 container po string|6 command le string',
  'k8s.io.api.core.v1.PodExtendedResourceClaimStatus':
    'struct|1 requestMappings le ContainerExtendedResourceRequest|2 resourceClaimName pe string',
  'k8s.io.api.core.v1.PodIP':
    'struct|1 ip pe string',
  'k8s.io.api.core.v1.PodList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Pod',
  'k8s.io.api.core.v1.PodLogOptions':
    'struct|1 container po string|2 follow po bool|3 previous po bool|4 sinceSeconds oo int64|5 sinceTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time|6 timestamps po bool|7 tailLines oo int64|8 limitBytes oo int64|9 insecureSkipTLSVerifyBackend po bool|10 stream oo string',
  'k8s.io.api.core.v1.PodOS':
    'struct|1 name pe string',
  'k8s.io.api.core.v1.PodPortForwardOptions':
    'struct|1 ports lo int32',
  'k8s.io.api.core.v1.PodProxyOptions':
    'struct|1 path po string',
  'k8s.io.api.core.v1.PodReadinessGate':
    'struct|1 conditionType pe string',
  'k8s.io.api.core.v1.PodResourceClaim':
    'struct|1 name pe string|3 resourceClaimName oo string|4 resourceClaimTemplateName oo string',
  'k8s.io.api.core.v1.PodResourceClaimStatus':
    'struct|1 name pe string|2 resourceClaimName oo string',
  'k8s.io.api.core.v1.PodSchedulingGate':
    'struct|1 name pe string',
  'k8s.io.api.core.v1.PodSchedulingGroup':
    'struct|1 podGroupName oo string',
  'k8s.io.api.core.v1.PodSecurityContext':
    'struct|1 seLinuxOptions oo SELinuxOptions|8 windowsOptions oo WindowsSecurityContextOptions|2 runAsUser oo int64|6 runAsGroup oo int64|3 runAsNonRoot oo bool|4 supplementalGroups lo int64|12 supplementalGroupsPolicy oo string|5 fsGroup oo int64|7 sysctls lo Sysctl|9 fsGroupChangePolicy oo string|10 seccompProfile oo SeccompProfile|11 appArmorProfile oo AppArmorProfile|13 seLinuxChangePolicy oo string',
  'k8s.io.api.core.v1.PodSpec':
    'struct|1 volumes lo Volume|20 initContainers lo Container|2 containers le Container|34 ephemeralContainers lo EphemeralContainer|3 restartPolicy po string|4 terminationGracePeriodSeconds oo int64|5 activeDeadlineSeconds oo int64|6 dnsPolicy po string|7 nodeSelector mo string|8 serviceAccountName po string|9 serviceAccount po string|21 automountServiceAccountToken oo bool|10 nodeName po string|11 hostNetwork po bool|12 hostPID po bool|13 hostIPC po bool|27 shareProcessNamespace oo bool|14 securityContext oo PodSecurityContext|15 imagePullSecrets lo LocalObjectReference|16 hostname po string|17 subdomain po string|18 affinity oo Affinity|19 schedulerName po string|22 tolerations lo Toleration|23 hostAliases lo HostAlias|24 priorityClassName po string|25 priority oo int32|26 dnsConfig oo PodDNSConfig|28 readinessGates lo PodReadinessGate|29 runtimeClassName oo string|30 enableServiceLinks oo bool|31 preemptionPolicy oo string|32 overhead mo k8s.io.apimachinery.pkg.api.resource.Quantity|33 topologySpreadConstraints lo TopologySpreadConstraint|35 setHostnameAsFQDN oo bool|36 os oo PodOS|37 hostUsers oo bool|38 schedulingGates lo PodSchedulingGate|39 resourceClaims lo PodResourceClaim|40 resources oo ResourceRequirements|41 hostnameOverride oo string|43 schedulingGroup oo PodSchedulingGroup',
  'k8s.io.api.core.v1.PodStatus':
    'struct|17 observedGeneration po int64|1 phase po string|2 conditions lo PodCondition|3 message po string|4 reason po string|11 nominatedNodeName po string|5 hostIP po string|16 hostIPs lo HostIP|6 podIP po string|12 podIPs lo PodIP|7 startTime oo k8s.io.apimachinery.pkg.apis.meta.v1.Time|10 initContainerStatuses lo ContainerStatus|8 containerStatuses lo ContainerStatus|9 qosClass po string|13 ephemeralContainerStatuses lo ContainerStatus|14 resize po string|15 resourceClaimStatuses lo PodResourceClaimStatus|18 extendedResourceClaimStatus oo PodExtendedResourceClaimStatus|19 allocatedResources mo k8s.io.apimachinery.pkg.api.resource.Quantity|20 resources oo ResourceRequirements|21 nodeAllocatableResourceClaimStatuses lo NodeAllocatableResourceClaimStatus',
  'k8s.io.api.core.v1.PodStatusResult':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 status pe PodStatus',
  'k8s.io.api.core.v1.PodTemplate':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 template pe PodTemplateSpec',
  'k8s.io.api.core.v1.PodTemplateList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PodTemplate',
  'k8s.io.api.core.v1.PodTemplateSpec':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PodSpec',
  'k8s.io.api.core.v1.PortStatus':
    'struct|1 port pe int32|2 protocol pe string|3 error oo string',
  'k8s.io.api.core.v1.PortworxVolumeSource':
    'struct|1 volumeID pe string|2 fsType po string|3 readOnly po bool',
  'k8s.io.api.core.v1.PreferredSchedulingTerm':
    'struct|1 weight pe int32|2 preference pe NodeSelectorTerm',
  'k8s.io.api.core.v1.Probe':
    'struct|1 + pe ProbeHandler|2 initialDelaySeconds po int32|3 timeoutSeconds po int32|4 periodSeconds po int32|5 successThreshold po int32|6 failureThreshold po int32|7 terminationGracePeriodSeconds oo int64',
  'k8s.io.api.core.v1.ProbeHandler':
    'struct|1 exec oo ExecAction|2 httpGet oo HTTPGetAction|3 tcpSocket oo TCPSocketAction|4 grpc oo GRPCAction',
  'k8s.io.api.core.v1.ProjectedVolumeSource':
    'struct|1 sources le VolumeProjection|2 defaultMode oo int32',
  'k8s.io.api.core.v1.QuobyteVolumeSource':
    'struct|1 registry pe string|2 volume pe string|3 readOnly po bool|4 user po string|5 group po string|6 tenant po string',
  'k8s.io.api.core.v1.RBDPersistentVolumeSource':
    'struct|1 monitors le string|2 image pe string|3 fsType po string|4 pool po string|5 user po string|6 keyring po string|7 secretRef oo SecretReference|8 readOnly po bool',
  'k8s.io.api.core.v1.RBDVolumeSource':
    'struct|1 monitors le string|2 image pe string|3 fsType po string|4 pool po string|5 user po string|6 keyring po string|7 secretRef oo LocalObjectReference|8 readOnly po bool',
  'k8s.io.api.core.v1.RangeAllocation':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 range pe string|3 data pe bytes',
  'k8s.io.api.core.v1.ReplicationController':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ReplicationControllerSpec|3 status pe ReplicationControllerStatus',
  'k8s.io.api.core.v1.ReplicationControllerCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.core.v1.ReplicationControllerList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ReplicationController',
  'k8s.io.api.core.v1.ReplicationControllerSpec':
    'struct|1 replicas oo int32|4 minReadySeconds po int32|2 selector mo string|3 template oo PodTemplateSpec',
  'k8s.io.api.core.v1.ReplicationControllerStatus':
    'struct|1 replicas pe int32|2 fullyLabeledReplicas po int32|4 readyReplicas po int32|5 availableReplicas po int32|3 observedGeneration po int64|6 conditions lo ReplicationControllerCondition',
  'k8s.io.api.core.v1.ResourceClaim':
    'struct|1 name pe string|2 request po string',
  'k8s.io.api.core.v1.ResourceFieldSelector':
    'struct|1 containerName po string|2 resource pe string|3 divisor pe k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.core.v1.ResourceHealth':
    'struct|1 resourceID pe string|2 health po string|6 message oo string',
  'k8s.io.api.core.v1.ResourceQuota':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceQuotaSpec|3 status pe ResourceQuotaStatus',
  'k8s.io.api.core.v1.ResourceQuotaList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourceQuota',
  'k8s.io.api.core.v1.ResourceQuotaSpec':
    'struct|1 hard mo k8s.io.apimachinery.pkg.api.resource.Quantity|2 scopes lo string|3 scopeSelector oo ScopeSelector',
  'k8s.io.api.core.v1.ResourceQuotaStatus':
    'struct|1 hard mo k8s.io.apimachinery.pkg.api.resource.Quantity|2 used mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.core.v1.ResourceRequirements':
    'struct|1 limits mo k8s.io.apimachinery.pkg.api.resource.Quantity|2 requests mo k8s.io.apimachinery.pkg.api.resource.Quantity|3 claims lo ResourceClaim',
  'k8s.io.api.core.v1.ResourceStatus':
    'struct|1 name pe string|2 resources lo ResourceHealth',
  'k8s.io.api.core.v1.SELinuxOptions':
    'struct|1 user po string|2 role po string|3 type po string|4 level po string',
  'k8s.io.api.core.v1.ScaleIOPersistentVolumeSource':
    'struct|1 gateway pe string|2 system pe string|3 secretRef oe SecretReference|4 sslEnabled po bool|5 protectionDomain po string|6 storagePool po string|7 storageMode po string|8 volumeName po string|9 fsType po string|10 readOnly po bool',
  'k8s.io.api.core.v1.ScaleIOVolumeSource':
    'struct|1 gateway pe string|2 system pe string|3 secretRef oe LocalObjectReference|4 sslEnabled po bool|5 protectionDomain po string|6 storagePool po string|7 storageMode po string|8 volumeName po string|9 fsType po string|10 readOnly po bool',
  'k8s.io.api.core.v1.ScopeSelector':
    'struct|1 matchExpressions lo ScopedResourceSelectorRequirement',
  'k8s.io.api.core.v1.ScopedResourceSelectorRequirement':
    'struct|1 scopeName pe string|2 operator pe string|3 values lo string',
  'k8s.io.api.core.v1.SeccompProfile':
    'struct|1 type pe string|2 localhostProfile oo string',
  'k8s.io.api.core.v1.Secret':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|5 immutable oo bool|2 data mo bytes|4 stringData mo string|3 type po string',
  'k8s.io.api.core.v1.SecretEnvSource':
    'struct|1 + pe LocalObjectReference|2 optional oo bool',
  'k8s.io.api.core.v1.SecretKeySelector':
    'struct|1 + pe LocalObjectReference|2 key pe string|3 optional oo bool',
  'k8s.io.api.core.v1.SecretList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Secret',
  'k8s.io.api.core.v1.SecretProjection':
    'struct|1 + pe LocalObjectReference|2 items lo KeyToPath|4 optional oo bool',
  'k8s.io.api.core.v1.SecretReference':
    'struct|1 name po string|2 namespace po string',
  'k8s.io.api.core.v1.SecretVolumeSource':
    'struct|1 secretName po string|2 items lo KeyToPath|3 defaultMode oo int32|4 optional oo bool',
  'k8s.io.api.core.v1.SecurityContext':
    'struct|1 capabilities oo Capabilities|2 privileged oo bool|3 seLinuxOptions oo SELinuxOptions|10 windowsOptions oo WindowsSecurityContextOptions|4 runAsUser oo int64|8 runAsGroup oo int64|5 runAsNonRoot oo bool|6 readOnlyRootFilesystem oo bool|7 allowPrivilegeEscalation oo bool|9 procMount oo string|11 seccompProfile oo SeccompProfile|12 appArmorProfile oo AppArmorProfile',
  'k8s.io.api.core.v1.SerializedReference':
    'struct|1 reference pe ObjectReference',
  'k8s.io.api.core.v1.Service':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ServiceSpec|3 status pe ServiceStatus',
  'k8s.io.api.core.v1.ServiceAccount':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 secrets lo ObjectReference|3 imagePullSecrets lo LocalObjectReference|4 automountServiceAccountToken oo bool',
  'k8s.io.api.core.v1.ServiceAccountList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ServiceAccount',
  'k8s.io.api.core.v1.ServiceAccountTokenProjection':
    'struct|1 audience po string|2 expirationSeconds oo int64|3 path pe string',
  'k8s.io.api.core.v1.ServiceList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Service',
  'k8s.io.api.core.v1.ServicePort':
    'struct|1 name po string|2 protocol po string|6 appProtocol oo string|3 port pe int32|4 targetPort pe k8s.io.apimachinery.pkg.util.intstr.IntOrString|5 nodePort po int32',
  'k8s.io.api.core.v1.ServiceProxyOptions':
    'struct|1 path po string',
  'k8s.io.api.core.v1.ServiceSpec':
    'struct|1 ports lo ServicePort|2 selector mo string|3 clusterIP po string|18 clusterIPs lo string|4 type po string|5 externalIPs lo string|7 sessionAffinity po string|8 loadBalancerIP po string|9 loadBalancerSourceRanges lo string|10 externalName po string|11 externalTrafficPolicy po string|12 healthCheckNodePort po int32|13 publishNotReadyAddresses po bool|14 sessionAffinityConfig oo SessionAffinityConfig|19 ipFamilies lo string|17 ipFamilyPolicy oo string|20 allocateLoadBalancerNodePorts oo bool|21 loadBalancerClass oo string|22 internalTrafficPolicy oo string|23 trafficDistribution oo string',
  'k8s.io.api.core.v1.ServiceStatus':
    'struct|1 loadBalancer pe LoadBalancerStatus|2 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.core.v1.SessionAffinityConfig':
    'struct|1 clientIP oo ClientIPConfig',
  'k8s.io.api.core.v1.SleepAction':
    'struct|1 seconds pe int64',
  'k8s.io.api.core.v1.StorageOSPersistentVolumeSource':
    'struct|1 volumeName po string|2 volumeNamespace po string|3 fsType po string|4 readOnly po bool|5 secretRef oo ObjectReference',
  'k8s.io.api.core.v1.StorageOSVolumeSource':
    'struct|1 volumeName po string|2 volumeNamespace po string|3 fsType po string|4 readOnly po bool|5 secretRef oo LocalObjectReference',
  'k8s.io.api.core.v1.Sysctl':
    'struct|1 name pe string|2 value pe string',
  'k8s.io.api.core.v1.TCPSocketAction':
    'struct|1 port pe k8s.io.apimachinery.pkg.util.intstr.IntOrString|2 host po string',
  'k8s.io.api.core.v1.Taint':
    'struct|1 key pe string|2 value po string|3 effect pe string|4 timeAdded oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.core.v1.Toleration':
    'struct|1 key po string|2 operator po string|3 value po string|4 effect po string|5 tolerationSeconds oo int64',
  'k8s.io.api.core.v1.TopologySelectorLabelRequirement':
    'struct|1 key pe string|2 values le string',
  'k8s.io.api.core.v1.TopologySelectorTerm':
    'struct|1 matchLabelExpressions lo TopologySelectorLabelRequirement',
  'k8s.io.api.core.v1.TopologySpreadConstraint':
    'struct|1 maxSkew pe int32|2 topologyKey pe string|3 whenUnsatisfiable pe string|4 labelSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|5 minDomains oo int32|6 nodeAffinityPolicy oo string|7 nodeTaintsPolicy oo string|8 matchLabelKeys lo string',
  'k8s.io.api.core.v1.TypedLocalObjectReference':
    'struct|1 apiGroup oe string|2 kind pe string|3 name pe string',
  'k8s.io.api.core.v1.TypedObjectReference':
    'struct|1 apiGroup oe string|2 kind pe string|3 name pe string|4 namespace oo string',
  'k8s.io.api.core.v1.Volume':
    'struct|1 name pe string|2 + pe VolumeSource',
  'k8s.io.api.core.v1.VolumeDevice':
    'struct|1 name pe string|2 devicePath pe string',
  'k8s.io.api.core.v1.VolumeMount':
    'struct|1 name pe string|2 readOnly po bool|7 recursiveReadOnly oo string|3 mountPath pe string|4 subPath po string|5 mountPropagation oo string|6 subPathExpr po string',
  'k8s.io.api.core.v1.VolumeMountStatus':
    'struct|1 name pe string|2 mountPath pe string|3 readOnly po bool|4 recursiveReadOnly oo string|5 volumeStatus oo VolumeStatus',
  'k8s.io.api.core.v1.VolumeNodeAffinity':
    'struct|1 required oo NodeSelector',
  'k8s.io.api.core.v1.VolumeProjection':
    'struct|1 secret oo SecretProjection|2 downwardAPI oo DownwardAPIProjection|3 configMap oo ConfigMapProjection|4 serviceAccountToken oo ServiceAccountTokenProjection|5 clusterTrustBundle oo ClusterTrustBundleProjection|6 podCertificate oo PodCertificateProjection',
  'k8s.io.api.core.v1.VolumeResourceRequirements':
    'struct|1 limits mo k8s.io.apimachinery.pkg.api.resource.Quantity|2 requests mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.core.v1.VolumeSource':
    'struct|1 hostPath oo HostPathVolumeSource|2 emptyDir oo EmptyDirVolumeSource|3 gcePersistentDisk oo GCEPersistentDiskVolumeSource|4 awsElasticBlockStore oo AWSElasticBlockStoreVolumeSource|5 gitRepo oo GitRepoVolumeSource|6 secret oo SecretVolumeSource|7 nfs oo NFSVolumeSource|8 iscsi oo ISCSIVolumeSource|9 glusterfs oo GlusterfsVolumeSource|10 persistentVolumeClaim oo PersistentVolumeClaimVolumeSource|11 rbd oo RBDVolumeSource|12 flexVolume oo FlexVolumeSource|13 cinder oo CinderVolumeSource|14 cephfs oo CephFSVolumeSource|15 flocker oo FlockerVolumeSource|16 downwardAPI oo DownwardAPIVolumeSource|17 fc oo FCVolumeSource|18 azureFile oo AzureFileVolumeSource|19 configMap oo ConfigMapVolumeSource|20 vsphereVolume oo VsphereVirtualDiskVolumeSource|21 quobyte oo QuobyteVolumeSource|22 azureDisk oo AzureDiskVolumeSource|23 photonPersistentDisk oo PhotonPersistentDiskVolumeSource|26 projected oo ProjectedVolumeSource|24 portworxVolume oo PortworxVolumeSource|25 scaleIO oo ScaleIOVolumeSource|27 storageos oo StorageOSVolumeSource|28 csi oo CSIVolumeSource|29 ephemeral oo EphemeralVolumeSource|30 image oo ImageVolumeSource',
  'k8s.io.api.core.v1.VolumeStatus':
    'struct|1 image oo ImageVolumeStatus',
  'k8s.io.api.core.v1.VsphereVirtualDiskVolumeSource':
    'struct|1 volumePath pe string|2 fsType po string|3 storagePolicyName po string|4 storagePolicyID po string',
  'k8s.io.api.core.v1.WeightedPodAffinityTerm':
    'struct|1 weight pe int32|2 podAffinityTerm pe PodAffinityTerm',
  'k8s.io.api.core.v1.WindowsSecurityContextOptions':
    'struct|1 gmsaCredentialSpecName oo string|2 gmsaCredentialSpec oo string|3 runAsUserName oo string|4 hostProcess oo bool',
  'k8s.io.api.discovery.v1.Endpoint':
    'struct|1 addresses le string|2 conditions pe EndpointConditions|3 hostname oo string|4 targetRef oo k8s.io.api.core.v1.ObjectReference|5 deprecatedTopology mo string|6 nodeName oo string|7 zone oo string|8 hints oo EndpointHints',
  'k8s.io.api.discovery.v1.EndpointConditions':
    'struct|1 ready oo bool|2 serving oo bool|3 terminating oo bool',
  'k8s.io.api.discovery.v1.EndpointHints':
    'struct|1 forZones lo ForZone|2 forNodes lo ForNode',
  'k8s.io.api.discovery.v1.EndpointPort':
    'struct|1 name oo string|2 protocol oo string|3 port oo int32|4 appProtocol oo string',
  'k8s.io.api.discovery.v1.EndpointSlice':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|4 addressType pe string|2 endpoints le Endpoint|3 ports le EndpointPort',
  'k8s.io.api.discovery.v1.EndpointSliceList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le EndpointSlice',
  'k8s.io.api.discovery.v1.ForNode':
    'struct|1 name pe string',
  'k8s.io.api.discovery.v1.ForZone':
    'struct|1 name pe string',
  'k8s.io.api.discovery.v1beta1.Endpoint':
    'struct|1 addresses le string|2 conditions pe EndpointConditions|3 hostname oo string|4 targetRef oo k8s.io.api.core.v1.ObjectReference|5 topology mo string|6 nodeName oo string|7 hints oo EndpointHints',
  'k8s.io.api.discovery.v1beta1.EndpointConditions':
    'struct|1 ready oo bool|2 serving oo bool|3 terminating oo bool',
  'k8s.io.api.discovery.v1beta1.EndpointHints':
    'struct|1 forZones lo ForZone|2 forNodes lo ForNode',
  'k8s.io.api.discovery.v1beta1.EndpointPort':
    'struct|1 name oo string|2 protocol oo string|3 port oo int32|4 appProtocol oo string',
  'k8s.io.api.discovery.v1beta1.EndpointSlice':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|4 addressType pe string|2 endpoints le Endpoint|3 ports le EndpointPort',
  'k8s.io.api.discovery.v1beta1.EndpointSliceList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le EndpointSlice',
  'k8s.io.api.discovery.v1beta1.ForNode':
    'struct|1 name pe string',
  'k8s.io.api.discovery.v1beta1.ForZone':
    'struct|1 name pe string',
  'k8s.io.api.events.v1.Event':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 eventTime pe k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|3 series oo EventSeries|4 reportingController po string|5 reportingInstance po string|6 action po string|7 reason po string|8 regarding pe k8s.io.api.core.v1.ObjectReference|9 related oo k8s.io.api.core.v1.ObjectReference|10 note po string|11 type po string|12 deprecatedSource pe k8s.io.api.core.v1.EventSource|13 deprecatedFirstTimestamp pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|14 deprecatedLastTimestamp pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|15 deprecatedCount po int32',
  'k8s.io.api.events.v1.EventList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Event',
  'k8s.io.api.events.v1.EventSeries':
    'struct|1 count pe int32|2 lastObservedTime pe k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime',
  'k8s.io.api.events.v1beta1.Event':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 eventTime pe k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime|3 series oo EventSeries|4 reportingController po string|5 reportingInstance po string|6 action po string|7 reason po string|8 regarding pe k8s.io.api.core.v1.ObjectReference|9 related oo k8s.io.api.core.v1.ObjectReference|10 note po string|11 type po string|12 deprecatedSource pe k8s.io.api.core.v1.EventSource|13 deprecatedFirstTimestamp pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|14 deprecatedLastTimestamp pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|15 deprecatedCount po int32',
  'k8s.io.api.events.v1beta1.EventList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Event',
  'k8s.io.api.events.v1beta1.EventSeries':
    'struct|1 count pe int32|2 lastObservedTime pe k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime',
  'k8s.io.api.extensions.v1beta1.DaemonSet':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DaemonSetSpec|3 status pe DaemonSetStatus',
  'k8s.io.api.extensions.v1beta1.DaemonSetCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.extensions.v1beta1.DaemonSetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le DaemonSet',
  'k8s.io.api.extensions.v1beta1.DaemonSetSpec':
    'struct|1 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 template pe k8s.io.api.core.v1.PodTemplateSpec|3 updateStrategy pe DaemonSetUpdateStrategy|4 minReadySeconds po int32|5 templateGeneration po int64|6 revisionHistoryLimit oo int32',
  'k8s.io.api.extensions.v1beta1.DaemonSetStatus':
    'struct|1 currentNumberScheduled pe int32|2 numberMisscheduled pe int32|3 desiredNumberScheduled pe int32|4 numberReady pe int32|5 observedGeneration po int64|6 updatedNumberScheduled po int32|7 numberAvailable po int32|8 numberUnavailable po int32|9 collisionCount oo int32|10 conditions lo DaemonSetCondition',
  'k8s.io.api.extensions.v1beta1.DaemonSetUpdateStrategy':
    'struct|1 type po string|2 rollingUpdate oo RollingUpdateDaemonSet',
  'k8s.io.api.extensions.v1beta1.Deployment':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DeploymentSpec|3 status pe DeploymentStatus',
  'k8s.io.api.extensions.v1beta1.DeploymentCondition':
    'struct|1 type pe string|2 status pe string|6 lastUpdateTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|7 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.extensions.v1beta1.DeploymentList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Deployment',
  'k8s.io.api.extensions.v1beta1.DeploymentRollback':
    'struct|1 name pe string|2 updatedAnnotations mo string|3 rollbackTo pe RollbackConfig',
  'k8s.io.api.extensions.v1beta1.DeploymentSpec':
    'struct|1 replicas oo int32|2 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 template pe k8s.io.api.core.v1.PodTemplateSpec|4 strategy pe DeploymentStrategy|5 minReadySeconds po int32|6 revisionHistoryLimit oo int32|7 paused po bool|8 rollbackTo oo RollbackConfig|9 progressDeadlineSeconds oo int32',
  'k8s.io.api.extensions.v1beta1.DeploymentStatus':
    'struct|1 observedGeneration po int64|2 replicas po int32|3 updatedReplicas po int32|7 readyReplicas po int32|4 availableReplicas po int32|5 unavailableReplicas po int32|9 terminatingReplicas oo int32|6 conditions lo DeploymentCondition|8 collisionCount oo int32',
  'k8s.io.api.extensions.v1beta1.DeploymentStrategy':
    'struct|1 type po string|2 rollingUpdate oo RollingUpdateDeployment',
  'k8s.io.api.extensions.v1beta1.HTTPIngressPath':
    'struct|1 path po string|3 pathType oo string|2 backend pe IngressBackend',
  'k8s.io.api.extensions.v1beta1.HTTPIngressRuleValue':
    'struct|1 paths le HTTPIngressPath',
  'k8s.io.api.extensions.v1beta1.IPBlock':
    'struct|1 cidr pe string|2 except lo string',
  'k8s.io.api.extensions.v1beta1.Ingress':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe IngressSpec|3 status pe IngressStatus',
  'k8s.io.api.extensions.v1beta1.IngressBackend':
    'struct|1 serviceName po string|2 servicePort pe k8s.io.apimachinery.pkg.util.intstr.IntOrString|3 resource oo k8s.io.api.core.v1.TypedLocalObjectReference',
  'k8s.io.api.extensions.v1beta1.IngressList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Ingress',
  'k8s.io.api.extensions.v1beta1.IngressLoadBalancerIngress':
    'struct|1 ip po string|2 hostname po string|4 ports lo IngressPortStatus',
  'k8s.io.api.extensions.v1beta1.IngressLoadBalancerStatus':
    'struct|1 ingress lo IngressLoadBalancerIngress',
  'k8s.io.api.extensions.v1beta1.IngressPortStatus':
    'struct|1 port pe int32|2 protocol pe string|3 error oo string',
  'k8s.io.api.extensions.v1beta1.IngressRule':
    'struct|1 host po string|2 + pe IngressRuleValue',
  'k8s.io.api.extensions.v1beta1.IngressRuleValue':
    'struct|1 http oo HTTPIngressRuleValue',
  'k8s.io.api.extensions.v1beta1.IngressSpec':
    'struct|4 ingressClassName oo string|1 backend oo IngressBackend|2 tls lo IngressTLS|3 rules lo IngressRule',
  'k8s.io.api.extensions.v1beta1.IngressStatus':
    'struct|1 loadBalancer pe IngressLoadBalancerStatus',
  'k8s.io.api.extensions.v1beta1.IngressTLS':
    'struct|1 hosts lo string|2 secretName po string',
  'k8s.io.api.extensions.v1beta1.NetworkPolicy':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe NetworkPolicySpec',
  'k8s.io.api.extensions.v1beta1.NetworkPolicyEgressRule':
    'struct|1 ports lo NetworkPolicyPort|2 to lo NetworkPolicyPeer',
  'k8s.io.api.extensions.v1beta1.NetworkPolicyIngressRule':
    'struct|1 ports lo NetworkPolicyPort|2 from lo NetworkPolicyPeer',
  'k8s.io.api.extensions.v1beta1.NetworkPolicyList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le NetworkPolicy',
  'k8s.io.api.extensions.v1beta1.NetworkPolicyPeer':
    'struct|1 podSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 namespaceSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 ipBlock oo IPBlock',
  'k8s.io.api.extensions.v1beta1.NetworkPolicyPort':
    'struct|1 protocol oo string|2 port oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|3 endPort oo int32',
  'k8s.io.api.extensions.v1beta1.NetworkPolicySpec':
    'struct|1 podSelector pe k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 ingress lo NetworkPolicyIngressRule|3 egress lo NetworkPolicyEgressRule|4 policyTypes lo string',
  'k8s.io.api.extensions.v1beta1.ReplicaSet':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ReplicaSetSpec|3 status pe ReplicaSetStatus',
  'k8s.io.api.extensions.v1beta1.ReplicaSetCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.extensions.v1beta1.ReplicaSetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ReplicaSet',
  'k8s.io.api.extensions.v1beta1.ReplicaSetSpec':
    'struct|1 replicas oo int32|4 minReadySeconds po int32|2 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 template pe k8s.io.api.core.v1.PodTemplateSpec',
  'k8s.io.api.extensions.v1beta1.ReplicaSetStatus':
    'struct|1 replicas pe int32|2 fullyLabeledReplicas po int32|4 readyReplicas po int32|5 availableReplicas po int32|7 terminatingReplicas oo int32|3 observedGeneration po int64|6 conditions lo ReplicaSetCondition',
  'k8s.io.api.extensions.v1beta1.RollbackConfig':
    'struct|1 revision po int64',
  'k8s.io.api.extensions.v1beta1.RollingUpdateDaemonSet':
    'struct|1 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|2 maxSurge oo k8s.io.apimachinery.pkg.util.intstr.IntOrString',
  'k8s.io.api.extensions.v1beta1.RollingUpdateDeployment':
    'struct|1 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|2 maxSurge oo k8s.io.apimachinery.pkg.util.intstr.IntOrString',
  'k8s.io.api.extensions.v1beta1.Scale':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ScaleSpec|3 status pe ScaleStatus',
  'k8s.io.api.extensions.v1beta1.ScaleSpec':
    'struct|1 replicas po int32',
  'k8s.io.api.extensions.v1beta1.ScaleStatus':
    'struct|1 replicas pe int32|2 selector mo string|3 targetSelector po string',
  'k8s.io.api.flowcontrol.v1.ExemptPriorityLevelConfiguration':
    'struct|1 nominalConcurrencyShares oo int32|2 lendablePercent oo int32',
  'k8s.io.api.flowcontrol.v1.FlowDistinguisherMethod':
    'struct|1 type pe string',
  'k8s.io.api.flowcontrol.v1.FlowSchema':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe FlowSchemaSpec|3 status pe FlowSchemaStatus',
  'k8s.io.api.flowcontrol.v1.FlowSchemaCondition':
    'struct|1 type po string|2 status po string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.flowcontrol.v1.FlowSchemaList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le FlowSchema',
  'k8s.io.api.flowcontrol.v1.FlowSchemaSpec':
    'struct|1 priorityLevelConfiguration pe PriorityLevelConfigurationReference|2 matchingPrecedence pe int32|3 distinguisherMethod oo FlowDistinguisherMethod|4 rules lo PolicyRulesWithSubjects',
  'k8s.io.api.flowcontrol.v1.FlowSchemaStatus':
    'struct|1 conditions lo FlowSchemaCondition',
  'k8s.io.api.flowcontrol.v1.GroupSubject':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1.LimitResponse':
    'struct|1 type pe string|2 queuing oo QueuingConfiguration',
  'k8s.io.api.flowcontrol.v1.LimitedPriorityLevelConfiguration':
    'struct|1 nominalConcurrencyShares oe int32|2 limitResponse pe LimitResponse|3 lendablePercent oo int32|4 borrowingLimitPercent oo int32',
  'k8s.io.api.flowcontrol.v1.NonResourcePolicyRule':
    'struct|1 verbs le string|6 nonResourceURLs le string',
  'k8s.io.api.flowcontrol.v1.PolicyRulesWithSubjects':
    'struct|1 subjects le Subject|2 resourceRules lo ResourcePolicyRule|3 nonResourceRules lo NonResourcePolicyRule',
  'k8s.io.api.flowcontrol.v1.PriorityLevelConfiguration':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PriorityLevelConfigurationSpec|3 status pe PriorityLevelConfigurationStatus',
  'k8s.io.api.flowcontrol.v1.PriorityLevelConfigurationCondition':
    'struct|1 type po string|2 status po string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.flowcontrol.v1.PriorityLevelConfigurationList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PriorityLevelConfiguration',
  'k8s.io.api.flowcontrol.v1.PriorityLevelConfigurationReference':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1.PriorityLevelConfigurationSpec':
    'struct|1 type pe string|2 limited oo LimitedPriorityLevelConfiguration|3 exempt oo ExemptPriorityLevelConfiguration',
  'k8s.io.api.flowcontrol.v1.PriorityLevelConfigurationStatus':
    'struct|1 conditions lo PriorityLevelConfigurationCondition',
  'k8s.io.api.flowcontrol.v1.QueuingConfiguration':
    'struct|1 queues pe int32|2 handSize pe int32|3 queueLengthLimit pe int32',
  'k8s.io.api.flowcontrol.v1.ResourcePolicyRule':
    'struct|1 verbs le string|2 apiGroups le string|3 resources le string|4 clusterScope po bool|5 namespaces le string',
  'k8s.io.api.flowcontrol.v1.ServiceAccountSubject':
    'struct|1 namespace pe string|2 name pe string',
  'k8s.io.api.flowcontrol.v1.Subject':
    'struct|1 kind pe string|2 user oo UserSubject|3 group oo GroupSubject|4 serviceAccount oo ServiceAccountSubject',
  'k8s.io.api.flowcontrol.v1.UserSubject':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1beta1.ExemptPriorityLevelConfiguration':
    'struct|1 nominalConcurrencyShares oo int32|2 lendablePercent oo int32',
  'k8s.io.api.flowcontrol.v1beta1.FlowDistinguisherMethod':
    'struct|1 type pe string',
  'k8s.io.api.flowcontrol.v1beta1.FlowSchema':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe FlowSchemaSpec|3 status pe FlowSchemaStatus',
  'k8s.io.api.flowcontrol.v1beta1.FlowSchemaCondition':
    'struct|1 type po string|2 status po string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.flowcontrol.v1beta1.FlowSchemaList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le FlowSchema',
  'k8s.io.api.flowcontrol.v1beta1.FlowSchemaSpec':
    'struct|1 priorityLevelConfiguration pe PriorityLevelConfigurationReference|2 matchingPrecedence pe int32|3 distinguisherMethod oo FlowDistinguisherMethod|4 rules lo PolicyRulesWithSubjects',
  'k8s.io.api.flowcontrol.v1beta1.FlowSchemaStatus':
    'struct|1 conditions lo FlowSchemaCondition',
  'k8s.io.api.flowcontrol.v1beta1.GroupSubject':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1beta1.LimitResponse':
    'struct|1 type pe string|2 queuing oo QueuingConfiguration',
  'k8s.io.api.flowcontrol.v1beta1.LimitedPriorityLevelConfiguration':
    'struct|1 assuredConcurrencyShares pe int32|2 limitResponse pe LimitResponse|3 lendablePercent oo int32|4 borrowingLimitPercent oo int32',
  'k8s.io.api.flowcontrol.v1beta1.NonResourcePolicyRule':
    'struct|1 verbs le string|6 nonResourceURLs le string',
  'k8s.io.api.flowcontrol.v1beta1.PolicyRulesWithSubjects':
    'struct|1 subjects le Subject|2 resourceRules lo ResourcePolicyRule|3 nonResourceRules lo NonResourcePolicyRule',
  'k8s.io.api.flowcontrol.v1beta1.PriorityLevelConfiguration':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PriorityLevelConfigurationSpec|3 status pe PriorityLevelConfigurationStatus',
  'k8s.io.api.flowcontrol.v1beta1.PriorityLevelConfigurationCondition':
    'struct|1 type po string|2 status po string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.flowcontrol.v1beta1.PriorityLevelConfigurationList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PriorityLevelConfiguration',
  'k8s.io.api.flowcontrol.v1beta1.PriorityLevelConfigurationReference':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1beta1.PriorityLevelConfigurationSpec':
    'struct|1 type pe string|2 limited oo LimitedPriorityLevelConfiguration|3 exempt oo ExemptPriorityLevelConfiguration',
  'k8s.io.api.flowcontrol.v1beta1.PriorityLevelConfigurationStatus':
    'struct|1 conditions lo PriorityLevelConfigurationCondition',
  'k8s.io.api.flowcontrol.v1beta1.QueuingConfiguration':
    'struct|1 queues pe int32|2 handSize pe int32|3 queueLengthLimit pe int32',
  'k8s.io.api.flowcontrol.v1beta1.ResourcePolicyRule':
    'struct|1 verbs le string|2 apiGroups le string|3 resources le string|4 clusterScope po bool|5 namespaces le string',
  'k8s.io.api.flowcontrol.v1beta1.ServiceAccountSubject':
    'struct|1 namespace pe string|2 name pe string',
  'k8s.io.api.flowcontrol.v1beta1.Subject':
    'struct|1 kind pe string|2 user oo UserSubject|3 group oo GroupSubject|4 serviceAccount oo ServiceAccountSubject',
  'k8s.io.api.flowcontrol.v1beta1.UserSubject':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1beta2.ExemptPriorityLevelConfiguration':
    'struct|1 nominalConcurrencyShares oo int32|2 lendablePercent oo int32',
  'k8s.io.api.flowcontrol.v1beta2.FlowDistinguisherMethod':
    'struct|1 type pe string',
  'k8s.io.api.flowcontrol.v1beta2.FlowSchema':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe FlowSchemaSpec|3 status pe FlowSchemaStatus',
  'k8s.io.api.flowcontrol.v1beta2.FlowSchemaCondition':
    'struct|1 type po string|2 status po string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.flowcontrol.v1beta2.FlowSchemaList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le FlowSchema',
  'k8s.io.api.flowcontrol.v1beta2.FlowSchemaSpec':
    'struct|1 priorityLevelConfiguration pe PriorityLevelConfigurationReference|2 matchingPrecedence pe int32|3 distinguisherMethod oo FlowDistinguisherMethod|4 rules lo PolicyRulesWithSubjects',
  'k8s.io.api.flowcontrol.v1beta2.FlowSchemaStatus':
    'struct|1 conditions lo FlowSchemaCondition',
  'k8s.io.api.flowcontrol.v1beta2.GroupSubject':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1beta2.LimitResponse':
    'struct|1 type pe string|2 queuing oo QueuingConfiguration',
  'k8s.io.api.flowcontrol.v1beta2.LimitedPriorityLevelConfiguration':
    'struct|1 assuredConcurrencyShares pe int32|2 limitResponse pe LimitResponse|3 lendablePercent oo int32|4 borrowingLimitPercent oo int32',
  'k8s.io.api.flowcontrol.v1beta2.NonResourcePolicyRule':
    'struct|1 verbs le string|6 nonResourceURLs le string',
  'k8s.io.api.flowcontrol.v1beta2.PolicyRulesWithSubjects':
    'struct|1 subjects le Subject|2 resourceRules lo ResourcePolicyRule|3 nonResourceRules lo NonResourcePolicyRule',
  'k8s.io.api.flowcontrol.v1beta2.PriorityLevelConfiguration':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PriorityLevelConfigurationSpec|3 status pe PriorityLevelConfigurationStatus',
  'k8s.io.api.flowcontrol.v1beta2.PriorityLevelConfigurationCondition':
    'struct|1 type po string|2 status po string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.flowcontrol.v1beta2.PriorityLevelConfigurationList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PriorityLevelConfiguration',
  'k8s.io.api.flowcontrol.v1beta2.PriorityLevelConfigurationReference':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1beta2.PriorityLevelConfigurationSpec':
    'struct|1 type pe string|2 limited oo LimitedPriorityLevelConfiguration|3 exempt oo ExemptPriorityLevelConfiguration',
  'k8s.io.api.flowcontrol.v1beta2.PriorityLevelConfigurationStatus':
    'struct|1 conditions lo PriorityLevelConfigurationCondition',
  'k8s.io.api.flowcontrol.v1beta2.QueuingConfiguration':
    'struct|1 queues pe int32|2 handSize pe int32|3 queueLengthLimit pe int32',
  'k8s.io.api.flowcontrol.v1beta2.ResourcePolicyRule':
    'struct|1 verbs le string|2 apiGroups le string|3 resources le string|4 clusterScope po bool|5 namespaces le string',
  'k8s.io.api.flowcontrol.v1beta2.ServiceAccountSubject':
    'struct|1 namespace pe string|2 name pe string',
  'k8s.io.api.flowcontrol.v1beta2.Subject':
    'struct|1 kind pe string|2 user oo UserSubject|3 group oo GroupSubject|4 serviceAccount oo ServiceAccountSubject',
  'k8s.io.api.flowcontrol.v1beta2.UserSubject':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1beta3.ExemptPriorityLevelConfiguration':
    'struct|1 nominalConcurrencyShares oo int32|2 lendablePercent oo int32',
  'k8s.io.api.flowcontrol.v1beta3.FlowDistinguisherMethod':
    'struct|1 type pe string',
  'k8s.io.api.flowcontrol.v1beta3.FlowSchema':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe FlowSchemaSpec|3 status pe FlowSchemaStatus',
  'k8s.io.api.flowcontrol.v1beta3.FlowSchemaCondition':
    'struct|1 type po string|2 status po string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.flowcontrol.v1beta3.FlowSchemaList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le FlowSchema',
  'k8s.io.api.flowcontrol.v1beta3.FlowSchemaSpec':
    'struct|1 priorityLevelConfiguration pe PriorityLevelConfigurationReference|2 matchingPrecedence pe int32|3 distinguisherMethod oo FlowDistinguisherMethod|4 rules lo PolicyRulesWithSubjects',
  'k8s.io.api.flowcontrol.v1beta3.FlowSchemaStatus':
    'struct|1 conditions lo FlowSchemaCondition',
  'k8s.io.api.flowcontrol.v1beta3.GroupSubject':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1beta3.LimitResponse':
    'struct|1 type pe string|2 queuing oo QueuingConfiguration',
  'k8s.io.api.flowcontrol.v1beta3.LimitedPriorityLevelConfiguration':
    'struct|1 nominalConcurrencyShares pe int32|2 limitResponse pe LimitResponse|3 lendablePercent oo int32|4 borrowingLimitPercent oo int32',
  'k8s.io.api.flowcontrol.v1beta3.NonResourcePolicyRule':
    'struct|1 verbs le string|6 nonResourceURLs le string',
  'k8s.io.api.flowcontrol.v1beta3.PolicyRulesWithSubjects':
    'struct|1 subjects le Subject|2 resourceRules lo ResourcePolicyRule|3 nonResourceRules lo NonResourcePolicyRule',
  'k8s.io.api.flowcontrol.v1beta3.PriorityLevelConfiguration':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PriorityLevelConfigurationSpec|3 status pe PriorityLevelConfigurationStatus',
  'k8s.io.api.flowcontrol.v1beta3.PriorityLevelConfigurationCondition':
    'struct|1 type po string|2 status po string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.api.flowcontrol.v1beta3.PriorityLevelConfigurationList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PriorityLevelConfiguration',
  'k8s.io.api.flowcontrol.v1beta3.PriorityLevelConfigurationReference':
    'struct|1 name pe string',
  'k8s.io.api.flowcontrol.v1beta3.PriorityLevelConfigurationSpec':
    'struct|1 type pe string|2 limited oo LimitedPriorityLevelConfiguration|3 exempt oo ExemptPriorityLevelConfiguration',
  'k8s.io.api.flowcontrol.v1beta3.PriorityLevelConfigurationStatus':
    'struct|1 conditions lo PriorityLevelConfigurationCondition',
  'k8s.io.api.flowcontrol.v1beta3.QueuingConfiguration':
    'struct|1 queues pe int32|2 handSize pe int32|3 queueLengthLimit pe int32',
  'k8s.io.api.flowcontrol.v1beta3.ResourcePolicyRule':
    'struct|1 verbs le string|2 apiGroups le string|3 resources le string|4 clusterScope po bool|5 namespaces le string',
  'k8s.io.api.flowcontrol.v1beta3.ServiceAccountSubject':
    'struct|1 namespace pe string|2 name pe string',
  'k8s.io.api.flowcontrol.v1beta3.Subject':
    'struct|1 kind pe string|2 user oo UserSubject|3 group oo GroupSubject|4 serviceAccount oo ServiceAccountSubject',
  'k8s.io.api.flowcontrol.v1beta3.UserSubject':
    'struct|1 name pe string',
  'k8s.io.api.imagepolicy.v1alpha1.ImageReview':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ImageReviewSpec|3 status pe ImageReviewStatus',
  'k8s.io.api.imagepolicy.v1alpha1.ImageReviewContainerSpec':
    'struct|1 image po string',
  'k8s.io.api.imagepolicy.v1alpha1.ImageReviewSpec':
    'struct|1 containers lo ImageReviewContainerSpec|2 annotations mo string|3 namespace po string',
  'k8s.io.api.imagepolicy.v1alpha1.ImageReviewStatus':
    'struct|1 allowed pe bool|2 reason po string|3 auditAnnotations mo string',
  'k8s.io.api.networking.v1.HTTPIngressPath':
    'struct|1 path po string|3 pathType oe string|2 backend pe IngressBackend',
  'k8s.io.api.networking.v1.HTTPIngressRuleValue':
    'struct|1 paths le HTTPIngressPath',
  'k8s.io.api.networking.v1.IPAddress':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe IPAddressSpec',
  'k8s.io.api.networking.v1.IPAddressList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le IPAddress',
  'k8s.io.api.networking.v1.IPAddressSpec':
    'struct|1 parentRef oo ParentReference',
  'k8s.io.api.networking.v1.IPBlock':
    'struct|1 cidr pe string|2 except lo string',
  'k8s.io.api.networking.v1.Ingress':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe IngressSpec|3 status pe IngressStatus',
  'k8s.io.api.networking.v1.IngressBackend':
    'struct|4 service oo IngressServiceBackend|3 resource oo k8s.io.api.core.v1.TypedLocalObjectReference',
  'k8s.io.api.networking.v1.IngressClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe IngressClassSpec',
  'k8s.io.api.networking.v1.IngressClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le IngressClass',
  'k8s.io.api.networking.v1.IngressClassParametersReference':
    'struct|1 apiGroup oo string|2 kind pe string|3 name pe string|4 scope oe string|5 namespace oo string',
  'k8s.io.api.networking.v1.IngressClassSpec':
    'struct|1 controller po string|2 parameters oo IngressClassParametersReference',
  'k8s.io.api.networking.v1.IngressList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Ingress',
  'k8s.io.api.networking.v1.IngressLoadBalancerIngress':
    'struct|1 ip po string|2 hostname po string|4 ports lo IngressPortStatus',
  'k8s.io.api.networking.v1.IngressLoadBalancerStatus':
    'struct|1 ingress lo IngressLoadBalancerIngress',
  'k8s.io.api.networking.v1.IngressPortStatus':
    'struct|1 port pe int32|2 protocol pe string|3 error oo string',
  'k8s.io.api.networking.v1.IngressRule':
    'struct|1 host po string|2 + pe IngressRuleValue',
  'k8s.io.api.networking.v1.IngressRuleValue':
    'struct|1 http oo HTTPIngressRuleValue',
  'k8s.io.api.networking.v1.IngressServiceBackend':
    'struct|1 name pe string|2 port pe ServiceBackendPort',
  'k8s.io.api.networking.v1.IngressSpec':
    'struct|4 ingressClassName oo string|1 defaultBackend oo IngressBackend|2 tls lo IngressTLS|3 rules lo IngressRule',
  'k8s.io.api.networking.v1.IngressStatus':
    'struct|1 loadBalancer pe IngressLoadBalancerStatus',
  'k8s.io.api.networking.v1.IngressTLS':
    'struct|1 hosts lo string|2 secretName po string',
  'k8s.io.api.networking.v1.NetworkPolicy':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe NetworkPolicySpec',
  'k8s.io.api.networking.v1.NetworkPolicyEgressRule':
    'struct|1 ports lo NetworkPolicyPort|2 to lo NetworkPolicyPeer',
  'k8s.io.api.networking.v1.NetworkPolicyIngressRule':
    'struct|1 ports lo NetworkPolicyPort|2 from lo NetworkPolicyPeer',
  'k8s.io.api.networking.v1.NetworkPolicyList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le NetworkPolicy',
  'k8s.io.api.networking.v1.NetworkPolicyPeer':
    'struct|1 podSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 namespaceSelector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 ipBlock oo IPBlock',
  'k8s.io.api.networking.v1.NetworkPolicyPort':
    'struct|1 protocol oo string|2 port oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|3 endPort oo int32',
  'k8s.io.api.networking.v1.NetworkPolicySpec':
    'struct|1 podSelector pe k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|2 ingress lo NetworkPolicyIngressRule|3 egress lo NetworkPolicyEgressRule|4 policyTypes lo string',
  'k8s.io.api.networking.v1.ParentReference':
    'struct|1 group po string|2 resource po string|3 namespace po string|4 name po string',
  'k8s.io.api.networking.v1.ServiceBackendPort':
    'struct|1 name po string|2 number po int32',
  'k8s.io.api.networking.v1.ServiceCIDR':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ServiceCIDRSpec|3 status pe ServiceCIDRStatus',
  'k8s.io.api.networking.v1.ServiceCIDRList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ServiceCIDR',
  'k8s.io.api.networking.v1.ServiceCIDRSpec':
    'struct|1 cidrs lo string',
  'k8s.io.api.networking.v1.ServiceCIDRStatus':
    'struct|1 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.networking.v1beta1.HTTPIngressPath':
    'struct|1 path po string|3 pathType oo string|2 backend pe IngressBackend',
  'k8s.io.api.networking.v1beta1.HTTPIngressRuleValue':
    'struct|1 paths le HTTPIngressPath',
  'k8s.io.api.networking.v1beta1.IPAddress':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe IPAddressSpec',
  'k8s.io.api.networking.v1beta1.IPAddressList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le IPAddress',
  'k8s.io.api.networking.v1beta1.IPAddressSpec':
    'struct|1 parentRef oo ParentReference',
  'k8s.io.api.networking.v1beta1.Ingress':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe IngressSpec|3 status pe IngressStatus',
  'k8s.io.api.networking.v1beta1.IngressBackend':
    'struct|1 serviceName po string|2 servicePort pe k8s.io.apimachinery.pkg.util.intstr.IntOrString|3 resource oo k8s.io.api.core.v1.TypedLocalObjectReference',
  'k8s.io.api.networking.v1beta1.IngressClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe IngressClassSpec',
  'k8s.io.api.networking.v1beta1.IngressClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le IngressClass',
  'k8s.io.api.networking.v1beta1.IngressClassParametersReference':
    'struct|1 apiGroup oo string|2 kind pe string|3 name pe string|4 scope oe string|5 namespace oo string',
  'k8s.io.api.networking.v1beta1.IngressClassSpec':
    'struct|1 controller po string|2 parameters oo IngressClassParametersReference',
  'k8s.io.api.networking.v1beta1.IngressList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Ingress',
  'k8s.io.api.networking.v1beta1.IngressLoadBalancerIngress':
    'struct|1 ip po string|2 hostname po string|4 ports lo IngressPortStatus',
  'k8s.io.api.networking.v1beta1.IngressLoadBalancerStatus':
    'struct|1 ingress lo IngressLoadBalancerIngress',
  'k8s.io.api.networking.v1beta1.IngressPortStatus':
    'struct|1 port pe int32|2 protocol pe string|3 error oo string',
  'k8s.io.api.networking.v1beta1.IngressRule':
    'struct|1 host po string|2 + pe IngressRuleValue',
  'k8s.io.api.networking.v1beta1.IngressRuleValue':
    'struct|1 http oo HTTPIngressRuleValue',
  'k8s.io.api.networking.v1beta1.IngressSpec':
    'struct|4 ingressClassName oo string|1 backend oo IngressBackend|2 tls lo IngressTLS|3 rules lo IngressRule',
  'k8s.io.api.networking.v1beta1.IngressStatus':
    'struct|1 loadBalancer pe IngressLoadBalancerStatus',
  'k8s.io.api.networking.v1beta1.IngressTLS':
    'struct|1 hosts lo string|2 secretName po string',
  'k8s.io.api.networking.v1beta1.ParentReference':
    'struct|1 group po string|2 resource po string|3 namespace po string|4 name po string',
  'k8s.io.api.networking.v1beta1.ServiceCIDR':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ServiceCIDRSpec|3 status pe ServiceCIDRStatus',
  'k8s.io.api.networking.v1beta1.ServiceCIDRList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ServiceCIDR',
  'k8s.io.api.networking.v1beta1.ServiceCIDRSpec':
    'struct|1 cidrs lo string',
  'k8s.io.api.networking.v1beta1.ServiceCIDRStatus':
    'struct|1 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.node.v1.Overhead':
    'struct|1 podFixed mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.node.v1.RuntimeClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 handler pe string|3 overhead oo Overhead|4 scheduling oo Scheduling',
  'k8s.io.api.node.v1.RuntimeClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le RuntimeClass',
  'k8s.io.api.node.v1.Scheduling':
    'struct|1 nodeSelector mo string|2 tolerations lo k8s.io.api.core.v1.Toleration',
  'k8s.io.api.node.v1alpha1.Overhead':
    'struct|1 podFixed mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.node.v1alpha1.RuntimeClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe RuntimeClassSpec',
  'k8s.io.api.node.v1alpha1.RuntimeClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le RuntimeClass',
  'k8s.io.api.node.v1alpha1.RuntimeClassSpec':
    'struct|1 runtimeHandler pe string|2 overhead oo Overhead|3 scheduling oo Scheduling',
  'k8s.io.api.node.v1alpha1.Scheduling':
    'struct|1 nodeSelector mo string|2 tolerations lo k8s.io.api.core.v1.Toleration',
  'k8s.io.api.node.v1beta1.Overhead':
    'struct|1 podFixed mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.node.v1beta1.RuntimeClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 handler pe string|3 overhead oo Overhead|4 scheduling oo Scheduling',
  'k8s.io.api.node.v1beta1.RuntimeClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le RuntimeClass',
  'k8s.io.api.node.v1beta1.Scheduling':
    'struct|1 nodeSelector mo string|2 tolerations lo k8s.io.api.core.v1.Toleration',
  'k8s.io.api.policy.v1.Eviction':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 deleteOptions oo k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions',
  'k8s.io.api.policy.v1.PodDisruptionBudget':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PodDisruptionBudgetSpec|3 status pe PodDisruptionBudgetStatus',
  'k8s.io.api.policy.v1.PodDisruptionBudgetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PodDisruptionBudget',
  'k8s.io.api.policy.v1.PodDisruptionBudgetSpec':
    'struct|1 minAvailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|2 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|4 unhealthyPodEvictionPolicy oo string',
  'k8s.io.api.policy.v1.PodDisruptionBudgetStatus':
    'struct|1 observedGeneration po int64|2 disruptedPods mo k8s.io.apimachinery.pkg.apis.meta.v1.Time|3 disruptionsAllowed pe int32|4 currentHealthy pe int32|5 desiredHealthy pe int32|6 expectedPods pe int32|7 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.policy.v1beta1.Eviction':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 deleteOptions oo k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions',
  'k8s.io.api.policy.v1beta1.PodDisruptionBudget':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PodDisruptionBudgetSpec|3 status pe PodDisruptionBudgetStatus',
  'k8s.io.api.policy.v1beta1.PodDisruptionBudgetList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PodDisruptionBudget',
  'k8s.io.api.policy.v1beta1.PodDisruptionBudgetSpec':
    'struct|1 minAvailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|2 selector oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 maxUnavailable oo k8s.io.apimachinery.pkg.util.intstr.IntOrString|4 unhealthyPodEvictionPolicy oo string',
  'k8s.io.api.policy.v1beta1.PodDisruptionBudgetStatus':
    'struct|1 observedGeneration po int64|2 disruptedPods mo k8s.io.apimachinery.pkg.apis.meta.v1.Time|3 disruptionsAllowed pe int32|4 currentHealthy pe int32|5 desiredHealthy pe int32|6 expectedPods pe int32|7 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.rbac.v1.AggregationRule':
    'struct|1 clusterRoleSelectors lo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector',
  'k8s.io.api.rbac.v1.ClusterRole':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 rules le PolicyRule|3 aggregationRule oo AggregationRule',
  'k8s.io.api.rbac.v1.ClusterRoleBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 subjects lo Subject|3 roleRef pe RoleRef',
  'k8s.io.api.rbac.v1.ClusterRoleBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ClusterRoleBinding',
  'k8s.io.api.rbac.v1.ClusterRoleList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ClusterRole',
  'k8s.io.api.rbac.v1.PolicyRule':
    'struct|1 verbs le string|2 apiGroups lo string|3 resources lo string|4 resourceNames lo string|5 nonResourceURLs lo string',
  'k8s.io.api.rbac.v1.Role':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 rules le PolicyRule',
  'k8s.io.api.rbac.v1.RoleBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 subjects lo Subject|3 roleRef pe RoleRef',
  'k8s.io.api.rbac.v1.RoleBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le RoleBinding',
  'k8s.io.api.rbac.v1.RoleList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Role',
  'k8s.io.api.rbac.v1.RoleRef':
    'struct|1 apiGroup pe string|2 kind pe string|3 name pe string',
  'k8s.io.api.rbac.v1.Subject':
    'struct|1 kind pe string|2 apiGroup po string|3 name pe string|4 namespace po string',
  'k8s.io.api.rbac.v1alpha1.AggregationRule':
    'struct|1 clusterRoleSelectors lo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector',
  'k8s.io.api.rbac.v1alpha1.ClusterRole':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 rules le PolicyRule|3 aggregationRule oo AggregationRule',
  'k8s.io.api.rbac.v1alpha1.ClusterRoleBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 subjects lo Subject|3 roleRef pe RoleRef',
  'k8s.io.api.rbac.v1alpha1.ClusterRoleBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ClusterRoleBinding',
  'k8s.io.api.rbac.v1alpha1.ClusterRoleList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ClusterRole',
  'k8s.io.api.rbac.v1alpha1.PolicyRule':
    'struct|1 verbs le string|3 apiGroups lo string|4 resources lo string|5 resourceNames lo string|6 nonResourceURLs lo string',
  'k8s.io.api.rbac.v1alpha1.Role':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 rules le PolicyRule',
  'k8s.io.api.rbac.v1alpha1.RoleBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 subjects lo Subject|3 roleRef pe RoleRef',
  'k8s.io.api.rbac.v1alpha1.RoleBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le RoleBinding',
  'k8s.io.api.rbac.v1alpha1.RoleList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Role',
  'k8s.io.api.rbac.v1alpha1.RoleRef':
    'struct|1 apiGroup pe string|2 kind pe string|3 name pe string',
  'k8s.io.api.rbac.v1alpha1.Subject':
    'struct|1 kind pe string|2 apiVersion po string|3 name pe string|4 namespace po string',
  'k8s.io.api.rbac.v1beta1.AggregationRule':
    'struct|1 clusterRoleSelectors lo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector',
  'k8s.io.api.rbac.v1beta1.ClusterRole':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 rules le PolicyRule|3 aggregationRule oo AggregationRule',
  'k8s.io.api.rbac.v1beta1.ClusterRoleBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 subjects lo Subject|3 roleRef pe RoleRef',
  'k8s.io.api.rbac.v1beta1.ClusterRoleBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ClusterRoleBinding',
  'k8s.io.api.rbac.v1beta1.ClusterRoleList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ClusterRole',
  'k8s.io.api.rbac.v1beta1.PolicyRule':
    'struct|1 verbs le string|2 apiGroups lo string|3 resources lo string|4 resourceNames lo string|5 nonResourceURLs lo string',
  'k8s.io.api.rbac.v1beta1.Role':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 rules le PolicyRule',
  'k8s.io.api.rbac.v1beta1.RoleBinding':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 subjects lo Subject|3 roleRef pe RoleRef',
  'k8s.io.api.rbac.v1beta1.RoleBindingList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le RoleBinding',
  'k8s.io.api.rbac.v1beta1.RoleList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Role',
  'k8s.io.api.rbac.v1beta1.RoleRef':
    'struct|1 apiGroup pe string|2 kind pe string|3 name pe string',
  'k8s.io.api.rbac.v1beta1.Subject':
    'struct|1 kind pe string|2 apiGroup po string|3 name pe string|4 namespace po string',
  'k8s.io.api.resource.v1.AllocatedDeviceStatus':
    'struct|1 driver pe string|2 pool pe string|3 device pe string|7 shareID oo string|4 conditions le k8s.io.apimachinery.pkg.apis.meta.v1.Condition|5 data oo k8s.io.apimachinery.pkg.runtime.RawExtension|6 networkData oo NetworkDeviceData',
  'k8s.io.api.resource.v1.AllocationResult':
    'struct|1 devices pe DeviceAllocationResult|3 nodeSelector oo k8s.io.api.core.v1.NodeSelector|5 allocationTimestamp oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.resource.v1.CELDeviceSelector':
    'struct|1 expression pe string',
  'k8s.io.api.resource.v1.CapacityRequestPolicy':
    'struct|1 default oe k8s.io.apimachinery.pkg.api.resource.Quantity|3 validValues lo k8s.io.apimachinery.pkg.api.resource.Quantity|4 validRange oo CapacityRequestPolicyRange',
  'k8s.io.api.resource.v1.CapacityRequestPolicyRange':
    'struct|1 min oo k8s.io.apimachinery.pkg.api.resource.Quantity|2 max oo k8s.io.apimachinery.pkg.api.resource.Quantity|3 step oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1.CapacityRequirements':
    'struct|1 requests mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1.Counter':
    'struct|1 value pe k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1.CounterSet':
    'struct|1 name pe string|2 counters mo Counter',
  'k8s.io.api.resource.v1.Device':
    'struct|1 name pe string|2 attributes mo DeviceAttribute|3 capacity mo DeviceCapacity|4 consumesCounters lo DeviceCounterConsumption|5 nodeName oo string|6 nodeSelector oo k8s.io.api.core.v1.NodeSelector|7 allNodes oo bool|8 taints lo DeviceTaint|9 bindsToNode oo bool|10 bindingConditions lo string|11 bindingFailureConditions lo string|12 allowMultipleAllocations oo bool|13 nodeAllocatableResourceMappings mo NodeAllocatableResourceMapping',
  'k8s.io.api.resource.v1.DeviceAllocationConfiguration':
    'struct|1 source pe string|2 requests lo string|3 + pe DeviceConfiguration',
  'k8s.io.api.resource.v1.DeviceAllocationResult':
    'struct|1 results lo DeviceRequestAllocationResult|2 config lo DeviceAllocationConfiguration',
  'k8s.io.api.resource.v1.DeviceAttribute':
    'struct|2 int oo int64|3 bool oo bool|4 string oo string|5 version oo string|6 ints lo int64|7 bools lo bool|8 strings lo string|9 versions lo string',
  'k8s.io.api.resource.v1.DeviceCapacity':
    'struct|1 value pe k8s.io.apimachinery.pkg.api.resource.Quantity|2 requestPolicy oo CapacityRequestPolicy',
  'k8s.io.api.resource.v1.DeviceClaim':
    'struct|1 requests le DeviceRequest|2 constraints lo DeviceConstraint|3 config lo DeviceClaimConfiguration',
  'k8s.io.api.resource.v1.DeviceClaimConfiguration':
    'struct|1 requests lo string|2 + pe DeviceConfiguration',
  'k8s.io.api.resource.v1.DeviceClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DeviceClassSpec',
  'k8s.io.api.resource.v1.DeviceClassConfiguration':
    'struct|1 + pe DeviceConfiguration',
  'k8s.io.api.resource.v1.DeviceClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le DeviceClass',
  'k8s.io.api.resource.v1.DeviceClassSpec':
    'struct|1 selectors lo DeviceSelector|2 config lo DeviceClassConfiguration|4 extendedResourceName oo string',
  'k8s.io.api.resource.v1.DeviceConfiguration':
    'struct|1 opaque oo OpaqueDeviceConfiguration',
  'k8s.io.api.resource.v1.DeviceConstraint':
    'struct|1 requests lo string|2 matchAttribute oo string|3 distinctAttribute oo string',
  'k8s.io.api.resource.v1.DeviceCounterConsumption':
    'struct|1 counterSet pe string|2 counters mo Counter',
  'k8s.io.api.resource.v1.DeviceRequest':
    'struct|1 name pe string|2 exactly oo ExactDeviceRequest|3 firstAvailable lo DeviceSubRequest',
  'k8s.io.api.resource.v1.DeviceRequestAllocationResult':
    'struct|1 request pe string|2 driver pe string|3 pool pe string|4 device pe string|5 adminAccess oo bool|6 tolerations lo DeviceToleration|7 bindingConditions lo string|8 bindingFailureConditions lo string|9 shareID oo string|10 consumedCapacity mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1.DeviceSelector':
    'struct|1 cel oo CELDeviceSelector',
  'k8s.io.api.resource.v1.DeviceSubRequest':
    'struct|1 name pe string|2 deviceClassName pe string|3 selectors lo DeviceSelector|4 allocationMode po string|5 count po int64|6 tolerations lo DeviceToleration|7 capacity oo CapacityRequirements',
  'k8s.io.api.resource.v1.DeviceTaint':
    'struct|1 key pe string|2 value po string|3 effect pe string|4 timeAdded oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.resource.v1.DeviceToleration':
    'struct|1 key po string|2 operator po string|3 value po string|4 effect po string|5 tolerationSeconds oo int64',
  'k8s.io.api.resource.v1.ExactDeviceRequest':
    'struct|1 deviceClassName pe string|2 selectors lo DeviceSelector|3 allocationMode po string|4 count po int64|5 adminAccess oo bool|6 tolerations lo DeviceToleration|7 capacity oo CapacityRequirements',
  'k8s.io.api.resource.v1.NetworkDeviceData':
    'struct|1 interfaceName po string|2 ips lo string|3 hardwareAddress po string',
  'k8s.io.api.resource.v1.NodeAllocatableResourceMapping':
    'struct|1 capacityKey oo string|2 allocationMultiplier oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1.OpaqueDeviceConfiguration':
    'struct|1 driver pe string|2 parameters pe k8s.io.apimachinery.pkg.runtime.RawExtension',
  'k8s.io.api.resource.v1.ResourceClaim':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceClaimSpec|3 status pe ResourceClaimStatus',
  'k8s.io.api.resource.v1.ResourceClaimConsumerReference':
    'struct|1 apiGroup po string|3 resource pe string|4 name pe string|5 uid pe string',
  'k8s.io.api.resource.v1.ResourceClaimList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourceClaim',
  'k8s.io.api.resource.v1.ResourceClaimSpec':
    'struct|1 devices pe DeviceClaim',
  'k8s.io.api.resource.v1.ResourceClaimStatus':
    'struct|1 allocation oo AllocationResult|2 reservedFor lo ResourceClaimConsumerReference|4 devices lo AllocatedDeviceStatus',
  'k8s.io.api.resource.v1.ResourceClaimTemplate':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceClaimTemplateSpec',
  'k8s.io.api.resource.v1.ResourceClaimTemplateList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourceClaimTemplate',
  'k8s.io.api.resource.v1.ResourceClaimTemplateSpec':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceClaimSpec',
  'k8s.io.api.resource.v1.ResourcePool':
    'struct|1 name pe string|2 generation pe int64|3 resourceSliceCount pe int64',
  'k8s.io.api.resource.v1.ResourceSlice':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceSliceSpec',
  'k8s.io.api.resource.v1.ResourceSliceList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourceSlice',
  'k8s.io.api.resource.v1.ResourceSliceSpec':
    'struct|1 driver pe string|2 pool pe ResourcePool|3 nodeName oo string|4 nodeSelector oo k8s.io.api.core.v1.NodeSelector|5 allNodes oo bool|6 devices lo Device|7 perDeviceNodeSelection oo bool|8 sharedCounters lo CounterSet',
  'k8s.io.api.resource.v1alpha3.DeviceTaint':
    'struct|1 key pe string|2 value po string|3 effect pe string|4 timeAdded oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.resource.v1alpha3.DeviceTaintRule':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DeviceTaintRuleSpec|3 status pe DeviceTaintRuleStatus',
  'k8s.io.api.resource.v1alpha3.DeviceTaintRuleList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le DeviceTaintRule',
  'k8s.io.api.resource.v1alpha3.DeviceTaintRuleSpec':
    'struct|1 deviceSelector oo DeviceTaintSelector|2 taint pe DeviceTaint',
  'k8s.io.api.resource.v1alpha3.DeviceTaintRuleStatus':
    'struct|1 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.resource.v1alpha3.DeviceTaintSelector':
    'struct|2 driver oo string|3 pool oo string|4 device oo string',
  'k8s.io.api.resource.v1alpha3.PoolStatus':
    'struct|1 driver po string|2 poolName po string|9 generation pe int64|8 resourceSliceCount oo int32|4 totalDevices oo int32|5 allocatedDevices oo int32|6 availableDevices oo int32|7 unavailableDevices oo int32|3 nodeName oo string|10 validationError oo string',
  'k8s.io.api.resource.v1alpha3.ResourcePoolStatusRequest':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourcePoolStatusRequestSpec|3 status oo ResourcePoolStatusRequestStatus',
  'k8s.io.api.resource.v1alpha3.ResourcePoolStatusRequestList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourcePoolStatusRequest',
  'k8s.io.api.resource.v1alpha3.ResourcePoolStatusRequestSpec':
    'struct|1 driver pe string|2 poolName oo string|3 limit oo int32',
  'k8s.io.api.resource.v1alpha3.ResourcePoolStatusRequestStatus':
    'struct|6 poolCount oo int32|2 pools lo PoolStatus|3 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.resource.v1beta1.AllocatedDeviceStatus':
    'struct|1 driver pe string|2 pool pe string|3 device pe string|7 shareID oo string|4 conditions le k8s.io.apimachinery.pkg.apis.meta.v1.Condition|5 data oo k8s.io.apimachinery.pkg.runtime.RawExtension|6 networkData oo NetworkDeviceData',
  'k8s.io.api.resource.v1beta1.AllocationResult':
    'struct|1 devices pe DeviceAllocationResult|3 nodeSelector oo k8s.io.api.core.v1.NodeSelector|5 allocationTimestamp oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.resource.v1beta1.BasicDevice':
    'struct|1 attributes mo DeviceAttribute|2 capacity mo DeviceCapacity|3 consumesCounters lo DeviceCounterConsumption|4 nodeName oo string|5 nodeSelector oo k8s.io.api.core.v1.NodeSelector|6 allNodes oo bool|7 taints lo DeviceTaint|8 bindsToNode oo bool|9 bindingConditions lo string|10 bindingFailureConditions lo string|11 allowMultipleAllocations oo bool|12 nodeAllocatableResourceMappings mo NodeAllocatableResourceMapping',
  'k8s.io.api.resource.v1beta1.CELDeviceSelector':
    'struct|1 expression pe string',
  'k8s.io.api.resource.v1beta1.CapacityRequestPolicy':
    'struct|1 default oe k8s.io.apimachinery.pkg.api.resource.Quantity|3 validValues lo k8s.io.apimachinery.pkg.api.resource.Quantity|4 validRange oo CapacityRequestPolicyRange',
  'k8s.io.api.resource.v1beta1.CapacityRequestPolicyRange':
    'struct|1 min oo k8s.io.apimachinery.pkg.api.resource.Quantity|2 max oo k8s.io.apimachinery.pkg.api.resource.Quantity|3 step oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1beta1.CapacityRequirements':
    'struct|1 requests mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1beta1.Counter':
    'struct|1 value pe k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1beta1.CounterSet':
    'struct|1 name pe string|2 counters mo Counter',
  'k8s.io.api.resource.v1beta1.Device':
    'struct|1 name pe string|2 basic oo BasicDevice',
  'k8s.io.api.resource.v1beta1.DeviceAllocationConfiguration':
    'struct|1 source pe string|2 requests lo string|3 + pe DeviceConfiguration',
  'k8s.io.api.resource.v1beta1.DeviceAllocationResult':
    'struct|1 results lo DeviceRequestAllocationResult|2 config lo DeviceAllocationConfiguration',
  'k8s.io.api.resource.v1beta1.DeviceAttribute':
    'struct|2 int oo int64|3 bool oo bool|4 string oo string|5 version oo string|6 ints lo int64|7 bools lo bool|8 strings lo string|9 versions lo string',
  'k8s.io.api.resource.v1beta1.DeviceCapacity':
    'struct|1 value pe k8s.io.apimachinery.pkg.api.resource.Quantity|2 requestPolicy oo CapacityRequestPolicy',
  'k8s.io.api.resource.v1beta1.DeviceClaim':
    'struct|1 requests le DeviceRequest|2 constraints lo DeviceConstraint|3 config lo DeviceClaimConfiguration',
  'k8s.io.api.resource.v1beta1.DeviceClaimConfiguration':
    'struct|1 requests lo string|2 + pe DeviceConfiguration',
  'k8s.io.api.resource.v1beta1.DeviceClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DeviceClassSpec',
  'k8s.io.api.resource.v1beta1.DeviceClassConfiguration':
    'struct|1 + pe DeviceConfiguration',
  'k8s.io.api.resource.v1beta1.DeviceClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le DeviceClass',
  'k8s.io.api.resource.v1beta1.DeviceClassSpec':
    'struct|1 selectors lo DeviceSelector|2 config lo DeviceClassConfiguration|4 extendedResourceName oo string',
  'k8s.io.api.resource.v1beta1.DeviceConfiguration':
    'struct|1 opaque oo OpaqueDeviceConfiguration',
  'k8s.io.api.resource.v1beta1.DeviceConstraint':
    'struct|1 requests lo string|2 matchAttribute oo string|3 distinctAttribute oo string',
  'k8s.io.api.resource.v1beta1.DeviceCounterConsumption':
    'struct|1 counterSet pe string|2 counters mo Counter',
  'k8s.io.api.resource.v1beta1.DeviceRequest':
    'struct|1 name pe string|2 deviceClassName pe string|3 selectors lo DeviceSelector|4 allocationMode po string|5 count po int64|6 adminAccess oo bool|7 firstAvailable lo DeviceSubRequest|8 tolerations lo DeviceToleration|9 capacity oo CapacityRequirements',
  'k8s.io.api.resource.v1beta1.DeviceRequestAllocationResult':
    'struct|1 request pe string|2 driver pe string|3 pool pe string|4 device pe string|5 adminAccess oo bool|6 tolerations lo DeviceToleration|7 bindingConditions lo string|8 bindingFailureConditions lo string|9 shareID oo string|10 consumedCapacity mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1beta1.DeviceSelector':
    'struct|1 cel oo CELDeviceSelector',
  'k8s.io.api.resource.v1beta1.DeviceSubRequest':
    'struct|1 name pe string|2 deviceClassName pe string|3 selectors lo DeviceSelector|4 allocationMode po string|5 count po int64|7 tolerations lo DeviceToleration|8 capacity oo CapacityRequirements',
  'k8s.io.api.resource.v1beta1.DeviceTaint':
    'struct|1 key pe string|2 value po string|3 effect pe string|4 timeAdded oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.resource.v1beta1.DeviceToleration':
    'struct|1 key po string|2 operator po string|3 value po string|4 effect po string|5 tolerationSeconds oo int64',
  'k8s.io.api.resource.v1beta1.NetworkDeviceData':
    'struct|1 interfaceName po string|2 ips lo string|3 hardwareAddress po string',
  'k8s.io.api.resource.v1beta1.NodeAllocatableResourceMapping':
    'struct|1 capacityKey oo string|2 allocationMultiplier oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1beta1.OpaqueDeviceConfiguration':
    'struct|1 driver pe string|2 parameters pe k8s.io.apimachinery.pkg.runtime.RawExtension',
  'k8s.io.api.resource.v1beta1.ResourceClaim':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceClaimSpec|3 status pe ResourceClaimStatus',
  'k8s.io.api.resource.v1beta1.ResourceClaimConsumerReference':
    'struct|1 apiGroup po string|3 resource pe string|4 name pe string|5 uid pe string',
  'k8s.io.api.resource.v1beta1.ResourceClaimList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourceClaim',
  'k8s.io.api.resource.v1beta1.ResourceClaimSpec':
    'struct|1 devices pe DeviceClaim',
  'k8s.io.api.resource.v1beta1.ResourceClaimStatus':
    'struct|1 allocation oo AllocationResult|2 reservedFor lo ResourceClaimConsumerReference|4 devices lo AllocatedDeviceStatus',
  'k8s.io.api.resource.v1beta1.ResourceClaimTemplate':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceClaimTemplateSpec',
  'k8s.io.api.resource.v1beta1.ResourceClaimTemplateList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourceClaimTemplate',
  'k8s.io.api.resource.v1beta1.ResourceClaimTemplateSpec':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceClaimSpec',
  'k8s.io.api.resource.v1beta1.ResourcePool':
    'struct|1 name pe string|2 generation pe int64|3 resourceSliceCount pe int64',
  'k8s.io.api.resource.v1beta1.ResourceSlice':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceSliceSpec',
  'k8s.io.api.resource.v1beta1.ResourceSliceList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourceSlice',
  'k8s.io.api.resource.v1beta1.ResourceSliceSpec':
    'struct|1 driver pe string|2 pool pe ResourcePool|3 nodeName po string|4 nodeSelector oo k8s.io.api.core.v1.NodeSelector|5 allNodes po bool|6 devices lo Device|7 perDeviceNodeSelection oo bool|8 sharedCounters lo CounterSet',
  'k8s.io.api.resource.v1beta2.AllocatedDeviceStatus':
    'struct|1 driver pe string|2 pool pe string|3 device pe string|7 shareID oo string|4 conditions le k8s.io.apimachinery.pkg.apis.meta.v1.Condition|5 data oo k8s.io.apimachinery.pkg.runtime.RawExtension|6 networkData oo NetworkDeviceData',
  'k8s.io.api.resource.v1beta2.AllocationResult':
    'struct|1 devices pe DeviceAllocationResult|3 nodeSelector oo k8s.io.api.core.v1.NodeSelector|5 allocationTimestamp oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.resource.v1beta2.CELDeviceSelector':
    'struct|1 expression pe string',
  'k8s.io.api.resource.v1beta2.CapacityRequestPolicy':
    'struct|1 default oe k8s.io.apimachinery.pkg.api.resource.Quantity|3 validValues lo k8s.io.apimachinery.pkg.api.resource.Quantity|4 validRange oo CapacityRequestPolicyRange',
  'k8s.io.api.resource.v1beta2.CapacityRequestPolicyRange':
    'struct|1 min oo k8s.io.apimachinery.pkg.api.resource.Quantity|2 max oo k8s.io.apimachinery.pkg.api.resource.Quantity|3 step oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1beta2.CapacityRequirements':
    'struct|1 requests mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1beta2.Counter':
    'struct|1 value pe k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1beta2.CounterSet':
    'struct|1 name pe string|2 counters mo Counter',
  'k8s.io.api.resource.v1beta2.Device':
    'struct|1 name pe string|2 attributes mo DeviceAttribute|3 capacity mo DeviceCapacity|4 consumesCounters lo DeviceCounterConsumption|5 nodeName oo string|6 nodeSelector oo k8s.io.api.core.v1.NodeSelector|7 allNodes oo bool|8 taints lo DeviceTaint|9 bindsToNode oo bool|10 bindingConditions lo string|11 bindingFailureConditions lo string|12 allowMultipleAllocations oo bool|13 nodeAllocatableResourceMappings mo NodeAllocatableResourceMapping',
  'k8s.io.api.resource.v1beta2.DeviceAllocationConfiguration':
    'struct|1 source pe string|2 requests lo string|3 + pe DeviceConfiguration',
  'k8s.io.api.resource.v1beta2.DeviceAllocationResult':
    'struct|1 results lo DeviceRequestAllocationResult|2 config lo DeviceAllocationConfiguration',
  'k8s.io.api.resource.v1beta2.DeviceAttribute':
    'struct|2 int oo int64|3 bool oo bool|4 string oo string|5 version oo string|6 ints lo int64|7 bools lo bool|8 strings lo string|9 versions lo string',
  'k8s.io.api.resource.v1beta2.DeviceCapacity':
    'struct|1 value pe k8s.io.apimachinery.pkg.api.resource.Quantity|2 requestPolicy oo CapacityRequestPolicy',
  'k8s.io.api.resource.v1beta2.DeviceClaim':
    'struct|1 requests le DeviceRequest|2 constraints lo DeviceConstraint|3 config lo DeviceClaimConfiguration',
  'k8s.io.api.resource.v1beta2.DeviceClaimConfiguration':
    'struct|1 requests lo string|2 + pe DeviceConfiguration',
  'k8s.io.api.resource.v1beta2.DeviceClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DeviceClassSpec',
  'k8s.io.api.resource.v1beta2.DeviceClassConfiguration':
    'struct|1 + pe DeviceConfiguration',
  'k8s.io.api.resource.v1beta2.DeviceClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le DeviceClass',
  'k8s.io.api.resource.v1beta2.DeviceClassSpec':
    'struct|1 selectors lo DeviceSelector|2 config lo DeviceClassConfiguration|4 extendedResourceName oo string',
  'k8s.io.api.resource.v1beta2.DeviceConfiguration':
    'struct|1 opaque oo OpaqueDeviceConfiguration',
  'k8s.io.api.resource.v1beta2.DeviceConstraint':
    'struct|1 requests lo string|2 matchAttribute oo string|3 distinctAttribute oo string',
  'k8s.io.api.resource.v1beta2.DeviceCounterConsumption':
    'struct|1 counterSet pe string|2 counters mo Counter',
  'k8s.io.api.resource.v1beta2.DeviceRequest':
    'struct|1 name pe string|2 exactly oo ExactDeviceRequest|3 firstAvailable lo DeviceSubRequest',
  'k8s.io.api.resource.v1beta2.DeviceRequestAllocationResult':
    'struct|1 request pe string|2 driver pe string|3 pool pe string|4 device pe string|5 adminAccess oo bool|6 tolerations lo DeviceToleration|7 bindingConditions lo string|8 bindingFailureConditions lo string|9 shareID oo string|10 consumedCapacity mo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1beta2.DeviceSelector':
    'struct|1 cel oo CELDeviceSelector',
  'k8s.io.api.resource.v1beta2.DeviceSubRequest':
    'struct|1 name pe string|2 deviceClassName pe string|3 selectors lo DeviceSelector|4 allocationMode po string|5 count po int64|6 tolerations lo DeviceToleration|7 capacity oo CapacityRequirements',
  'k8s.io.api.resource.v1beta2.DeviceTaint':
    'struct|1 key pe string|2 value po string|3 effect pe string|4 timeAdded oo k8s.io.apimachinery.pkg.apis.meta.v1.Time',
  'k8s.io.api.resource.v1beta2.DeviceTaintRule':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe DeviceTaintRuleSpec|3 status pe DeviceTaintRuleStatus',
  'k8s.io.api.resource.v1beta2.DeviceTaintRuleList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le DeviceTaintRule',
  'k8s.io.api.resource.v1beta2.DeviceTaintRuleSpec':
    'struct|1 deviceSelector oo DeviceTaintSelector|2 taint pe DeviceTaint',
  'k8s.io.api.resource.v1beta2.DeviceTaintRuleStatus':
    'struct|1 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition',
  'k8s.io.api.resource.v1beta2.DeviceTaintSelector':
    'struct|2 driver oo string|3 pool oo string|4 device oo string',
  'k8s.io.api.resource.v1beta2.DeviceToleration':
    'struct|1 key po string|2 operator po string|3 value po string|4 effect po string|5 tolerationSeconds oo int64',
  'k8s.io.api.resource.v1beta2.ExactDeviceRequest':
    'struct|1 deviceClassName pe string|2 selectors lo DeviceSelector|3 allocationMode po string|4 count po int64|5 adminAccess oo bool|6 tolerations lo DeviceToleration|7 capacity oo CapacityRequirements',
  'k8s.io.api.resource.v1beta2.NetworkDeviceData':
    'struct|1 interfaceName po string|2 ips lo string|3 hardwareAddress po string',
  'k8s.io.api.resource.v1beta2.NodeAllocatableResourceMapping':
    'struct|1 capacityKey oo string|2 allocationMultiplier oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.resource.v1beta2.OpaqueDeviceConfiguration':
    'struct|1 driver pe string|2 parameters pe k8s.io.apimachinery.pkg.runtime.RawExtension',
  'k8s.io.api.resource.v1beta2.ResourceClaim':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceClaimSpec|3 status pe ResourceClaimStatus',
  'k8s.io.api.resource.v1beta2.ResourceClaimConsumerReference':
    'struct|1 apiGroup po string|3 resource pe string|4 name pe string|5 uid pe string',
  'k8s.io.api.resource.v1beta2.ResourceClaimList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourceClaim',
  'k8s.io.api.resource.v1beta2.ResourceClaimSpec':
    'struct|1 devices pe DeviceClaim',
  'k8s.io.api.resource.v1beta2.ResourceClaimStatus':
    'struct|1 allocation oo AllocationResult|2 reservedFor lo ResourceClaimConsumerReference|4 devices lo AllocatedDeviceStatus',
  'k8s.io.api.resource.v1beta2.ResourceClaimTemplate':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceClaimTemplateSpec',
  'k8s.io.api.resource.v1beta2.ResourceClaimTemplateList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourceClaimTemplate',
  'k8s.io.api.resource.v1beta2.ResourceClaimTemplateSpec':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceClaimSpec',
  'k8s.io.api.resource.v1beta2.ResourcePool':
    'struct|1 name pe string|2 generation pe int64|3 resourceSliceCount pe int64',
  'k8s.io.api.resource.v1beta2.ResourceSlice':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe ResourceSliceSpec',
  'k8s.io.api.resource.v1beta2.ResourceSliceList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le ResourceSlice',
  'k8s.io.api.resource.v1beta2.ResourceSliceSpec':
    'struct|1 driver pe string|2 pool pe ResourcePool|3 nodeName oo string|4 nodeSelector oo k8s.io.api.core.v1.NodeSelector|5 allNodes oo bool|6 devices lo Device|7 perDeviceNodeSelection oo bool|8 sharedCounters lo CounterSet',
  'k8s.io.api.scheduling.v1.PriorityClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 value pe int32|3 globalDefault po bool|4 description po string|5 preemptionPolicy oo string',
  'k8s.io.api.scheduling.v1.PriorityClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PriorityClass',
  'k8s.io.api.scheduling.v1alpha2.BasicSchedulingPolicy':
    'struct',
  'k8s.io.api.scheduling.v1alpha2.GangSchedulingPolicy':
    'struct|1 minCount pe int32',
  'k8s.io.api.scheduling.v1alpha2.PodGroup':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe PodGroupSpec|3 status pe PodGroupStatus',
  'k8s.io.api.scheduling.v1alpha2.PodGroupList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PodGroup',
  'k8s.io.api.scheduling.v1alpha2.PodGroupResourceClaim':
    'struct|1 name pe string|2 resourceClaimName oo string|3 resourceClaimTemplateName oo string',
  'k8s.io.api.scheduling.v1alpha2.PodGroupResourceClaimStatus':
    'struct|1 name pe string|2 resourceClaimName oo string',
  'k8s.io.api.scheduling.v1alpha2.PodGroupSchedulingConstraints':
    'struct|1 topology lo TopologyConstraint',
  'k8s.io.api.scheduling.v1alpha2.PodGroupSchedulingPolicy':
    'struct|1 basic oo BasicSchedulingPolicy|2 gang oo GangSchedulingPolicy',
  'k8s.io.api.scheduling.v1alpha2.PodGroupSpec':
    'struct|1 podGroupTemplateRef oe PodGroupTemplateReference|2 schedulingPolicy pe PodGroupSchedulingPolicy|3 schedulingConstraints oo PodGroupSchedulingConstraints|4 resourceClaims lo PodGroupResourceClaim|5 disruptionMode oo string|6 priorityClassName po string|7 priority oo int32',
  'k8s.io.api.scheduling.v1alpha2.PodGroupStatus':
    'struct|1 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition|2 resourceClaimStatuses lo PodGroupResourceClaimStatus',
  'k8s.io.api.scheduling.v1alpha2.PodGroupTemplate':
    'struct|1 name pe string|2 schedulingPolicy pe PodGroupSchedulingPolicy|3 schedulingConstraints oe PodGroupSchedulingConstraints|4 resourceClaims lo PodGroupResourceClaim|5 disruptionMode oo string|6 priorityClassName po string|7 priority oo int32',
  'k8s.io.api.scheduling.v1alpha2.PodGroupTemplateReference':
    'struct|1 workload oe WorkloadPodGroupTemplateReference',
  'k8s.io.api.scheduling.v1alpha2.TopologyConstraint':
    'struct|1 key pe string',
  'k8s.io.api.scheduling.v1alpha2.TypedLocalObjectReference':
    'struct|1 apiGroup po string|2 kind pe string|3 name pe string',
  'k8s.io.api.scheduling.v1alpha2.Workload':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe WorkloadSpec',
  'k8s.io.api.scheduling.v1alpha2.WorkloadList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le Workload',
  'k8s.io.api.scheduling.v1alpha2.WorkloadPodGroupTemplateReference':
    'struct|1 workloadName pe string|2 podGroupTemplateName pe string',
  'k8s.io.api.scheduling.v1alpha2.WorkloadSpec':
    'struct|1 controllerRef oo TypedLocalObjectReference|2 podGroupTemplates le PodGroupTemplate',
  'k8s.io.api.scheduling.v1beta1.PriorityClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 value pe int32|3 globalDefault po bool|4 description po string|5 preemptionPolicy oo string',
  'k8s.io.api.scheduling.v1beta1.PriorityClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le PriorityClass',
  'k8s.io.api.storage.v1.CSIDriver':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe CSIDriverSpec',
  'k8s.io.api.storage.v1.CSIDriverList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CSIDriver',
  'k8s.io.api.storage.v1.CSIDriverSpec':
    'struct|1 attachRequired oo bool|2 podInfoOnMount oo bool|3 volumeLifecycleModes lo string|4 storageCapacity oo bool|5 fsGroupPolicy oo string|6 tokenRequests lo TokenRequest|7 requiresRepublish oo bool|8 seLinuxMount oo bool|9 nodeAllocatableUpdatePeriodSeconds oo int64|10 serviceAccountTokenInSecrets oo bool|11 preventPodSchedulingIfMissing oo bool',
  'k8s.io.api.storage.v1.CSINode':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe CSINodeSpec',
  'k8s.io.api.storage.v1.CSINodeDriver':
    'struct|1 name pe string|2 nodeID pe string|3 topologyKeys le string|4 allocatable oo VolumeNodeResources',
  'k8s.io.api.storage.v1.CSINodeList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CSINode',
  'k8s.io.api.storage.v1.CSINodeSpec':
    'struct|1 drivers le CSINodeDriver',
  'k8s.io.api.storage.v1.CSIStorageCapacity':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 nodeTopology oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 storageClassName pe string|4 capacity oo k8s.io.apimachinery.pkg.api.resource.Quantity|5 maximumVolumeSize oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.storage.v1.CSIStorageCapacityList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CSIStorageCapacity',
  'k8s.io.api.storage.v1.StorageClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 provisioner pe string|3 parameters mo string|4 reclaimPolicy oo string|5 mountOptions lo string|6 allowVolumeExpansion oo bool|7 volumeBindingMode oo string|8 allowedTopologies lo k8s.io.api.core.v1.TopologySelectorTerm',
  'k8s.io.api.storage.v1.StorageClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le StorageClass',
  'k8s.io.api.storage.v1.TokenRequest':
    'struct|1 audience pe string|2 expirationSeconds oo int64',
  'k8s.io.api.storage.v1.VolumeAttachment':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe VolumeAttachmentSpec|3 status pe VolumeAttachmentStatus',
  'k8s.io.api.storage.v1.VolumeAttachmentList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le VolumeAttachment',
  'k8s.io.api.storage.v1.VolumeAttachmentSource':
    'struct|1 persistentVolumeName oo string|2 inlineVolumeSpec oo k8s.io.api.core.v1.PersistentVolumeSpec',
  'k8s.io.api.storage.v1.VolumeAttachmentSpec':
    'struct|1 attacher pe string|2 source pe VolumeAttachmentSource|3 nodeName pe string',
  'k8s.io.api.storage.v1.VolumeAttachmentStatus':
    'struct|1 attached pe bool|2 attachmentMetadata mo string|3 attachError oo VolumeError|4 detachError oo VolumeError',
  'k8s.io.api.storage.v1.VolumeAttributesClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 driverName pe string|3 parameters mo string',
  'k8s.io.api.storage.v1.VolumeAttributesClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le VolumeAttributesClass',
  'k8s.io.api.storage.v1.VolumeError':
    'struct|1 time pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|2 message po string|3 errorCode oo int32',
  'k8s.io.api.storage.v1.VolumeNodeResources':
    'struct|1 count oo int32',
  'k8s.io.api.storage.v1alpha1.CSIStorageCapacity':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 nodeTopology oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 storageClassName pe string|4 capacity oo k8s.io.apimachinery.pkg.api.resource.Quantity|5 maximumVolumeSize oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.storage.v1alpha1.CSIStorageCapacityList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CSIStorageCapacity',
  'k8s.io.api.storage.v1alpha1.VolumeAttachment':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe VolumeAttachmentSpec|3 status pe VolumeAttachmentStatus',
  'k8s.io.api.storage.v1alpha1.VolumeAttachmentList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le VolumeAttachment',
  'k8s.io.api.storage.v1alpha1.VolumeAttachmentSource':
    'struct|1 persistentVolumeName oo string|2 inlineVolumeSpec oo k8s.io.api.core.v1.PersistentVolumeSpec',
  'k8s.io.api.storage.v1alpha1.VolumeAttachmentSpec':
    'struct|1 attacher pe string|2 source pe VolumeAttachmentSource|3 nodeName pe string',
  'k8s.io.api.storage.v1alpha1.VolumeAttachmentStatus':
    'struct|1 attached pe bool|2 attachmentMetadata mo string|3 attachError oo VolumeError|4 detachError oo VolumeError',
  'k8s.io.api.storage.v1alpha1.VolumeAttributesClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 driverName pe string|3 parameters mo string',
  'k8s.io.api.storage.v1alpha1.VolumeAttributesClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le VolumeAttributesClass',
  'k8s.io.api.storage.v1alpha1.VolumeError':
    'struct|1 time pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|2 message po string|3 errorCode oo int32',
  'k8s.io.api.storage.v1beta1.CSIDriver':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe CSIDriverSpec',
  'k8s.io.api.storage.v1beta1.CSIDriverList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CSIDriver',
  'k8s.io.api.storage.v1beta1.CSIDriverSpec':
    'struct|1 attachRequired oo bool|2 podInfoOnMount oo bool|3 volumeLifecycleModes lo string|4 storageCapacity oo bool|5 fsGroupPolicy oo string|6 tokenRequests lo TokenRequest|7 requiresRepublish oo bool|8 seLinuxMount oo bool|9 nodeAllocatableUpdatePeriodSeconds oo int64|10 serviceAccountTokenInSecrets oo bool|11 preventPodSchedulingIfMissing oo bool',
  'k8s.io.api.storage.v1beta1.CSINode':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe CSINodeSpec',
  'k8s.io.api.storage.v1beta1.CSINodeDriver':
    'struct|1 name pe string|2 nodeID pe string|3 topologyKeys le string|4 allocatable oo VolumeNodeResources',
  'k8s.io.api.storage.v1beta1.CSINodeList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CSINode',
  'k8s.io.api.storage.v1beta1.CSINodeSpec':
    'struct|1 drivers le CSINodeDriver',
  'k8s.io.api.storage.v1beta1.CSIStorageCapacity':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 nodeTopology oo k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector|3 storageClassName pe string|4 capacity oo k8s.io.apimachinery.pkg.api.resource.Quantity|5 maximumVolumeSize oo k8s.io.apimachinery.pkg.api.resource.Quantity',
  'k8s.io.api.storage.v1beta1.CSIStorageCapacityList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CSIStorageCapacity',
  'k8s.io.api.storage.v1beta1.StorageClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 provisioner pe string|3 parameters mo string|4 reclaimPolicy oo string|5 mountOptions lo string|6 allowVolumeExpansion oo bool|7 volumeBindingMode oo string|8 allowedTopologies lo k8s.io.api.core.v1.TopologySelectorTerm',
  'k8s.io.api.storage.v1beta1.StorageClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le StorageClass',
  'k8s.io.api.storage.v1beta1.TokenRequest':
    'struct|1 audience pe string|2 expirationSeconds oo int64',
  'k8s.io.api.storage.v1beta1.VolumeAttachment':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe VolumeAttachmentSpec|3 status pe VolumeAttachmentStatus',
  'k8s.io.api.storage.v1beta1.VolumeAttachmentList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le VolumeAttachment',
  'k8s.io.api.storage.v1beta1.VolumeAttachmentSource':
    'struct|1 persistentVolumeName oo string|2 inlineVolumeSpec oo k8s.io.api.core.v1.PersistentVolumeSpec',
  'k8s.io.api.storage.v1beta1.VolumeAttachmentSpec':
    'struct|1 attacher pe string|2 source pe VolumeAttachmentSource|3 nodeName pe string',
  'k8s.io.api.storage.v1beta1.VolumeAttachmentStatus':
    'struct|1 attached pe bool|2 attachmentMetadata mo string|3 attachError oo VolumeError|4 detachError oo VolumeError',
  'k8s.io.api.storage.v1beta1.VolumeAttributesClass':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 driverName pe string|3 parameters mo string',
  'k8s.io.api.storage.v1beta1.VolumeAttributesClassList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le VolumeAttributesClass',
  'k8s.io.api.storage.v1beta1.VolumeError':
    'struct|1 time pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|2 message po string|3 errorCode oo int32',
  'k8s.io.api.storage.v1beta1.VolumeNodeResources':
    'struct|1 count oo int32',
  'k8s.io.api.storagemigration.v1beta1.StorageVersionMigration':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe StorageVersionMigrationSpec|3 status pe StorageVersionMigrationStatus',
  'k8s.io.api.storagemigration.v1beta1.StorageVersionMigrationList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le StorageVersionMigration',
  'k8s.io.api.storagemigration.v1beta1.StorageVersionMigrationSpec':
    'struct|1 resource pe k8s.io.apimachinery.pkg.apis.meta.v1.GroupResource',
  'k8s.io.api.storagemigration.v1beta1.StorageVersionMigrationStatus':
    'struct|1 conditions lo k8s.io.apimachinery.pkg.apis.meta.v1.Condition|2 resourceVersion po string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.ConversionRequest':
    'struct|1 uid pe string|2 desiredAPIVersion pe string|3 objects le k8s.io.apimachinery.pkg.runtime.RawExtension',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.ConversionResponse':
    'struct|1 uid pe string|2 convertedObjects le k8s.io.apimachinery.pkg.runtime.RawExtension|3 result pe k8s.io.apimachinery.pkg.apis.meta.v1.Status',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.ConversionReview':
    'struct|1 request oo ConversionRequest|2 response oo ConversionResponse',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceColumnDefinition':
    'struct|1 name pe string|2 type pe string|3 format po string|4 description po string|5 priority po int32|6 jsonPath pe string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceConversion':
    'struct|1 strategy pe string|2 webhook oo WebhookConversion',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinition':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe CustomResourceDefinitionSpec|3 status pe CustomResourceDefinitionStatus',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string|6 observedGeneration po int64',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CustomResourceDefinition',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionNames':
    'struct|1 plural pe string|2 singular po string|3 shortNames lo string|4 kind pe string|5 listKind po string|6 categories lo string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionSpec':
    'struct|1 group pe string|3 names pe CustomResourceDefinitionNames|4 scope pe string|7 versions le CustomResourceDefinitionVersion|9 conversion oo CustomResourceConversion|10 preserveUnknownFields po bool',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionStatus':
    'struct|1 conditions le CustomResourceDefinitionCondition|2 acceptedNames pe CustomResourceDefinitionNames|3 storedVersions le string|4 observedGeneration po int64',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceDefinitionVersion':
    'struct|1 name pe string|2 served pe bool|3 storage pe bool|7 deprecated po bool|8 deprecationWarning oo string|4 schema oo CustomResourceValidation|5 subresources oo CustomResourceSubresources|6 additionalPrinterColumns lo CustomResourceColumnDefinition|9 selectableFields lo SelectableField',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceScale':
    'struct|1 specReplicasPath pe string|2 statusReplicasPath pe string|3 labelSelectorPath oo string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresourceStatus':
    'struct',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceSubresources':
    'struct|1 status oo CustomResourceSubresourceStatus|2 scale oo CustomResourceSubresourceScale',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.CustomResourceValidation':
    'struct|1 openAPIV3Schema oo JSONSchemaProps',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.ExternalDocumentation':
    'struct|1 description po string|2 url po string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSON':
    'json|1 raw pe json',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps':
    'struct|1 id po string|2 $schema po string|3 $ref oo string|4 description po string|5 type po string|6 format po string|7 title po string|8 default oo JSON|9 maximum oo double|10 exclusiveMaximum po bool|11 minimum oo double|12 exclusiveMinimum po bool|13 maxLength oo int64|14 minLength oo int64|15 pattern po string|16 maxItems oo int64|17 minItems oo int64|18 uniqueItems po bool|19 multipleOf oo double|20 enum lo JSON|21 maxProperties oo int64|22 minProperties oo int64|23 required lo string|24 items oo JSONSchemaPropsOrArray|25 allOf lo JSONSchemaProps|26 oneOf lo JSONSchemaProps|27 anyOf lo JSONSchemaProps|28 not oo JSONSchemaProps|29 properties mo JSONSchemaProps|30 additionalProperties oo JSONSchemaPropsOrBool|31 patternProperties mo JSONSchemaProps|32 dependencies mo JSONSchemaPropsOrStringArray|33 additionalItems oo JSONSchemaPropsOrBool|34 definitions mo JSONSchemaProps|35 externalDocs oo ExternalDocumentation|36 example oo JSON|37 nullable po bool|38 x-kubernetes-preserve-unknown-fields oo bool|39 x-kubernetes-embedded-resource po bool|40 x-kubernetes-int-or-string po bool|41 x-kubernetes-list-map-keys lo string|42 x-kubernetes-list-type oo string|43 x-kubernetes-map-type oo string|44 x-kubernetes-validations lo ValidationRule',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrArray':
    'schemaOrArray|1 schema oe JSONSchemaProps|2 schemas le JSONSchemaProps',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrBool':
    'schemaOrBool|1 allows pe bool|2 schema oe JSONSchemaProps',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.JSONSchemaPropsOrStringArray':
    'schemaOrStrings|1 schema oe JSONSchemaProps|2 property le string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.SelectableField':
    'struct|1 jsonPath pe string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.ServiceReference':
    'struct|1 namespace pe string|2 name pe string|3 path oo string|4 port oo int32',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.ValidationRule':
    'struct|1 rule pe string|2 message po string|3 messageExpression po string|4 reason oo string|5 fieldPath po string|6 optionalOldSelf oo bool',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.WebhookClientConfig':
    'struct|3 url oo string|1 service oo ServiceReference|2 caBundle po bytes',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1.WebhookConversion':
    'struct|2 clientConfig oo WebhookClientConfig|3 conversionReviewVersions le string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.ConversionRequest':
    'struct|1 uid pe string|2 desiredAPIVersion pe string|3 objects le k8s.io.apimachinery.pkg.runtime.RawExtension',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.ConversionResponse':
    'struct|1 uid pe string|2 convertedObjects le k8s.io.apimachinery.pkg.runtime.RawExtension|3 result pe k8s.io.apimachinery.pkg.apis.meta.v1.Status',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.ConversionReview':
    'struct|1 request oo ConversionRequest|2 response oo ConversionResponse',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceColumnDefinition':
    'struct|1 name pe string|2 type pe string|3 format po string|4 description po string|5 priority po int32|6 JSONPath pe string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceConversion':
    'struct|1 strategy pe string|2 webhookClientConfig oo WebhookClientConfig|3 conversionReviewVersions lo string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinition':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe CustomResourceDefinitionSpec|3 status pe CustomResourceDefinitionStatus',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string|6 observedGeneration po int64',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le CustomResourceDefinition',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionNames':
    'struct|1 plural pe string|2 singular po string|3 shortNames lo string|4 kind pe string|5 listKind po string|6 categories lo string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionSpec':
    'struct|1 group pe string|2 version po string|3 names pe CustomResourceDefinitionNames|4 scope pe string|5 validation oo CustomResourceValidation|6 subresources oo CustomResourceSubresources|7 versions lo CustomResourceDefinitionVersion|8 additionalPrinterColumns lo CustomResourceColumnDefinition|11 selectableFields lo SelectableField|9 conversion oo CustomResourceConversion|10 preserveUnknownFields oo bool',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionStatus':
    'struct|1 conditions le CustomResourceDefinitionCondition|2 acceptedNames pe CustomResourceDefinitionNames|3 storedVersions le string|4 observedGeneration po int64',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceDefinitionVersion':
    'struct|1 name pe string|2 served pe bool|3 storage pe bool|7 deprecated po bool|8 deprecationWarning oo string|4 schema oo CustomResourceValidation|5 subresources oo CustomResourceSubresources|6 additionalPrinterColumns lo CustomResourceColumnDefinition|9 selectableFields lo SelectableField',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceSubresourceScale':
    'struct|1 specReplicasPath pe string|2 statusReplicasPath pe string|3 labelSelectorPath oo string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceSubresourceStatus':
    'struct',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceSubresources':
    'struct|1 status oo CustomResourceSubresourceStatus|2 scale oo CustomResourceSubresourceScale',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceValidation':
    'struct|1 openAPIV3Schema oo JSONSchemaProps',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.ExternalDocumentation':
    'struct|1 description po string|2 url po string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.JSON':
    'json|1 raw pe json',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaProps':
    'struct|1 id po string|2 $schema po string|3 $ref oo string|4 description po string|5 type po string|6 format po string|7 title po string|8 default oo JSON|9 maximum oo double|10 exclusiveMaximum po bool|11 minimum oo double|12 exclusiveMinimum po bool|13 maxLength oo int64|14 minLength oo int64|15 pattern po string|16 maxItems oo int64|17 minItems oo int64|18 uniqueItems po bool|19 multipleOf oo double|20 enum lo JSON|21 maxProperties oo int64|22 minProperties oo int64|23 required lo string|24 items oo JSONSchemaPropsOrArray|25 allOf lo JSONSchemaProps|26 oneOf lo JSONSchemaProps|27 anyOf lo JSONSchemaProps|28 not oo JSONSchemaProps|29 properties mo JSONSchemaProps|30 additionalProperties oo JSONSchemaPropsOrBool|31 patternProperties mo JSONSchemaProps|32 dependencies mo JSONSchemaPropsOrStringArray|33 additionalItems oo JSONSchemaPropsOrBool|34 definitions mo JSONSchemaProps|35 externalDocs oo ExternalDocumentation|36 example oo JSON|37 nullable po bool|38 x-kubernetes-preserve-unknown-fields oo bool|39 x-kubernetes-embedded-resource po bool|40 x-kubernetes-int-or-string po bool|41 x-kubernetes-list-map-keys lo string|42 x-kubernetes-list-type oo string|43 x-kubernetes-map-type oo string|44 x-kubernetes-validations lo ValidationRule',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaPropsOrArray':
    'schemaOrArray|1 schema oe JSONSchemaProps|2 schemas le JSONSchemaProps',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaPropsOrBool':
    'schemaOrBool|1 allows pe bool|2 schema oe JSONSchemaProps',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.JSONSchemaPropsOrStringArray':
    'schemaOrStrings|1 schema oe JSONSchemaProps|2 property le string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.SelectableField':
    'struct|1 jsonPath pe string',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.ServiceReference':
    'struct|1 namespace pe string|2 name pe string|3 path oo string|4 port oo int32',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.ValidationRule':
    'struct|1 rule pe string|2 message po string|3 messageExpression po string|4 reason oo string|5 fieldPath po string|6 optionalOldSelf oo bool',
  'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions.v1beta1.WebhookClientConfig':
    'struct|3 url oo string|1 service oo ServiceReference|2 caBundle po bytes',
  'k8s.io.apimachinery.pkg.api.resource.Quantity':
    'quantity|1 string pe string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.APIGroup':
    'struct|1 name pe string|2 versions le GroupVersionForDiscovery|3 preferredVersion pe GroupVersionForDiscovery|4 serverAddressByClientCIDRs lo ServerAddressByClientCIDR',
  'k8s.io.apimachinery.pkg.apis.meta.v1.APIGroupList':
    'struct|1 groups le APIGroup',
  'k8s.io.apimachinery.pkg.apis.meta.v1.APIResource':
    'struct|1 name pe string|6 singularName pe string|2 namespaced pe bool|8 group po string|9 version po string|3 kind pe string|4 verbs pe Verbs|5 shortNames lo string|7 categories lo string|10 storageVersionHash po string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.APIResourceList':
    'struct|1 groupVersion pe string|2 resources le APIResource',
  'k8s.io.apimachinery.pkg.apis.meta.v1.APIVersions':
    'struct|1 versions le string|2 serverAddressByClientCIDRs le ServerAddressByClientCIDR',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Condition':
    'struct|1 type pe string|2 status pe string|3 observedGeneration po int64|4 lastTransitionTime pe Time|5 reason pe string|6 message pe string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.CreateOptions':
    'struct|1 dryRun lo string|3 fieldManager po string|4 fieldValidation po string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.DeleteOptions':
    'struct|1 gracePeriodSeconds oo int64|2 preconditions oo Preconditions|3 orphanDependents oo bool|4 propagationPolicy oo string|5 dryRun lo string|6 ignoreStoreReadErrorWithClusterBreakingPotential oo bool',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Duration':
    'duration|1 duration pe int64',
  'k8s.io.apimachinery.pkg.apis.meta.v1.FieldSelectorRequirement':
    'struct|1 key pe string|2 operator pe string|3 values lo string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.FieldsV1':
    'json|1 raw pe json',
  'k8s.io.apimachinery.pkg.apis.meta.v1.GetOptions':
    'struct|1 resourceVersion po string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.GroupKind':
    'struct|1 group pe string|2 kind pe string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.GroupResource':
    'struct|1 group pe string|2 resource pe string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersion':
    'struct',
  'k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionForDiscovery':
    'struct|1 groupVersion pe string|2 version pe string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionKind':
    'struct|1 group pe string|2 version pe string|3 kind pe string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.GroupVersionResource':
    'struct|1 group pe string|2 version pe string|3 resource pe string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelector':
    'struct|1 matchLabels mo string|2 matchExpressions lo LabelSelectorRequirement',
  'k8s.io.apimachinery.pkg.apis.meta.v1.LabelSelectorRequirement':
    'struct|1 key pe string|2 operator pe string|3 values lo string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.List':
    'struct|1 metadata pe ListMeta|2 items le k8s.io.apimachinery.pkg.runtime.RawExtension',
  'k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta':
    'struct|1 selfLink po string|2 resourceVersion po string|3 continue po string|4 remainingItemCount oo int64|5 shardInfo oo ShardInfo',
  'k8s.io.apimachinery.pkg.apis.meta.v1.ListOptions':
    'struct|1 labelSelector po string|2 fieldSelector po string|3 watch po bool|9 allowWatchBookmarks po bool|4 resourceVersion po string|10 resourceVersionMatch po string|5 timeoutSeconds oo int64|7 limit po int64|8 continue po string|11 sendInitialEvents oo bool|15 shardSelector po string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry':
    'struct|1 manager po string|2 operation po string|3 apiVersion po string|4 time oo Time|6 fieldsType po string|7 fieldsV1 oo FieldsV1|8 subresource po string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.MicroTime':
    'microTime|1 seconds pe int64|2 nanos pe int32',
  'k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta':
    'struct|1 name po string|2 generateName po string|3 namespace po string|4 selfLink po string|5 uid po string|6 resourceVersion po string|7 generation po int64|8 creationTimestamp po Time|9 deletionTimestamp oo Time|10 deletionGracePeriodSeconds oo int64|11 labels mo string|12 annotations mo string|13 ownerReferences lo OwnerReference|14 finalizers lo string|17 managedFields lo ManagedFieldsEntry',
  'k8s.io.apimachinery.pkg.apis.meta.v1.OwnerReference':
    'struct|5 apiVersion pe string|1 kind pe string|3 name pe string|4 uid pe string|6 controller oo bool|7 blockOwnerDeletion oo bool',
  'k8s.io.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata':
    'struct|1 metadata pe ObjectMeta',
  'k8s.io.apimachinery.pkg.apis.meta.v1.PartialObjectMetadataList':
    'struct|1 metadata pe ListMeta|2 items le PartialObjectMetadata',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Patch':
    'struct',
  'k8s.io.apimachinery.pkg.apis.meta.v1.PatchOptions':
    'struct|1 dryRun lo string|2 force oo bool|3 fieldManager po string|4 fieldValidation po string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Preconditions':
    'struct|1 uid oo string|2 resourceVersion oo string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.ServerAddressByClientCIDR':
    'struct|1 clientCIDR pe string|2 serverAddress pe string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.ShardInfo':
    'struct|1 selector pe string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Status':
    'struct|1 metadata pe ListMeta|2 status po string|3 message po string|4 reason po string|5 details oo StatusDetails|6 code po int32',
  'k8s.io.apimachinery.pkg.apis.meta.v1.StatusCause':
    'struct|1 reason po string|2 message po string|3 field po string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.StatusDetails':
    'struct|1 name po string|2 group po string|3 kind po string|6 uid po string|4 causes lo StatusCause|5 retryAfterSeconds po int32',
  'k8s.io.apimachinery.pkg.apis.meta.v1.TableOptions':
    'struct|1 includeObject po string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Time':
    'time|1 seconds pe int64|2 nanos pe int32',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Timestamp':
    'struct|1 seconds pe int64|2 nanos pe int32',
  'k8s.io.apimachinery.pkg.apis.meta.v1.TypeMeta':
    'struct|1 kind po string|2 apiVersion po string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.UpdateOptions':
    'struct|1 dryRun lo string|2 fieldManager po string|3 fieldValidation po string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.Verbs':
    'list|1 items le string',
  'k8s.io.apimachinery.pkg.apis.meta.v1.WatchEvent':
    'struct|1 type pe string|2 object pe k8s.io.apimachinery.pkg.runtime.RawExtension',
  'k8s.io.apimachinery.pkg.apis.meta.v1beta1.PartialObjectMetadataList':
    'struct|2 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|1 items le k8s.io.apimachinery.pkg.apis.meta.v1.PartialObjectMetadata',
  'k8s.io.apimachinery.pkg.runtime.RawExtension':
    'json|1 raw pe json',
  'k8s.io.apimachinery.pkg.runtime.TypeMeta':
    'struct|1 apiVersion po string|2 kind po string',
  'k8s.io.apimachinery.pkg.runtime.Unknown':
    'struct',
  'k8s.io.apimachinery.pkg.util.intstr.IntOrString':
    'intOrString|1 type pe int64|2 intVal pe int32|3 strVal pe string',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1.APIService':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe APIServiceSpec|3 status pe APIServiceStatus',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1.APIServiceCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1.APIServiceList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le APIService',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1.APIServiceSpec':
    'struct|1 service oo ServiceReference|2 group po string|3 version po string|4 insecureSkipTLSVerify po bool|5 caBundle po bytes|7 groupPriorityMinimum pe int32|8 versionPriority pe int32',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1.APIServiceStatus':
    'struct|1 conditions lo APIServiceCondition',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1.ServiceReference':
    'struct|1 namespace po string|2 name po string|3 port oo int32',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1beta1.APIService':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ObjectMeta|2 spec pe APIServiceSpec|3 status pe APIServiceStatus',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1beta1.APIServiceCondition':
    'struct|1 type pe string|2 status pe string|3 lastTransitionTime pe k8s.io.apimachinery.pkg.apis.meta.v1.Time|4 reason po string|5 message po string',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1beta1.APIServiceList':
    'struct|1 metadata pe k8s.io.apimachinery.pkg.apis.meta.v1.ListMeta|2 items le APIService',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1beta1.APIServiceSpec':
    'struct|1 service oo ServiceReference|2 group po string|3 version po string|4 insecureSkipTLSVerify po bool|5 caBundle po bytes|7 groupPriorityMinimum pe int32|8 versionPriority pe int32',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1beta1.APIServiceStatus':
    'struct|1 conditions lo APIServiceCondition',
  'k8s.io.kube_aggregator.pkg.apis.apiregistration.v1beta1.ServiceReference':
    'struct|1 namespace po string|2 name po string|3 port oo int32',
};

/** The protobuf package of a group, its version left out. */
export const packageOfGroup: Readonly<Record<string, string>> = {
  '': 'k8s.io.api.core',
  'admission.k8s.io': 'k8s.io.api.admission',
  'admissionregistration.k8s.io': 'k8s.io.api.admissionregistration',
  'apidiscovery.k8s.io': 'k8s.io.api.apidiscovery',
  'apiextensions.k8s.io': 'k8s.io.apiextensions_apiserver.pkg.apis.apiextensions',
  'apiregistration.k8s.io': 'k8s.io.kube_aggregator.pkg.apis.apiregistration',
  'apps': 'k8s.io.api.apps',
  'authentication.k8s.io': 'k8s.io.api.authentication',
  'authorization.k8s.io': 'k8s.io.api.authorization',
  'autoscaling': 'k8s.io.api.autoscaling',
  'batch': 'k8s.io.api.batch',
  'certificates.k8s.io': 'k8s.io.api.certificates',
  'coordination.k8s.io': 'k8s.io.api.coordination',
  'discovery.k8s.io': 'k8s.io.api.discovery',
  'events.k8s.io': 'k8s.io.api.events',
  'extensions': 'k8s.io.api.extensions',
  'flowcontrol.apiserver.k8s.io': 'k8s.io.api.flowcontrol',
  'imagepolicy.k8s.io': 'k8s.io.api.imagepolicy',
  'internal.apiserver.k8s.io': 'k8s.io.api.apiserverinternal',
  'networking.k8s.io': 'k8s.io.api.networking',
  'node.k8s.io': 'k8s.io.api.node',
  'policy': 'k8s.io.api.policy',
  'rbac.authorization.k8s.io': 'k8s.io.api.rbac',
  'resource.k8s.io': 'k8s.io.api.resource',
  'scheduling.k8s.io': 'k8s.io.api.scheduling',
  'storage.k8s.io': 'k8s.io.api.storage',
  'storagemigration.k8s.io': 'k8s.io.api.storagemigration',
};
