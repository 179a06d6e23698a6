import { FieldPath, forbidden, invalid, notSupported, required } from '@pintle/machinery/errors';
import { deepEqual } from '@pintle/machinery/json';
import type { ResourceRules } from '@pintle/machinery/rules';
import type {
  ExemptPriorityLevelConfiguration,
  LimitedPriorityLevelConfiguration,
  LimitResponse,
  PriorityLevelConfiguration,
  PriorityLevelConfigurationSpec,
  QueuingConfiguration,
} from '../../../generated/flowcontrol/v1.ts';
import { type Check, collect } from '../../common/checks.ts';
import { age, ageColumn, column, nameColumn, nameOf } from '../../common/printers.ts';
import { checkConditionTypes, flowControlRules } from './flow-control-rules.ts';

const path = FieldPath.of('spec');
const maxQueues = 10_000_000;

export const priorityLevelConfigurationRules: ResourceRules<PriorityLevelConfiguration> = {
  ...flowControlRules,
  default: ({ spec }) => defaultLevel(spec),
  validate: (level) => collect(checkLevel(level)),
  validateUpdate: (next) => collect(checkLevel(next)),
  printer: {
    columns: [
      nameColumn,
      column('Type'),
      column('NominalConcurrencyShares'),
      column('Queues'),
      column('HandSize'),
      column('QueueLengthLimit'),
      ageColumn,
    ],
    row: (level, context) => {
      const { type = '', limited } = level.spec ?? {};
      const queuing = limited?.limitResponse?.queuing;
      return [
        nameOf(level),
        type,
        limited === undefined ? '<none>' : (limited.nominalConcurrencyShares ?? 0),
        queuing?.queues ?? '<none>',
        queuing?.handSize ?? '<none>',
        queuing?.queueLengthLimit ?? '<none>',
        age(level, context),
      ];
    },
  },
};

function defaultLevel(spec: PriorityLevelConfigurationSpec | undefined): void {
  const { exempt, limited } = spec ?? {};
  if (exempt !== undefined) {
    exempt.nominalConcurrencyShares ??= 0;
    exempt.lendablePercent ??= 0;
  }
  if (limited !== undefined) {
    limited.nominalConcurrencyShares ??= 30;
    limited.lendablePercent ??= 0;
  }
  const queuing = limited?.limitResponse?.queuing;
  if (queuing === undefined) return;
  queuing.handSize ||= 8;
  queuing.queues ||= 64;
  queuing.queueLengthLimit ||= 50;
}

function* checkLevel({ metadata, spec, status }: PriorityLevelConfiguration): Check {
  yield* checkSpec(spec, metadata.name ?? '');
  yield* checkMandatory(spec, metadata.name ?? '');
  yield* checkConditionTypes(status?.conditions ?? []);
}

/** Two levels always exist, with a fixed spec, except for the seats that the exempt one lends. */
function* checkMandatory(spec: PriorityLevelConfigurationSpec | undefined, name: string): Check {
  const { exempt, ...rest } = spec ?? {};
  if (name === 'exempt' && !deepEqual(rest, { type: 'Exempt' }))
    yield invalid(
      path,
      goSpec(spec ?? { type: '' }),
      "spec of 'exempt' except the 'spec.exempt' field must equal the fixed value",
    );
  if (name === 'catch-all' && !(exempt === undefined && deepEqual(rest, catchAll)))
    yield invalid(path, goSpec(spec ?? { type: '' }), "spec of 'catch-all' must equal the fixed value");
}

/** Returns the internal type that Kubernetes prints here: every field, under its Go name. */
function goSpec({ type, limited, exempt }: PriorityLevelConfigurationSpec): object {
  return { Type: type, Limited: limited ? goLimited(limited) : null, Exempt: exempt ? goExempt(exempt) : null };
}

function goExempt({ nominalConcurrencyShares, lendablePercent }: ExemptPriorityLevelConfiguration): object {
  return { NominalConcurrencyShares: nominalConcurrencyShares ?? null, LendablePercent: lendablePercent ?? null };
}

function goLimited(limited: LimitedPriorityLevelConfiguration): object {
  const { nominalConcurrencyShares, limitResponse, lendablePercent, borrowingLimitPercent } = limited;
  const queuing = limitResponse?.queuing;
  return {
    NominalConcurrencyShares: nominalConcurrencyShares ?? 0,
    LimitResponse: {
      Type: limitResponse?.type ?? '',
      Queuing: queuing
        ? { Queues: queuing.queues, HandSize: queuing.handSize, QueueLengthLimit: queuing.queueLengthLimit }
        : null,
    },
    LendablePercent: lendablePercent ?? null,
    BorrowingLimitPercent: borrowingLimitPercent ?? null,
  };
}

