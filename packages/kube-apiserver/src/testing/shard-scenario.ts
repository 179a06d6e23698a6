/** Answer of a server, with its body as text. */
export interface ScenarioAnswer {
  readonly status: number;
  readonly text: string;
}

/** A server on which the scenario runs: a real kube-apiserver when it is recorded, ours when it is replayed. */
export interface ScenarioServer {
  send(method: string, target: string, body?: object, accept?: string): Promise<ScenarioAnswer>;
  /** Opens a watch, runs `change`, and resolves with what the watch sent until its timeout. */
  watch(target: string, change: () => Promise<void>): Promise<ScenarioAnswer>;
  /** Called before an object is created and after, with its uid. */
  readonly uids: { expect(name: string): void; created(name: string, uid: string): void };
}

type Json = Record<string, unknown>;

const NAMESPACES = ['kep-a', 'kep-b', 'kep-c'];
const OBJECTS = 24;
const MARK = 'labelSelector=kep%3Dyes';
const ALL = '/api/v1/configmaps';
const ZERO = '0x0000000000000000';
const QUARTER = '0x4000000000000000';
const HALF = '0x8000000000000000';
const END = '0x10000000000000000';
const UID = 'object.metadata.uid';
const NAMESPACE = 'object.metadata.namespace';

const range = (start: string, end: string, field = UID): string => `shardRange(${field}, '${start}', '${end}')`;

/** Selectors, good and bad. */
export const SELECTORS: readonly string[] = [
  range(ZERO, HALF),
  range(HALF, END),
  range(ZERO, END),
  range(QUARTER, HALF),
  range('0xc000000000000000', END),
  range(ZERO, '0x0000000000000001'),
  range('0xffffffffffffffff', END),
  `  ${range(ZERO, HALF)}\n`,
  `\t${range(ZERO, HALF)}\t||\t${range(HALF, END)}`,
  `${range(ZERO, QUARTER)}||${range(HALF, END)}`,
  `${range(ZERO, HALF)} || ${range(QUARTER, END)}`,
  `${range(ZERO, HALF)} || ${range(ZERO, HALF)}`,
  `${range(HALF, END)} || ${range(ZERO, QUARTER)}`,
  `(${range(ZERO, HALF)})`,
  `(${range(ZERO, QUARTER)} || ${range(QUARTER, HALF)}) || ${range(HALF, END)}`,
  `${range(ZERO, QUARTER)} || (${range(QUARTER, HALF)} || ${range(HALF, END)})`,
  range(ZERO, HALF).replaceAll("'", '"'),
  `shardRange(${UID}, r'${ZERO}', '${HALF}')`,
  `shardRange(${UID}, '''${ZERO}''', '${HALF}')`,
  `shardRange(${UID}, '\\x30x0000000000000000', '${HALF}')`,
  `shardRange( ${UID} , '${ZERO}' , '${HALF}' )`,
  `shardRange(object . metadata . uid, '${ZERO}', '${HALF}')`,
  range(ZERO, HALF, NAMESPACE),
  range(HALF, END, NAMESPACE),
  `${range(ZERO, QUARTER, NAMESPACE)} || ${range(HALF, END, NAMESPACE)}`,
  `// none\n${range(ZERO, HALF)}`,
  `${range(ZERO, HALF)} // lower half`,
  ' ',
  '||',
  `${range(ZERO, HALF)} ||`,
  `|| ${range(ZERO, HALF)}`,
  `${range(ZERO, HALF)} | ${range(HALF, END)}`,
  `${range(ZERO, HALF)}, ${range(HALF, END)}`,
  `${range(ZERO, HALF)} && ${range(HALF, END)}`,
  `!${range(ZERO, HALF)}`,
  `true || ${range(ZERO, HALF)}`,
  `${range(ZERO, HALF)} ? true : false`,
  `[${range(ZERO, HALF)}]`,
  `{'a': ${range(ZERO, HALF)}}`,
  'true',
  '1',
  "'text'",
  UID,
  'object',
  `shardrange(${UID}, '${ZERO}', '${HALF}')`,
  `object.shardRange(${UID}, '${ZERO}', '${HALF}')`,
  'shardRange()',
  `shardRange(${UID})`,
  `shardRange(${UID}, '${ZERO}')`,
  `shardRange(${UID}, '${ZERO}', '${HALF}', '${END}')`,
  `shardRange('${UID}', '${ZERO}', '${HALF}')`,
  `shardRange(${UID}, ${ZERO}, ${HALF})`,
  `shardRange(${UID}, null, '${HALF}')`,
  `shardRange(${UID}, 1.5, '${HALF}')`,
  `shardRange(${UID}, true, '${HALF}')`,
  `shardRange(${UID}, 1u, '${HALF}')`,
  `shardRange(${UID}, b'${ZERO}', '${HALF}')`,
  `shardRange(${UID}, '${ZERO}' + '', '${HALF}')`,
  range(ZERO, HALF, 'object.metadata.name'),
  range(ZERO, HALF, 'object.metadata'),
  range(ZERO, HALF, 'metadata.uid'),
  range(ZERO, HALF, '.object.metadata.uid'),
  range(ZERO, HALF, "object['metadata'].uid"),
  range(ZERO, HALF, 'object.metadata.labels.x'),
  range(HALF, ZERO),
  range(HALF, HALF),
  range(END, END),
  range(END, HALF),
  range('', HALF),
  range('0x', HALF),
  range('0', HALF),
  range('0X0000000000000000', HALF),
  range('0x0', HALF),
  range('0x000000000000000g', HALF),
  range('0xABCDEF0000000000', END),
  range('0xabcdef0000000000', END),
  range(ZERO, '0x10000000000000001'),
  range(ZERO, '0x20000000000000000'),
  range(ZERO, '0x100000000000000000'),
  range(ZERO, ' 0x8000000000000000'),
  range(ZERO, '0x800000000000000é'),
  `${range(ZERO, HALF)} || ${range(HALF, END, NAMESPACE)}`,
  `${range(ZERO, HALF)} || nonsense(`,
  'nonsense(',
  "shardRange(object.metadata.uid, '0x0000000000000000, '0x8')",
  '\u{1f34e}',
];

