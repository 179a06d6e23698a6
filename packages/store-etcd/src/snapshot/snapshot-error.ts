/** A file that is no complete snapshot of etcd. */
export class EtcdSnapshotError extends Error {
  override readonly name = 'EtcdSnapshotError';

  constructor(problem: string, options?: ErrorOptions) {
    super(`Cannot read etcd snapshot: ${problem}`, options);
  }
}