const catchAll: PriorityLevelConfigurationSpec = {
  type: 'Limited',
  limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } },
};

function* checkSpec(spec: PriorityLevelConfigurationSpec | undefined, name: string): Check {
  const { type = '', exempt, limited } = spec ?? {};
  if ((name === 'exempt') !== (type === 'Exempt'))
    yield invalid(path.child('type'), type, "must be 'Exempt' if and only if `name` is 'exempt'");
  if (type === 'Exempt') {
    if (limited !== undefined) yield forbidden(path.child('limited'), 'must be nil if the type is not Limited');
    if (exempt !== undefined) yield* checkShares(exempt, path.child('exempt'));
  } else if (type === 'Limited') {
    if (exempt !== undefined) yield forbidden(path.child('exempt'), 'must be nil if the type is Limited');
    if (limited === undefined) yield required(path.child('limited'), 'must not be empty when type is Limited');
    else yield* checkLimited(limited, path.child('limited'));
  } else if (type === '') {
    yield required(path.child('type'));
  } else {
    yield notSupported(path.child('type'), type, ['Exempt', 'Limited']);
  }
}

function* checkShares(
  { nominalConcurrencyShares: shares = 0, lendablePercent: percent = 0 }: LimitedPriorityLevelConfiguration,
  at: FieldPath,
): Check {
  if (shares < 0) yield invalid(at.child('nominalConcurrencyShares'), shares, 'must be a non-negative integer');
  if (percent < 0 || percent > 100)
    yield invalid(at.child('lendablePercent'), percent, 'must be between 0 and 100, inclusive');
}

function* checkLimited(limited: LimitedPriorityLevelConfiguration, at: FieldPath): Check {
  const [shares, percent] = [
    { nominalConcurrencyShares: limited.nominalConcurrencyShares ?? 0 },
    { lendablePercent: limited.lendablePercent ?? 0 },
  ];
  yield* checkShares(shares, at);
  yield* checkResponse(limited.limitResponse, at.child('limitResponse'));
  yield* checkShares(percent, at);
  const { borrowingLimitPercent: borrowing } = limited;
  if (borrowing !== undefined && borrowing < 0)
    yield invalid(at.child('borrowingLimitPercent'), borrowing, 'if specified, must be a non-negative integer');
}

function* checkResponse(response: LimitResponse | undefined, at: FieldPath): Check {
  const { type = '', queuing } = response ?? {};
  if (type === 'Reject') {
    if (queuing !== undefined)
      yield forbidden(at.child('queuing'), 'must be nil if limited.limitResponse.type is not Limited');
  } else if (type === 'Queue') {
    if (queuing === undefined)
      yield required(at.child('queuing'), 'must not be empty if limited.limitResponse.type is Limited');
    else yield* checkQueuing(queuing, at.child('queuing'));
  } else if (type === '') {
    yield required(at.child('type'));
  } else {
    yield notSupported(at.child('type'), type, ['Queue', 'Reject']);
  }
}

function* checkQueuing({ queueLengthLimit = 0, queues = 0, handSize = 0 }: QueuingConfiguration, at: FieldPath): Check {
  if (queueLengthLimit <= 0) yield invalid(at.child('queueLengthLimit'), queueLengthLimit, 'must be positive');
  if (queues <= 0) yield invalid(at.child('queues'), queues, 'must be positive');
  else if (queues > maxQueues) yield invalid(at.child('queues'), queues, `must not be greater than ${maxQueues}`);
  if (handSize <= 0) yield invalid(at.child('handSize'), handSize, 'must be positive');
  else if (handSize > queues)
    yield invalid(at.child('handSize'), handSize, `should not be greater than queues (${queues})`);
  else if (entropyBits(queues, handSize) > maxEntropyBits)
    yield invalid(
      at.child('handSize'),
      handSize,
      `required entropy bits of deckSize ${queues} and handSize ${handSize} should not be greater than ${maxEntropyBits}`,
    );
}

const maxEntropyBits = 60;

/** Returns the random bits that dealing a hand of queues takes. */
function entropyBits(queues: number, handSize: number): number {
  return Math.ceil(Math.log2(queues) * handSize);
}
