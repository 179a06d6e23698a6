/** Cuts a stream of bytes into lines, as they come. */
export async function* linesOf(stream: ReadableStream<Uint8Array>, signal: AbortSignal): AsyncGenerator<string[]> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel, { once: true });
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const text = rest + decoder.decode(value, { stream: true });
      const lines = text.split('\n');
      rest = lines.pop() ?? '';
      if (lines.length > 0) yield lines;
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
