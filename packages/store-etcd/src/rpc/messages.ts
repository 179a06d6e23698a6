import { message, required } from './message.ts';

/** The part of etcd's messages that a store needs, by the numbers of their fields. */

export const Header = message({ clusterId: [1, 'id'], memberId: [2, 'id'], revision: [3, 'revision'] });

export const KeyValue = message({
  key: [1, 'bytes'],
  createRevision: [2, 'revision'],
  modRevision: [3, 'revision'],
  version: [4, 'int64'],
  value: [5, 'bytes'],
  lease: [6, 'id'],
});

export const RangeRequest = message({
  key: [1, 'bytes'],
  rangeEnd: [2, 'bytes'],
  limit: [3, 'int64'],
  revision: [4, 'int64'],
  serializable: [7, 'bool'],
  keysOnly: [8, 'bool'],
  countOnly: [9, 'bool'],
});
export const RangeResponse = message({
  header: [1, required(Header)],
  kvs: [2, [KeyValue]],
  more: [3, 'bool'],
  count: [4, 'int64'],
});

export const PutRequest = message({ key: [1, 'bytes'], value: [2, 'bytes'], lease: [3, 'id'] });
export const DeleteRequest = message({ key: [1, 'bytes'] });
export const RequestOp = message({ range: [1, RangeRequest], put: [2, PutRequest], delete: [3, DeleteRequest] });
export const ResponseOp = message({ range: [1, message({ kvs: [2, [KeyValue]] })] });

/** Fields that `Compare` can compare. */
export const TARGET = { version: 0, createRevision: 1, modRevision: 2 } as const;
/** The operator is equality, which is 0 and the only one used. */
export const Compare = message({
  target: [2, 'int64'],
  key: [3, 'bytes'],
  version: [4, 'int64'],
  modRevision: [6, 'int64'],
});

export const TxnRequest = message({ compare: [1, [Compare]], success: [2, [RequestOp]], failure: [3, [RequestOp]] });
export const TxnResponse = message({
  header: [1, required(Header)],
  succeeded: [2, 'bool'],
  responses: [3, [ResponseOp]],
});

export const CompactionRequest = message({ revision: [1, 'int64'], physical: [2, 'bool'] });
export const CompactionResponse = message({ header: [1, Header] });

export const WatchCreate = message({
  key: [1, 'bytes'],
  rangeEnd: [2, 'bytes'],
  startRevision: [3, 'int64'],
  watchId: [7, 'int64'],
});
export const WatchProgress = message({});
export const WatchRequest = message({ create: [1, WatchCreate], progress: [3, WatchProgress] });

export const EVENT = { put: 0, delete: 1 } as const;
export const WatchEvent = message({ type: [1, 'int64'], kv: [2, required(KeyValue)] });
export const WatchResponse = message({
  header: [1, required(Header)],
  watchId: [2, 'int64'],
  created: [3, 'bool'],
  canceled: [4, 'bool'],
  compactRevision: [5, 'revision'],
  cancelReason: [6, 'string'],
  events: [11, [WatchEvent]],
});

export const LeaseGrantRequest = message({ ttl: [1, 'int64'], id: [2, 'id'] });
export const LeaseGrantResponse = message({ header: [1, Header], id: [2, 'id'], ttl: [3, 'int64'] });

export const LeaseTimeToLiveRequest = message({ id: [1, 'id'] });
export const LeaseTimeToLiveResponse = message({ header: [1, Header], id: [2, 'id'], ttl: [3, 'int64'] });

export const StatusRequest = message({});
export const StatusResponse = message({
  header: [1, required(Header)],
  version: [2, 'string'],
  dbSize: [3, 'int64'],
  leader: [4, 'id'],
});
