/** Lets everything else that waits have its turn before a long piece of work goes on. */
export function breathe(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
