import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { openBrowser } from './browser.ts';

const MAIN = join(import.meta.dirname, '..', '..', '..', 'cli', 'dist', 'main.js');
/** A busy machine takes long to start a server and a browser. */
export const START_MS = 120_000;

export interface Answered {
  readonly status: number;
  readonly body: string;
}

/** A server as `pintle up` starts it, a browser, and a page on which the administrator is logged in. */
export class OpenedConsole {
  server: ChildProcess;
  readonly browser: Browser;
  readonly context: BrowserContext;
  readonly page: Page;
  link: string;
  /** Breaches of the policy, dialogs and exceptions of all pages. */
  readonly violations: readonly string[];
  /** Has the kubeconfig, and with `keepsData` the data of the server. */
  readonly folder: string;
  readonly #flags: readonly string[];
  /** The server limits the connections of one client. */
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });

  private constructor(
    parts: Pick<OpenedConsole, 'server' | 'browser' | 'context' | 'page' | 'link' | 'violations'>,
    folder: string,
    flags: readonly string[],
  ) {
    this.server = parts.server;
    this.browser = parts.browser;
    this.context = parts.context;
    this.page = parts.page;
    this.link = parts.link;
    this.violations = parts.violations;
    this.folder = folder;
    this.#flags = flags;
  }

  static async open({ flags = [], browserFlags = [], keepsData = false }: OpenOptions = {}): Promise<OpenedConsole> {
    const folder = await mkdtemp(join(tmpdir(), 'pintle-console-'));
    const all = [...(keepsData ? ['--data', join(folder, 'data')] : ['--memory']), ...flags];
    const { server, link } = await startServer(folder, all);
    const browser = await openBrowser(browserFlags);
    const context = await browser.newContext({ ignoreHTTPSErrors: true, viewport: { width: 1280, height: 800 } });
    const violations: string[] = [];
    recordViolations(context, violations);
    const page = await context.newPage();
    const opened = new OpenedConsole({ server, browser, context, page, link, violations }, folder, all);
    try {
      await logIn(page, link);
    } catch (error) {
      await opened.close();
      throw error;
    }
    return opened;
  }

  /** Starts a server alone. */
  static async startOnly(flags: readonly string[]): Promise<{ readonly pid: number; close(): Promise<void> }> {
    const folder = await mkdtemp(join(tmpdir(), 'pintle-console-'));
    const { server } = await startServer(folder, ['--memory', ...flags]);
    return {
      pid: server.pid!,
      close: async () => {
        if (server.exitCode === null && server.kill()) await once(server, 'exit');
        await rm(folder, { recursive: true, force: true });
      },
    };
  }

  /** Closes the server, starts it again at the same address with the same data, and logs in. */
  async restart(): Promise<void> {
    this.server.kill();
    await once(this.server, 'exit');
    const flags = [...this.#flags, '--port', new URL(this.link).port];
    Object.assign(this, await startServer(this.folder, flags));
    await logIn(this.page, this.link);
  }

  get kubeconfig(): string {
    return join(this.folder, 'kubeconfig');
  }

  async close(): Promise<void> {
    await this.browser.close();
    this.#agent.destroy();
    if (this.server.exitCode === null && this.server.kill()) await once(this.server, 'exit');
    await rm(this.folder, { recursive: true, force: true });
  }

  at(path: string): string {
    return new URL(`/console/${path}`, this.link).href;
  }

  /** Asks the API as the administrator, past the console. */
  ask(
    method: string,
    path: string,
    body?: object,
    type = 'application/json',
    more: Record<string, string> = {},
  ): Promise<Answered> {
    const text = readFileSync(join(this.folder, 'kubeconfig'), 'utf8');
    const decoded = (field: string): string =>
      Buffer.from(new RegExp(`${field}: (\\S+)`).exec(text)?.[1] ?? '', 'base64').toString();
    const credentials = {
      ca: decoded('certificate-authority-data'),
      cert: decoded('client-certificate-data'),
      key: decoded('client-key-data'),
    };
    return new Promise((resolve, reject) => {
      const sent = request(
        new URL(path, this.link),
        { method, agent: this.#agent, ...credentials, headers: { 'content-type': type, ...more } },
        (answer) => {
          let body = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => {
            body += chunk;
          });
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }));
        },
      );
      sent.on('error', (error: Error & { code?: string }) => {
        // The server may close a connection that was idle at the moment when it is used again.
        if (sent.reusedSocket && error.code === 'ECONNRESET')
          this.ask(method, path, body, type, more).then(resolve, reject);
        else reject(error);
      });
      sent.end(body && JSON.stringify(body));
    });
  }
}

interface OpenOptions {
  /** More flags of `pintle up`. */
  readonly flags?: readonly string[];
  readonly browserFlags?: readonly string[];
  /** Default: the server keeps all in memory. */
  readonly keepsData?: boolean;
}

async function startServer(folder: string, flags: readonly string[]): Promise<{ server: ChildProcess; link: string }> {
  const port = flags.includes('--port') ? [] : ['--port', '0'];
  const args = ['up', ...port, '--kubeconfig', join(folder, 'kubeconfig'), ...flags];
  const server = spawn(process.execPath, [MAIN, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const link = await new Promise<string>((resolve, reject) => {
    let text = '';
    server.stdout!.on('data', (chunk) => {
      text += chunk;
      if (!text.includes('Press Ctrl-C to stop')) return;
      resolve(/console {4}(\S+)\n/.exec(text)?.[1] ?? '');
    });
    server.once('exit', () => reject(new Error(`pintle up ended: ${text}`)));
  });
  return { server, link };
}

/** Dialogs count as well: hostile texts of the tests open them when they are run. */
function recordViolations(context: BrowserContext, violations: string[]): void {
  context.on('weberror', (error) => violations.push(String(error.error())));
  context.on('console', (message) => {
    if (/Content.Security.Policy|Trusted/i.test(message.text())) violations.push(message.text());
  });
  context.on('dialog', (dialog) => {
    violations.push(`a dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
}

async function logIn(page: Page, link: string): Promise<void> {
  const failures: string[] = [];
  page.on('requestfailed', (request) => failures.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on('response', (response) => {
    if (!response.ok()) failures.push(`${response.url()}: ${response.status()}`);
  });
  await page.goto(link);
  await page
    .getByRole('heading', { level: 1 })
    .waitFor({ timeout: START_MS / 2 })
    .catch(async (cause) => {
      const shown = await page.locator('body').innerHTML();
      throw new Error(`The page does not open: it shows ${shown}, and failed: ${failures.join(', ')}`, { cause });
    });
}
