import { FieldPath, invalid, required } from '@pintle/machinery/errors';
import { ipFamilyOf, parseCidr, validateCidr } from '@pintle/machinery/names';
import type { ResourceRules } from '@pintle/machinery/rules';
import type { ServiceCIDR } from '../../../generated/networking/v1.ts';
import { type Check, collect } from '../../common/checks.ts';
import { keepAllButStatusAndMetadata, keepStatus } from '../../common/object-fields.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';

const path = FieldPath.of('spec', 'cidrs');

export const serviceCidrRules: ResourceRules<ServiceCIDR> = {
  prepareForCreate: (range) => {
    range.status = {};
  },
  prepareForUpdate: keepStatus,
  validate: ({ spec }) => collect(checkRanges(spec?.cidrs ?? [])),
  validateUpdate: (next, previous) => collect(checkChange(next.spec?.cidrs ?? undefined, previous.spec?.cidrs ?? [])),
  subresources: { status: { prepareForUpdate: keepAllButStatusAndMetadata } },
  printer: {
    columns: [nameColumn, column('CIDRs'), ageColumn],
    row: (range, context) => [nameOf(range), (range.spec?.cidrs ?? []).join(','), age(range, context)],
  },
};

function* checkRanges(ranges: readonly string[]): Check {
  if (ranges.length === 0) {
    yield required(path, 'at least one CIDR required');
    return;
  }
  if (ranges.length > 2) {
    yield invalid(path, { CIDRs: ranges }, 'may only hold up to 2 values');
    return;
  }
  for (const [index, range] of ranges.entries()) yield* validateCidr(range, path.index(index));
  const families = ranges.flatMap((range) => {
    const cidr = parseCidr(range);
    return cidr === undefined ? [] : [ipFamilyOf(cidr.address)];
  });
  if (families.length === 2 && families[0] === families[1])
    yield invalid(
      path,
      ranges,
      'may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and 2001:db8::/64',
    );
}

/** Ranges are fixed; a second one, of the other family, may be added. */
function* checkChange(given: readonly string[] | undefined, before: readonly string[]): Check {
  const ranges = given ?? [];
  const isUpgrade = before.length === 1 && ranges.length === 2;
  if (!isUpgrade && ranges.length !== before.length) {
    yield invalid(path, given ?? null, 'field is immutable');
    return;
  }
  for (const [index, range] of before.entries())
    if (range !== ranges[index]) yield invalid(path.index(index), ranges[index], 'field is immutable');
  if (isUpgrade) yield* checkRanges(ranges);
}