/** Runs the scenario and returns what the server did, without what differs between runs. */
export async function runShardScenario(server: ScenarioServer): Promise<Json> {
  const result: Json = {};
  const get = (target: string, accept?: string) => server.send('GET', target, undefined, accept);
  const create = async (namespace: string, name: string, more: Json = {}): Promise<void> => {
    server.uids.expect(name);
    const metadata = { name, labels: { kep: 'yes', even: String(Number(name.split('-')[1]) % 2 === 0) } };
    const { text } = await server.send('POST', `/api/v1/namespaces/${namespace}/configmaps`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata,
      ...more,
    });
    server.uids.created(name, (JSON.parse(text) as { metadata: { uid: string } }).metadata.uid);
  };
  for (const name of NAMESPACES)
    await server.send('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (let i = 0; i < OBJECTS; i++) await create(NAMESPACES[i % NAMESPACES.length]!, `map-${i}`);

  const list = async (selector: string, more = '', path = ALL) =>
    listFacts(await get(`${path}?${MARK}&shardSelector=${encodeURIComponent(selector)}${more}`));
  const selectors: Json = {};
  for (const selector of SELECTORS) selectors[selector] = await list(selector);
  result.selectors = selectors;
  const partitions: Json = {};
  for (const count of [2, 3, 4, 5, 7, 16]) {
    const parts: unknown[] = [];
    for (const [start, end] of equalRanges(count)) parts.push(await list(range(start, end)));
    partitions[count] = parts;
  }
  result.partitions = partitions;
  const half = range(ZERO, HALF);
  result.reads = {
    limited: await list(half, '&limit=3'),
    newest: await list(half, '&resourceVersion='),
    cached: await list(half, '&resourceVersion=0'),
    cachedAndLimited: await list(half, '&resourceVersion=0&limit=3'),
    byField: await list(half, '&fieldSelector=metadata.namespace%3Dkep-a'),
    byLabel: await list(half, ''),
    inNamespace: await list(half, '', '/api/v1/namespaces/kep-b/configmaps'),
    empty: await list('', ''),
    twice: await list(half, `&shardSelector=${encodeURIComponent(range(HALF, END))}`),
    table: tableFacts(await get(listTarget(half), 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json')),
    metadata: listFacts(
      await get(listTarget(half), 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io,application/json'),
    ),
    one: (await get(`/api/v1/namespaces/kep-a/configmaps/map-0?shardSelector=nonsense`)).status,
  };
  const pages: unknown[] = [];
  for (let token = ''; pages.length < OBJECTS; ) {
    const answer = await get(`${listTarget(half)}&limit=3${token && `&continue=${encodeURIComponent(token)}`}`);
    pages.push(listFacts(answer));
    token = (JSON.parse(answer.text) as { metadata: { continue?: string } }).metadata.continue ?? '';
    if (token === '') break;
  }
  result.pages = pages;

  const upper = range(HALF, END);
  const version = (JSON.parse((await get(listTarget(half))).text) as { metadata: { resourceVersion: string } })
    .metadata;
  const patchMap = (name: string, value: string) =>
    server.send('PUT', `/api/v1/namespaces/kep-a/configmaps/${name}`, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, labels: { kep: 'yes', even: 'changed' } },
      data: { value },
    });
  const watchTarget = (selector: string, more: string) =>
    `${ALL}?${MARK}&watch=true&timeoutSeconds=4&shardSelector=${encodeURIComponent(selector)}${more}`;
  const changes = (first: number) => async (): Promise<void> => {
    for (let i = first; i < first + 8; i++) await create('kep-a', `new-${i}`);
    for (let i = first; i < first + 8; i++) await patchMap(`new-${i}`, 'changed');
    for (let i = first; i < first + 8; i += 2)
      await server.send('DELETE', `/api/v1/namespaces/kep-a/configmaps/new-${i}`);
  };
  const since = `&resourceVersion=${version.resourceVersion}`;
  result.watches = {
    lower: eventFacts(await server.watch(watchTarget(half, since), changes(0))),
    upper: eventFacts(await server.watch(watchTarget(upper, since), changes(8))),
    fromNow: eventFacts(await server.watch(watchTarget(upper, ''), async () => undefined), { isSorted: true }),
    list: eventFacts(
      await server.watch(
        watchTarget(
          half,
          '&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&resourceVersion=',
        ),
        changes(16),
      ),
    ),
    bookmarks: eventFacts(
      await server.watch(watchTarget(upper, `${since}&allowWatchBookmarks=true`), async () => undefined),
    ),
    bad: errorFacts(await server.watch(watchTarget('nonsense(', since), async () => undefined)),
    refused: errorFacts(await server.watch(watchTarget(range(HALF, ZERO), since), async () => undefined)),
  };
  const target = `/api/v1/namespaces/kep-c/configmaps?${MARK}&shardSelector=`;
  result.deletecollection = {
    bad: errorFacts(await server.send('DELETE', `${target}${encodeURIComponent('nonsense(')}`)),
    lower: listFacts(await server.send('DELETE', `${target}${encodeURIComponent(half)}`)),
    left: listFacts(await get(`/api/v1/namespaces/kep-c/configmaps?${MARK}`)),
  };
  result.metrics = metricFacts((await get('/metrics')).text);
  return result;
}

function listTarget(selector: string): string {
  return `${ALL}?${MARK}&shardSelector=${encodeURIComponent(selector)}`;
}

/** Divides all hashes into equal ranges. */
export function equalRanges(count: number): [string, string][] {
  const bound = (part: number): string => {
    const hash = (2n ** 64n * BigInt(part)) / BigInt(count);
    return `0x${hash.toString(16).padStart(16, '0')}`;
  };
  return Array.from({ length: count }, (_, part) => [bound(part), bound(part + 1)]);
}

interface ListBody {
  readonly kind?: string;
  readonly message?: string;
  readonly metadata?: {
    readonly continue?: string;
    readonly remainingItemCount?: number;
    readonly shardInfo?: unknown;
  };
  readonly items?: readonly { readonly metadata: { readonly name: string } }[];
  readonly rows?: readonly { readonly cells: readonly unknown[] }[];
}

function listFacts(answer: ScenarioAnswer): Json {
  const body = JSON.parse(answer.text) as ListBody;
  if (answer.status !== 200 || body.items === undefined) return errorFacts(answer);
  const { shardInfo, continue: token, remainingItemCount } = body.metadata ?? {};
  return {
    names: body.items.map(({ metadata }) => metadata.name).join(' '),
    ...(shardInfo !== undefined && { shardInfo }),
    ...(token && { hasMore: true }),
    ...(remainingItemCount !== undefined && { remainingItemCount }),
  };
}

function tableFacts({ text }: ScenarioAnswer): Json {
  const { kind, metadata, rows = [] } = JSON.parse(text) as ListBody;
  return { kind, shardInfo: metadata?.shardInfo, names: rows.map(({ cells }) => cells[0]).join(' ') };
}

function errorFacts({ status, text }: ScenarioAnswer): Json {
  return { status, body: JSON.parse(text) };
}

interface EventBody {
  readonly type: string;
  readonly object: {
    readonly metadata: { readonly name?: string; readonly annotations?: Json; readonly resourceVersion?: string };
  };
}

/** Drops periodic bookmarks, which depend on the time. A watch from now on begins with the objects in any order. */
function eventFacts({ status, text }: ScenarioAnswer, { isSorted = false } = {}): Json {
  const events = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as EventBody)
    .map(({ type, object: { metadata } }) =>
      [type, metadata.name, ...Object.keys(metadata.annotations ?? {})].filter(Boolean).join(' '),
    )
    .filter((event) => event !== 'BOOKMARK');
  return { status, events: isSorted ? events.sort() : events };
}

/** Types of both metrics, and their labels. Texts are ours; values depend on the time, and Kubernetes' gauge gets negative. */
function metricFacts(text: string): readonly string[] {
  const lines = text
    .split('\n')
    .filter((line) => /^(# TYPE )?apiserver_watch_(shards_total|filtered_events_total)/.test(line));
  return [...new Set(lines.map((line) => line.replace(/-?\d+$/, 'N')))].sort();
}
