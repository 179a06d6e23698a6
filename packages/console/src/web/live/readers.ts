import { JSON_TYPE, METADATA_LIST_TYPE, METADATA_TYPE, TABLE_TYPE } from '../api/http.ts';
import type { Kind } from '../api/kinds.ts';
import { isSecret } from '../api/kinds.ts';
import type { KubeObject, ObjectMeta } from '../api/objects.ts';
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
  /** What a filter looks at, in lower case. */
  readonly text: string;
}

interface Table {
  readonly columnDefinitions?: readonly Column[];
  readonly rows?: readonly {
    readonly cells: readonly unknown[];
    readonly object?: { readonly metadata?: ObjectMeta };
  }[];
}

export const tableReader: Reader<Row> = {
  accept: TABLE_TYPE,
  columns: (body) => (body as Table).columnDefinitions,
  read(body, changedMs) {
    return ((body as Table).rows ?? []).flatMap(({ cells, object }) => {
      const metadata = object?.metadata;
      if (metadata === undefined) return [];
      const { name, namespace = '', uid, labels = {} } = metadata;
      observeWritten(metadata, changedMs);
      const texts = cells.map((cell) => (cell === null || cell === undefined ? '' : String(cell)));
      const labelled = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
      return [
        {
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
        },
      ];
    });
  },
};

/** Who owns what, and how it is: all that a graph needs of an object. */
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
  const { items, kind = '', apiVersion = '' } = body as { items?: KubeObject[]; kind?: string; apiVersion?: string };
  if (Array.isArray(items)) {
    return items.map((item) =>
      item.kind === undefined ? { apiVersion, kind: kind.replace(/List$/, ''), ...item } : item,
    );
  }
  return (body as KubeObject).metadata === undefined ? [] : [body as KubeObject];
}
