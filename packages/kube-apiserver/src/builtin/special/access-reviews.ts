import type { UserInfo } from '@pintle/apiserver';
import type { UserRules } from '@pintle/apiserver/auth';
import type { RequestInfo, Verb } from '@pintle/apiserver/request';
import type { RequestContext } from '@pintle/apiserver/resource';
import type {
  LocalSubjectAccessReview,
  NonResourceAttributes,
  ResourceAttributes,
  SelfSubjectAccessReview,
  SelfSubjectRulesReview,
  SubjectAccessReview,
  SubjectAccessReviewSpec,
  SubjectAccessReviewStatus,
} from '@pintle/kinds/authorization/v1';
import type { KubernetesObject } from '@pintle/machinery';
import type { FieldError } from '@pintle/machinery/errors';
import { badRequestError, invalid, invalidError } from '@pintle/machinery/errors';
import { metadataFields } from '@pintle/machinery/names';
import { reviewEndpoints } from './review.ts';
import { checkSelectors, selectedNodeOf, selectorProblems } from './review-selectors.ts';

type Question = Pick<SubjectAccessReviewSpec, 'resourceAttributes' | 'nonResourceAttributes'>;

/** SubjectAccessReview, and LocalSubjectAccessReview for users who may ask about one namespace only. */
export const accessReviews = reviewEndpoints<SubjectAccessReview | LocalSubjectAccessReview>(
  async (context, review) => {
    const { spec = {} } = review;
    refuse([
      ...checkQuestion(spec),
      ...checkSubject(spec),
      ...checkSelectors(spec.resourceAttributes ?? {}),
      ...checkMetadata(context, review),
      ...checkLocal(context, spec),
    ]);
    const user = { username: spec.user ?? '', groups: spec.groups ?? [], ...identityOf(spec) };
    return { ...review, status: await decide(context, user, spec) };
  },
);

/** SelfSubjectAccessReview. */
export const selfReviews = reviewEndpoints<SelfSubjectAccessReview>(async (context, review) => {
  const { spec = {} } = review;
  refuse([...checkQuestion(spec), ...checkSelectors(spec.resourceAttributes ?? {}), ...checkMetadata(context, review)]);
  return { ...review, status: await decide(context, context.user, spec) };
});

/** SelfSubjectRulesReview. Only as complete as the authorizer can list rules. */
export const rulesReviews = reviewEndpoints<SelfSubjectRulesReview>(async (context, review) => {
  const namespace = review.spec?.namespace;
  if (!namespace) throw badRequestError('no namespace on request');
  const rules = (await context.authorizer.rulesOf?.(context.user, namespace)) ?? NO_RULES;
  return {
    ...review,
    metadata: {},
    spec: {},
    status: {
      resourceRules: rules.resourceRules.map(copyRule),
      nonResourceRules: rules.nonResourceRules.map(copyRule),
      incomplete: rules.incomplete,
      ...evaluationErrorOf(rules),
    },
  } as SelfSubjectRulesReview;
});

const NO_RULES: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: true };

/** Copies the lists, which the authorizer goes on using. */
function copyRule(rule: UserRules['resourceRules'][number] & UserRules['nonResourceRules'][number]) {
  const { verbs, apiGroups, resources, resourceNames, nonResourceURLs } = rule;
  return {
    verbs: [...verbs],
    ...(apiGroups && { apiGroups: [...apiGroups] }),
    ...(resources && { resources: [...resources] }),
    ...(resourceNames && { resourceNames: [...resourceNames] }),
    ...(nonResourceURLs && { nonResourceURLs: [...nonResourceURLs] }),
  };
}

function evaluationErrorOf({ incomplete, evaluationError }: UserRules): { evaluationError?: string } {
  if (evaluationError !== undefined) return { evaluationError };
  return incomplete ? { evaluationError: 'the authorizer does not list all of its rules' } : {};
}

function identityOf({ uid, extra }: SubjectAccessReviewSpec): Partial<UserInfo> {
  return { ...(uid && { uid }), ...(extra && { extra }) };
}

