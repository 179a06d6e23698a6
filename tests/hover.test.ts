import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const TSC = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

/** Each line is hovered at the name before its `//`, whose comment says what must be shown. */
const SAMPLE = `import { Deployment } from '@pintle/kinds/apps/v1';
import { Job } from '@pintle/kinds/batch/v1';
import { Container, ObjectMeta, Pod, Service } from '@pintle/kinds/core/v1';
declare const deployment: Deployment, job: Job, pod: Pod, service: Service, container: Container;
deployment.spec!.replicas // How many pods should run
deployment.spec!.replicas // @default
deployment.spec!.strategy!.type // Recreate
deployment.metadata.labels // objects are selected
deployment.metadata.resourceVersion // changes with every write
job.spec!.backoffLimit // failures of pods
pod.spec!.nodeName // node
pod.spec!.serviceAccount // @deprecated
pod.status!.phase // Pending
service.spec!.clusterIP // IP
container.imagePullPolicy // Always
`;

test('an editor shows what fields are for', async () => {
  await using editor = new Editor(join(import.meta.dirname, 'hover-sample.ts'), SAMPLE);
  await editor.open();
  const lines = SAMPLE.split('\n');
  const expected = lines.flatMap((line, index) => {
    const [code = '', text] = line.split(' // ');
    return text === undefined ? [] : [{ line: index, character: code.length - 1, text }];
  });
  expect(expected).toHaveLength(11);
  for (const { line, character, text } of expected)
    expect(await editor.hover({ line, character }), lines[line]).toContain(text);
});

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly result?: unknown;
}

/** Speaks to TypeScript's language server as an editor does. */
class Editor {
  readonly #uri: string;
  readonly #text: string;
  readonly #server = spawn(process.execPath, [TSC, '--lsp', '-stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  readonly #answers = new Map<number, (result: unknown) => void>();
  #received = Buffer.alloc(0);
  #lastId = 0;

  constructor(path: string, text: string) {
    this.#uri = pathToFileURL(path).href;
    this.#text = text;
    this.#server.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
  }

  async open(): Promise<void> {
    await this.#ask('initialize', {
      processId: process.pid,
      rootUri: pathToFileURL(ROOT).href,
      capabilities: { textDocument: { hover: { contentFormat: ['markdown'] } } },
    });
    this.#send({ method: 'initialized', params: {} });
    const textDocument = { uri: this.#uri, languageId: 'typescript', version: 1, text: this.#text };
    this.#send({ method: 'textDocument/didOpen', params: { textDocument } });
  }

  async hover(position: { readonly line: number; readonly character: number }): Promise<string> {
    return JSON.stringify(await this.#ask('textDocument/hover', { textDocument: { uri: this.#uri }, position }));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.kill();
    await once(this.#server, 'exit');
  }

  #ask(method: string, params: object): Promise<unknown> {
    const id = ++this.#lastId;
    this.#send({ id, method, params });
    return new Promise((resolve) => this.#answers.set(id, resolve));
  }

  #send(message: object): void {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message });
    this.#server.stdin.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }

  #read(chunk: Buffer): void {
    this.#received = Buffer.concat([this.#received, chunk]);
    for (;;) {
      const end = this.#received.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/i.exec(this.#received.subarray(0, end).toString())?.[1]);
      if (end < 0 || this.#received.length < end + 4 + length) return;
      const message = JSON.parse(this.#received.subarray(end + 4, end + 4 + length).toString()) as Message;
      this.#received = this.#received.subarray(end + 4 + length);
      this.#take(message);
    }
  }

  /** The server asks too: it is told that there is nothing to say. */
  #take({ id, method, result }: Message): void {
    if (id === undefined) return;
    if (method !== undefined) {
      this.#send({ id, result: null });
      return;
    }
    this.#answers.get(id)?.(result);
    this.#answers.delete(id);
  }
}
