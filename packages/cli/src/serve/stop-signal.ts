/** Resolves when the process is asked to stop. Asked a second time, it stops at once, whatever is going on. */
export function stopSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    let isStopping = false;
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(signal === 'SIGINT' ? 130 : 143);
        isStopping = true;
        resolve(signal);
      });
    }
  });
}
