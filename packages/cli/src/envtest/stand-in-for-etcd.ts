/** First argument of the executable that makes it the program `etcd` of envtest. */
export const STAND_IN_FOR_ETCD = 'envtest-etcd';
