/** First argument of a process that another one starts to serve beside it. */
export const WORKER_COMMAND = 'serve-worker';
