import { JSON_TYPE, METADATA_LIST_TYPE, METADATA_TYPE, TABLE_TYPE } from '../api/http.ts';
import type { Kind } from '../api/kinds.ts';
import { isSecret } from '../api/kinds.ts';
import type { KubeObject, ObjectMeta } from '../api/objects.ts';
import { objectIn, record } from '../api/objects.ts';
import type { Column, Item, Reader } from './collection.ts';
import { observeWritten } from './collection.ts';
import { type Health, healthOf } from './health.ts';

/** A row as kubectl prints it. */
export interface Row extends Item {
  readonly uid: string;
  readonly name: string;
  readonly namespace: string;
  readonly cells: readonly string[];
  readonly createdMs: number;
  readonly isDeleting: boolean;
  /** Text for filters, in lower case. */
  readonly text: string;
}

function columnsIn(body: unknown): Column[] | undefined {
  const columns = record(body)?.columnDefinitions;
  if (!Array.isArray(columns)) return undefined;
  return columns.map((each) => {
    const { name, type, description, priority } = record(each) ?? {};
    return {
      name: String(name ?? ''),
      type: String(type ?? ''),
      description: String(description ?? ''),
      priority: Number(priority ?? 0),
    };
  });
}

/** The rows of a table that say which object they are about. */
function rowsIn(body: unknown): { readonly cells: readonly unknown[]; readonly metadata: ObjectMeta }[] {
  const rows = record(body)?.rows;
  return (Array.isArray(rows) ? rows : []).flatMap((each) => {
    const { cells, object } = record(each) ?? {};
    if (!Array.isArray(cells) || record(object)?.metadata === undefined) return [];
    return [{ cells, metadata: objectIn(object).metadata }];
  });
}

export const tableReader: Reader<Row> = {
  accept: TABLE_TYPE,
  columns: columnsIn,
  read(body, changedMs) {
    return rowsIn(body).map(({ cells, metadata }) => {
      const { name, namespace = '', uid, labels = {} } = metadata;
      observeWritten(metadata, changedMs);
      const texts = cells.map((cell) => (cell === null || cell === undefined ? '' : String(cell)));
      const labelled = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
      return {
        key: `${namespace}/${name}`,
        uid,
        name,
        namespace,
        cells: texts,
        revision: Number(metadata.resourceVersion),
        createdMs: Date.parse(metadata.creationTimestamp ?? '') || 0,
        isDeleting: metadata.deletionTimestamp !== undefined,
        changedMs,
        text: [namespace, ...texts, ...labelled].join(' ').toLowerCase(),
      };
    });
  },
};

/** Owners and state: all that a graph needs of an object. */
export interface Node extends Item {
  readonly uid: string;
  readonly kind: Kind;
  readonly name: string;
  readonly namespace: string;
  readonly owners: readonly string[];
  readonly createdMs: number;
  readonly health: Health;
}

/** Reads objects and keeps only what a graph shows. Of Secrets not even the rest is asked for. */
export function nodeReader(kind: Kind): Reader<Node> {
  const isHidden = isSecret(kind);
  return {
    accept: isHidden ? METADATA_LIST_TYPE : JSON_TYPE,
    watchAccept: isHidden ? METADATA_TYPE : JSON_TYPE,
    read: (body, changedMs) => objectsIn(body).map((object) => nodeOf(kind, object, changedMs)),
  };
}

export function nodeOf(kind: Kind, object: KubeObject, changedMs: number): Node {
  const { metadata } = object;
  const { name, namespace = '', uid, ownerReferences = [] } = metadata;
  observeWritten(metadata, changedMs);
  return {
    key: `${namespace}/${name}`,
    uid,
    kind,
    name,
    namespace,
    owners: ownerReferences.map((owner) => owner.uid),
    createdMs: Date.parse(metadata.creationTimestamp ?? '') || 0,
    revision: Number(metadata.resourceVersion),
    health: healthOf(object),
    changedMs,
  };
}

/** Whole objects, for one object's page and for events. */
export interface Whole extends Item {
  readonly object: KubeObject;
}

export const wholeReader: Reader<Whole> = readerOfWholes(JSON_TYPE, JSON_TYPE);
export const metadataReader: Reader<Whole> = readerOfWholes(METADATA_LIST_TYPE, METADATA_TYPE);

function readerOfWholes(accept: string, watchAccept: string): Reader<Whole> {
  return {
    accept,
    watchAccept,
    read: (body, changedMs) =>
      objectsIn(body).map((object) => {
        const { name, namespace = '', resourceVersion } = object.metadata;
        observeWritten(object.metadata, changedMs);
        return { key: `${namespace}/${name}`, revision: Number(resourceVersion), changedMs, object };
      }),
  };
}

/** The objects of a list, or the one object that an event has. A list says of all its items at once what they are. */
export function objectsIn(body: unknown): readonly KubeObject[] {
  const { items, kind, apiVersion, metadata } = record(body) ?? {};
  if (Array.isArray(items)) {
    const named = { apiVersion: String(apiVersion ?? ''), kind: String(kind ?? '').replace(/List$/, '') };
    return items.map((item) => objectIn(record(item)?.kind === undefined ? { ...named, ...item } : item));
  }
  // Some servers write an empty list as null.
  return metadata === undefined || items === null ? [] : [objectIn(body)];
}
