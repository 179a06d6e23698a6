import type { KubernetesObject } from '@pintle/machinery';
import type { Connection, LoadRequest } from '../load/connection.ts';
import { Http2Connection } from '../load/http2-connection.ts';
import { configMap } from '../objects.ts';
import type { Stage } from '../stage.ts';

/** The namespace that the measured requests are about; its size never changes. */
export const HOME = 'home';
/** Name of the user that sends them, whose rights a role gives. */
export const USER = 'jane';
/** Objects in that namespace. */
export const AT_HOME = 100;

const PATH = `/api/v1/namespaces/${HOME}/configmaps`;
const JSON_BODY = { 'content-type': 'application/json' };
const IN_FLIGHT = 8;
const ROUNDS = 5;
const STREAMS_PER_CONNECTION = 100;

interface Work {
  readonly name: string;
  readonly count: number;
  request(i: number): LoadRequest;
}

/** Requests that are the same at each size. The objects of CREATE are deleted by DELETE. */
const WORKS: readonly Work[] = [
  { name: 'GET', count: 2_000, request: () => ({ method: 'GET', path: `${PATH}/one` }) },
  { name: `LIST of ${AT_HOME}`, count: 200, request: () => ({ method: 'GET', path: PATH }) },
  {
    name: 'LIST by name',
    count: 1_000,
    request: () => ({ method: 'GET', path: `${PATH}?fieldSelector=metadata.name%3Done` }),
  },
  { name: 'CREATE', count: 500, request: (i) => write('POST', PATH, `made-${i}`, i) },
  { name: 'DELETE', count: 500, request: (i) => ({ method: 'DELETE', path: `${PATH}/made-${i}` }) },
  { name: 'UPDATE, with a watch', count: 500, request: (i) => write('PUT', `${PATH}/one`, 'one', i) },
];

export const COSTS: readonly string[] = WORKS.map(({ name }) => name);

/** Returns the processor time of a request of each work, in microseconds: the least of several rounds. */
export async function measureCosts(stage: Stage): Promise<number[]> {
  const target = await stage.targetOf(USER);
  const connection = await Http2Connection.open(target, IN_FLIGHT);
  const watch = await Http2Connection.open(target, 1);
  const path = `${PATH}?watch=true&resourceVersion=0&fieldSelector=metadata.name%3Done`;
  await new Promise<void>(
    (resolve, reject) => void watch.send({ method: 'GET', path }, { onHead: resolve }).catch(reject),
  );
  const least = WORKS.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, work] of WORKS.entries()) {
      least[index] = Math.min(least[index]!, await measure(stage, connection, work));
    }
  }
  connection.close();
  watch.close();
  return least;
}

async function measure(stage: Stage, connection: Connection, { count, request }: Work): Promise<number> {
  await stage.usage('server', { isCollected: false });
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      const { status } = await connection.send(request(next++));
      if (status > 299) throw new Error(`Cannot measure: the server answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, work));
  const { cpuMs } = await stage.usage('server', { isCollected: false });
  return (cpuMs * 1_000) / count;
}

function write(method: string, path: string, name: string, version: number): LoadRequest {
  const object = configMap(name, version) as KubernetesObject;
  const body = { ...object, metadata: { ...object.metadata, namespace: HOME } };
  return { method, path, headers: JSON_BODY, body: Buffer.from(JSON.stringify(body)) };
}

/** Opens watches of single objects that nothing happens to. They end with the server. */
export async function openIdleWatches(stage: Stage, from: number, to: number): Promise<void> {
  const target = await stage.targetOf(USER);
  for (let at = from; at < to; at += STREAMS_PER_CONNECTION) {
    const streams = Math.min(STREAMS_PER_CONNECTION, to - at);
    const connection = await Http2Connection.open(target, streams);
    const opened = Array.from({ length: streams }, (_, i) => openWatch(connection, `small-${at + i}`));
    await Promise.all(opened);
  }
}

function openWatch(connection: Http2Connection, name: string): Promise<void> {
  const path = `${PATH}?watch=true&fieldSelector=metadata.name%3D${name}`;
  return new Promise((resolve, reject) => {
    connection.send({ method: 'GET', path }, { onHead: resolve }).then(
      () => resolve(),
      // The watch ends with the server.
      reject,
    );
  });
}
