import type { FlowSchema, PriorityLevelConfiguration } from '@pintle/kinds/flowcontrol/v1';
import type { KubernetesObject } from '@pintle/machinery';
import { deepEqual } from '@pintle/machinery/json';
import { formatTime } from '@pintle/machinery/time';
import type { Seed, SeedContext } from './seed.ts';
import { seedsOf } from './seed.ts';

const GROUP = 'flowcontrol.apiserver.k8s.io';
const counted = { hasGeneration: true };
const level = seedsOf(GROUP, 'v1', 'prioritylevelconfigurations', 'PriorityLevelConfiguration', counted);
const flow = seedsOf(GROUP, 'v1', 'flowschemas', 'FlowSchema', counted);
/** Whoever sets this to false keeps what they have changed. */
const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec';
const annotations = { [AUTO_UPDATE]: 'true' };
/** What flow control cannot do without: nobody changes these for good. */
const MANDATORY: ReadonlySet<string> = new Set(['exempt', 'catch-all']);

/** How requests are told apart and how much of the server each sort may have, unless somebody says otherwise. */
export function flowControlSeeds({ nowMs }: SeedContext): Seed[] {
  const seeds = [
    level({ name: 'exempt', annotations }, exempt),
    ...LIMITED.map(([name, shares, lendablePercent, queues]) =>
      level({ name, annotations }, limited(shares, lendablePercent, queues)),
    ),
    ...FLOWS.map((schema) => flow({ name: schema.name, annotations }, flowSchema(schema, nowMs))),
  ];
  return seeds.map((seed) => ({ ...seed, upkeep: flowUpkeep }));
}

/** What a level or schema should be from now on; `undefined`: it is fine as it is. */
export function flowUpkeep(stored: KubernetesObject, seed: KubernetesObject): KubernetesObject | undefined {
  const isMandatory = MANDATORY.has(stored.metadata.name ?? '');
  const wish = stored.metadata.annotations?.[AUTO_UPDATE];
  const isOurs = isMandatory || wish === 'true' || (wish === undefined && stored.metadata.generation === 1);
  const { spec } = stored as PriorityLevelConfiguration;
  const wanted = (seed as PriorityLevelConfiguration).spec!;
  // How many seats the exempt have for lending is for everybody to say.
  const next = spec?.exempt && wanted.exempt ? { ...wanted, exempt: spec.exempt } : wanted;
  const isWishRight = !isMandatory || wish === 'true';
  if (!isOurs || (deepEqual(spec, next) && isWishRight)) return undefined;
  const { generation = 0, annotations: notes } = stored.metadata;
  const metadata = {
    ...stored.metadata,
    generation: deepEqual(spec, next) ? generation : generation + 1,
    ...(isMandatory && { annotations: { ...notes, ...annotations } }),
  };
  return { ...stored, metadata, spec: next } as KubernetesObject;
}

interface Queues {
  readonly queues: number;
  readonly handSize: number;
}

const WIDE: Queues = { queues: 128, handSize: 6 };
const MEDIUM: Queues = { queues: 64, handSize: 6 };
const NARROW: Queues = { queues: 16, handSize: 4 };

/** Name, shares, percentage that others may borrow, queues; without queues, what is too much is turned away. */
const LIMITED: readonly (readonly [string, number, number, Queues?])[] = [
  ['catch-all', 5, 0],
  ['global-default', 20, 50, WIDE],
  ['leader-election', 10, 0, NARROW],
  ['node-high', 40, 25, MEDIUM],
  ['system', 30, 33, MEDIUM],
  ['workload-high', 40, 50, WIDE],
  ['workload-low', 100, 90, WIDE],
];

const exempt = { spec: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }, status: {} };

function limited(nominalConcurrencyShares: number, lendablePercent: number, queues: Queues | undefined): object {
  const limitResponse =
    queues === undefined ? { type: 'Reject' } : { type: 'Queue', queuing: { ...queues, queueLengthLimit: 50 } };
  return {
    spec: { type: 'Limited', limited: { nominalConcurrencyShares, limitResponse, lendablePercent } },
    status: {},
  };
}

