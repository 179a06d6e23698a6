import type { KubernetesObject } from '@pintle/machinery';
import { duplicate, FieldPath, invalid, required } from '@pintle/machinery/errors';
import { validateDns1035Label, validateFullyQualifiedName } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import { validateLabelSelector } from '@pintle/machinery/selectors';
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
  ValidatingWebhookConfiguration,
} from '../../../generated/admissionregistration/v1.ts';
import { type Check, checkOptionalChoice, collect, isUnset } from '../../common/checks.ts';
import { repeats } from '../../common/lists.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkWebhookClient, swappedFields } from '../../common/webhook-client.ts';
import { checkMatchConditions, checkRule, defaultRules, staticNameWarnings } from './admission-rules.ts';

type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;
type Configuration = KubernetesObject & { webhooks?: Webhook[] };

export const validatingWebhookConfigurationRules: ResourceRules<ValidatingWebhookConfiguration> = rulesOf(false);
export const mutatingWebhookConfigurationRules: ResourceRules<MutatingWebhookConfiguration> = rulesOf(true);

function rulesOf(isMutating: boolean): ResourceRules<Configuration> {
  return {
    metadataChecks: ['create'],
    takesAnyFinalizer: true,
    warnings: staticNameWarnings,
    unconditionalUpdate: false,
    tracksGeneration: true,
    countsEmptyAsChange: true,
    default: ({ webhooks = [] }) => {
      for (const webhook of webhooks) defaultWebhook(webhook, isMutating);
    },
    validate: (configuration) => collect(checkConfiguration(configuration)),
    validateUpdate: (next) => collect(checkConfiguration(next)),
    printer: {
      columns: [nameColumn, column('Webhooks', 'integer'), ageColumn],
      row: (configuration, context) => [
        nameOf(configuration),
        (configuration.webhooks ?? []).length,
        age(configuration, context),
      ],
    },
  };
}

function defaultWebhook(webhook: Webhook, isMutating: boolean): void {
  webhook.failurePolicy ??= 'Fail';
  webhook.matchPolicy ??= 'Equivalent';
  webhook.namespaceSelector ??= {};
  webhook.objectSelector ??= {};
  webhook.timeoutSeconds ??= 10;
  if (isMutating) webhook.reinvocationPolicy ??= 'Never';
  defaultRules(webhook.rules);
  const service = webhook.clientConfig?.service;
  if (service) service.port ??= 443;
}

function* checkConfiguration({ webhooks = [] }: Configuration): Check {
  const names = new Set<string>();
  for (const [index, webhook] of webhooks.entries()) {
    const path = FieldPath.of('webhooks').index(index);
    yield* checkWebhook(webhook, path);
    yield* checkReviewVersions(webhook.admissionReviewVersions ?? [], path.child('admissionReviewVersions'));
    if (webhook.name !== '' && names.has(webhook.name)) yield duplicate(path.child('name'), webhook.name);
    names.add(webhook.name);
  }
}

const sideEffects = ['None', 'NoneOnDryRun'];

function* checkWebhook(webhook: Webhook, path: FieldPath): Check {
  const { timeoutSeconds: seconds } = webhook;
  yield* validateFullyQualifiedName(webhook.name, path.child('name'));
  for (const [index, rule] of (webhook.rules ?? []).entries()) yield* checkRule(rule, path.child('rules').index(index));
  yield* checkOptionalChoice(path.child('failurePolicy'), webhook.failurePolicy, ['Fail', 'Ignore']);
  yield* checkOptionalChoice(path.child('matchPolicy'), webhook.matchPolicy, ['Equivalent', 'Exact']);
  if (isUnset(webhook.sideEffects)) yield required(path.child('sideEffects'), 'must specify one of None, NoneOnDryRun');
  else yield* checkOptionalChoice(path.child('sideEffects'), webhook.sideEffects, sideEffects);
  if (seconds !== undefined && (seconds < 1 || seconds > 30))
    yield invalid(path.child('timeoutSeconds'), seconds, 'the timeout value must be between 1 and 30 seconds');
  yield* validateLabelSelector(webhook.namespaceSelector, path.child('namespaceSelector'));
  yield* validateLabelSelector(webhook.objectSelector, path.child('objectSelector'));
  yield* checkOptionalChoice(path.child('reinvocationPolicy'), webhook.reinvocationPolicy, ['IfNeeded', 'Never']);
  yield* checkWebhookClient(webhook.clientConfig ?? {}, path.child('clientConfig'), swappedFields);
  yield* checkMatchConditions(webhook.matchConditions ?? [], path.child('matchConditions'));
}

const knownReviews = ['v1', 'v1beta1'];

function* checkReviewVersions(versions: readonly string[], path: FieldPath): Check {
  if (versions.length === 0) {
    yield required(path, `must specify one of ${knownReviews.join(', ')}`);
    return;
  }
  const isRepeated = repeats<string>();
  for (const [index, version] of versions.entries()) {
    const at = path.index(index);
    if (isRepeated(version)) yield invalid(at, version, 'duplicate version');
    else for (const problem of validateDns1035Label(version)) yield invalid(at, version, problem);
  }
  if (!versions.some((version) => knownReviews.includes(version)))
    yield invalid(path, versions, `must include at least one of ${knownReviews.join(', ')}`);
}
