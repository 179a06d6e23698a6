import type { FlowSchema, PriorityLevelConfiguration } from '@pintle/kinds/flowcontrol/v1';
import { FlowSchema as FlowSchemas, PriorityLevelConfiguration as PriorityLevels } from '@pintle/kinds/flowcontrol/v1';
import { formatTime } from '@pintle/machinery/time';

/** Annotation that, set to false, keeps changes to a default object. */
export const AUTO_UPDATE = 'apf.kubernetes.io/autoupdate-spec';
const annotations = { [AUTO_UPDATE]: 'true' };
/** Objects that flow control needs: changes to them are reverted. */
export const MANDATORY: ReadonlySet<string> = new Set(['exempt', 'catch-all']);

/** Returns Kubernetes' default priority levels. */
export function defaultLevels(): PriorityLevelConfiguration[] {
  const level = (name: string, rest: object): PriorityLevelConfiguration => ({
    apiVersion: PriorityLevels.apiVersion,
    kind: PriorityLevels.kind,
    metadata: { name, annotations },
    ...rest,
  });
  return [
    level('exempt', exempt),
    ...LIMITED.map(([name, shares, lendablePercent, queues]) => level(name, limited(shares, lendablePercent, queues))),
  ];
}

/** Returns Kubernetes' default flow schemas. */
export function defaultFlows(nowMs: number): FlowSchema[] {
  return FLOWS.map((schema) => ({
    apiVersion: FlowSchemas.apiVersion,
    kind: FlowSchemas.kind,
    metadata: { name: schema.name, annotations },
    ...flowSchema(schema, nowMs),
  }));
}

interface Queues {
  readonly queues: number;
  readonly handSize: number;
}

const WIDE: Queues = { queues: 128, handSize: 6 };
const MEDIUM: Queues = { queues: 64, handSize: 6 };
const NARROW: Queues = { queues: 16, handSize: 4 };

/** Name, shares, percentage that others may borrow, queues. Without queues, requests beyond the limit are refused. */
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
  /** Default: all requests. */
  readonly rules?: object;
}

const group = (name: string) => ({ kind: 'Group', group: { name } });
const user = (name: string) => ({ kind: 'User', user: { name } });
const systemAccounts = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } };
const allUsers = [group('system:unauthenticated'), group('system:authenticated')];
const leases = { apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] };

const FLOWS: readonly Flow[] = [
  { name: 'exempt', level: 'exempt', precedence: 1, subjects: [group('system:masters')] },
  {
    name: 'probes',
    level: 'exempt',
    precedence: 2,
    subjects: allUsers,
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
  { name: 'global-default', level: 'global-default', precedence: 9900, by: 'ByUser', subjects: allUsers },
  { name: 'catch-all', level: 'catch-all', precedence: 10_000, by: 'ByUser', subjects: allUsers },
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

const isMandatory = ({ metadata }: { readonly metadata: { readonly name?: string } }): boolean =>
  MANDATORY.has(metadata.name ?? '');

/** Levels and schemas that apply even when their objects were deleted. */
export const MANDATORY_LEVELS: readonly PriorityLevelConfiguration[] = defaultLevels().filter(isMandatory);
export const MANDATORY_FLOWS: readonly FlowSchema[] = defaultFlows(0).filter(isMandatory);