interface Flow {
  readonly name: string;
  readonly level: string;
  readonly precedence: number;
  readonly by?: 'ByUser' | 'ByNamespace';
  readonly subjects: readonly object[];
  /** Default: every request. */
  readonly rules?: object;
}

const group = (name: string) => ({ kind: 'Group', group: { name } });
const user = (name: string) => ({ kind: 'User', user: { name } });
const systemAccounts = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } };
const everybody = [group('system:unauthenticated'), group('system:authenticated')];
const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };

const FLOWS: readonly Flow[] = [
  { name: 'exempt', level: 'exempt', precedence: 1, subjects: [group('system:masters')] },
  {
    name: 'probes',
    level: 'exempt',
    precedence: 2,
    subjects: everybody,
    rules: { nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }] },
  },
  {
    name: 'system-leader-election',
    level: 'leader-election',
    precedence: 100,
    by: 'ByUser',
    subjects: [user('system:kube-controller-manager'), user('system:kube-scheduler'), systemAccounts],
    rules: { resourceRules: [{ verbs: ['get', 'create', 'update'], ...leases }] },
  },
  {
    name: 'system-node-high',
    level: 'node-high',
    precedence: 400,
    by: 'ByUser',
    subjects: [group('system:nodes')],
    rules: {
      resourceRules: [
        {
          verbs: ['*'],
          apiGroups: [''],
          resources: ['nodes', 'nodes/status'],
          clusterScope: true,
          namespaces: ['*'],
        },
        { verbs: ['*'], ...leases },
      ],
    },
  },
  { name: 'system-nodes', level: 'system', precedence: 500, by: 'ByUser', subjects: [group('system:nodes')] },
  ...['kube-controller-manager', 'kube-scheduler'].map(
    (name): Flow => ({
      name,
      level: 'workload-high',
      precedence: 800,
      by: 'ByNamespace',
      subjects: [user(`system:${name}`)],
    }),
  ),
  {
    name: 'kube-system-service-accounts',
    level: 'workload-high',
    precedence: 900,
    by: 'ByNamespace',
    subjects: [systemAccounts],
  },
  {
    name: 'service-accounts',
    level: 'workload-low',
    precedence: 9000,
    by: 'ByUser',
    subjects: [group('system:serviceaccounts')],
  },
  { name: 'global-default', level: 'global-default', precedence: 9900, by: 'ByUser', subjects: everybody },
  { name: 'catch-all', level: 'catch-all', precedence: 10_000, by: 'ByUser', subjects: everybody },
];

const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};

function flowSchema({ level: name, precedence, by, subjects, rules = everything }: Flow, nowMs: number): object {
  const condition = {
    type: 'Dangling',
    status: 'False',
    lastTransitionTime: formatTime(nowMs),
    reason: 'Found',
    message: `This FlowSchema references the PriorityLevelConfiguration object named "${name}" and it exists`,
  };
  return {
    spec: {
      priorityLevelConfiguration: { name },
      matchingPrecedence: precedence,
      ...(by && { distinguisherMethod: { type: by } }),
      rules: [{ subjects, ...rules }],
    },
    status: { conditions: [condition] },
  };
}

const mandatoryOf = <T extends KubernetesObject>(kind: string): readonly T[] =>
  flowControlSeeds({ nowMs: 0, uuid: () => '' })
    .map(({ object }) => object as T)
    .filter(({ kind: found, metadata }) => found === kind && MANDATORY.has(metadata.name ?? ''));

/** Always there, also when somebody has just deleted them. */
export const MANDATORY_LEVELS = mandatoryOf<PriorityLevelConfiguration>('PriorityLevelConfiguration');
export const MANDATORY_FLOWS = mandatoryOf<FlowSchema>('FlowSchema');
