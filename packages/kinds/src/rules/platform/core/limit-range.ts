import { duplicate, FieldPath, forbidden, invalid, required } from '@pintle/machinery/errors';
import { validateQualifiedName } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { LimitRange, LimitRangeItem } from '../../../generated/core/v1.ts';
import type { Quantity } from '../../../generated/meta/v1.ts';
import { type Check, collect, problems, sortedEntries } from '../../common/checks.ts';
import { nameAndCreation } from '../../common/printers.ts';
import { compareQuantities, ratioOf, roundUpAmounts } from '../../common/quantities.ts';
import {
  checkContainerResourceName,
  checkResourceName,
  isHugePages,
  isNativeResource,
} from '../../common/resource-names.ts';

export const limitRangeRules: ResourceRules<LimitRange> = {
  metadataChecks: ['create'],
  createOnUpdate: true,
  prepareForCreate({ metadata }, context) {
    if (!metadata.name && context !== undefined) metadata.name = context.uuid();
  },
  default: ({ spec }) => {
    for (const item of spec?.limits ?? []) {
      for (const amounts of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio])
        roundUpAmounts(amounts);
      defaultItem(item);
    }
  },
  validate: (limitRange) => collect(checkLimitRange(limitRange)),
  validateUpdate: (next) => collect(checkLimitRange(next)),
  printer: nameAndCreation,
};

/** The default limit of a container is its maximum; its default request is the default limit, or else the minimum. */
function defaultItem(item: LimitRangeItem): void {
  if (item.type !== 'Container') return;
  const limits = { ...item.max, ...item.default };
  const requests = { ...item.min, ...limits, ...item.defaultRequest };
  if (Object.keys(limits).length > 0) item.default = limits;
  if (Object.keys(requests).length > 0) item.defaultRequest = requests;
}

const limitFields = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;
const types: readonly string[] = ['Container', 'PersistentVolumeClaim', 'Pod'];

function* checkLimitRange({ spec }: LimitRange): Check {
  const seen = new Set<string>();
  for (const [index, item] of (spec?.limits ?? []).entries()) {
    const path = FieldPath.of('spec', 'limits').index(index);
    yield* checkType(item.type, path.child('type'));
    if (seen.has(item.type)) yield duplicate(path.child('type'), item.type);
    seen.add(item.type);
    yield* checkNames(item, path);
    for (const name of namesIn(item)) yield* checkAmounts(item, name, path);
  }
}

function* checkType(type: string, path: FieldPath): Check {
  const malformed = problems(path, type, validateQualifiedName(type));
  yield* malformed;
  if (malformed.length === 0 && !type.includes('/') && !types.includes(type))
    yield invalid(path, type, 'must be a standard limit type or fully qualified');
}

function* checkNames(item: LimitRangeItem, path: FieldPath): Check {
  const isOfContainers = item.type === 'Pod' || item.type === 'Container';
  const checkName = isOfContainers ? checkContainerResourceName : checkResourceName;
  for (const field of limitFields) {
    if (field === 'maxLimitRequestRatio') yield* checkClaim(item, path);
    if (item.type === 'Pod' && (field === 'default' || field === 'defaultRequest')) {
      if (Object.keys(item[field] ?? {}).length > 0)
        yield forbidden(path.child(field), "may not be specified when `type` is 'Pod'");
      continue;
    }
    for (const [name] of sortedEntries(item[field])) yield* checkName(name, path.child(field).key(name));
  }
}

function* checkClaim(item: LimitRangeItem, path: FieldPath): Check {
  if (item.type === 'PersistentVolumeClaim' && item.min?.storage === undefined && item.max?.storage === undefined)
    yield required(
      path.child('limits'),
      'either minimum or maximum storage value is required, but neither was provided',
    );
}

function namesIn(item: LimitRangeItem): string[] {
  const fields = item.type === 'Pod' ? (['max', 'min', 'maxLimitRequestRatio'] as const) : limitFields;
  return [...new Set(fields.flatMap((field) => Object.keys(item[field] ?? {})))].sort();
}

function* checkAmounts(item: LimitRangeItem, name: string, path: FieldPath): Check {
  const isPod = item.type === 'Pod';
  const min = item.min?.[name];
  const max = item.max?.[name];
  const limit = isPod ? undefined : item.default?.[name];
  const request = isPod ? undefined : item.defaultRequest?.[name];
  const at = (field: string) => path.child(field).key(name);
  if (isAbove(min, max)) yield invalid(at('min'), min, `min value ${min} is greater than max value ${max}`);
  if (isAbove(min, request))
    yield invalid(at('defaultRequest'), request, `min value ${min} is greater than default request value ${request}`);
  if (isAbove(request, max))
    yield invalid(at('defaultRequest'), request, `default request value ${request} is greater than max value ${max}`);
  if (isAbove(request, limit))
    yield invalid(
      at('defaultRequest'),
      request,
      `default request value ${request} is greater than default limit value ${limit}`,
    );
  if (isAbove(min, limit)) yield invalid(at('default'), min, `min value ${min} is greater than default value ${limit}`);
  if (isAbove(limit, max)) yield invalid(at('default'), max, `default value ${limit} is greater than max value ${max}`);
  yield* checkRatio(item.maxLimitRequestRatio?.[name], min, max, at('maxLimitRequestRatio'));
  const mayOvercommit = isNativeResource(name) && !isHugePages(name);
  if (!mayOvercommit && limit !== undefined && request !== undefined && compareQuantities(limit, request) !== 0)
    yield invalid(
      at('defaultRequest'),
      request,
      `default value ${limit} must equal to defaultRequest value ${request} in ${name}`,
    );
}

function* checkRatio(
  ratio: Quantity | undefined,
  min: Quantity | undefined,
  max: Quantity | undefined,
  path: FieldPath,
): Check {
  if (ratio === undefined) return;
  if (compareQuantities(ratio, '1') < 0) yield invalid(path, ratio, `ratio ${ratio} is less than 1`);
  if (min === undefined || max === undefined) return;
  const limit = ratioOf(max, min);
  if (ratioOf(ratio, '1') > limit)
    yield invalid(path, ratio, `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`);
}

function isAbove(left: Quantity | undefined, right: Quantity | undefined): boolean {
  return left !== undefined && right !== undefined && compareQuantities(left, right) > 0;
}