async function decide(context: RequestContext, user: UserInfo, question: Question): Promise<SubjectAccessReviewStatus> {
  const { allowed, reason } = await context.authorizer.authorize(user, requestOf(question));
  const evaluationError = selectorProblems(question.resourceAttributes ?? {});
  return { allowed, ...(reason !== '' && { reason }), ...(evaluationError !== '' && { evaluationError }) };
}

function requestOf({ resourceAttributes, nonResourceAttributes }: Question): RequestInfo {
  return resourceAttributes === undefined
    ? { kind: 'path', verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' }
    : resourceRequestOf(resourceAttributes);
}

function resourceRequestOf(attributes: ResourceAttributes): RequestInfo {
  const {
    verb = '',
    group = '',
    version = '',
    namespace = '',
    resource = '',
    subresource = '',
    name = '',
  } = attributes;
  const selectedNode = selectedNodeOf(attributes);
  const target = {
    group,
    version,
    namespace,
    resource,
    subresource,
    name,
    authorizedName: name,
    rest: [],
    ...(selectedNode !== undefined && { selectedNode }),
  };
  // Rules may have any verb, even those that this server never requests.
  return { kind: 'resource', verb: verb as Verb, ...target };
}

function refuse(errors: readonly FieldError[]): void {
  if (errors.length > 0) throw invalidError({ group: 'authorization.k8s.io', kind: '' }, '', errors);
}

function checkSubject({ user, groups }: SubjectAccessReviewSpec): FieldError[] {
  if (user || groups?.length) return [];
  return [invalid('spec.user', '', 'at least one of user or group must be specified')];
}

function checkQuestion({ resourceAttributes, nonResourceAttributes }: Question): FieldError[] {
  if (resourceAttributes !== undefined && nonResourceAttributes !== undefined) {
    const detail = 'cannot be specified in combination with resourceAttributes';
    return [invalid('spec.nonResourceAttributes', goAttributes(nonResourceAttributes), detail)];
  }
  if (resourceAttributes === undefined && nonResourceAttributes === undefined) {
    const detail = 'exactly one of nonResourceAttributes or resourceAttributes must be specified';
    return [invalid('spec.resourceAttributes', null, detail)];
  }
  return [];
}

/** Checks that a review has no metadata to store. */
function checkMetadata({ resource }: RequestContext, { metadata }: KubernetesObject): FieldError[] {
  const { managedFields: _managedFields, namespace: _namespace, ...rest } = metadata;
  if (Object.keys(rest).length === 0) return [];
  const detail = resource.type.scope === 'Cluster' ? 'must be empty' : 'must be empty except for namespace';
  return [invalid('metadata', inOrder(metadata), detail)];
}

/** Returns the fields in the order in which Kubernetes prints them. */
function inOrder(metadata: KubernetesObject['metadata']): object {
  const entries = new Map(Object.entries(metadata));
  return Object.fromEntries(
    metadataFields.filter((name) => entries.has(name)).map((name) => [name, entries.get(name)]),
  );
}

/** Checks that a local review is about its own namespace. */
function checkLocal({ resource, info }: RequestContext, question: Question): FieldError[] {
  if (resource.type.scope === 'Cluster') return [];
  const { resourceAttributes, nonResourceAttributes } = question;
  const errors: FieldError[] = [];
  if (resourceAttributes !== undefined && (resourceAttributes.namespace ?? '') !== info.namespace) {
    const namespace = resourceAttributes.namespace ?? '';
    errors.push(invalid('spec.resourceAttributes.namespace', namespace, 'must match metadata.namespace'));
  }
  if (nonResourceAttributes !== undefined) {
    const detail = 'disallowed on this kind of request';
    errors.push(invalid('spec.nonResourceAttributes', goAttributes(nonResourceAttributes), detail));
  }
  return errors;
}

/** Returns every field under its name in Go, as Kubernetes shows its internal type here. */
function goAttributes({ path = '', verb = '' }: NonResourceAttributes): object {
  return { Path: path, Verb: verb };
}
