import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { test } from 'vitest';

/**
 * Runs a command in a terminal of its own, as a person's shell does: it leads the terminal's foreground group, so that
 * Ctrl-C reaches it and every process it started in that group. Says which process it is in its first line of errors.
 * The terminal closes with the process that opened it, and what runs in it is hung up.
 */
const PTY = `
import os, pty, select, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
sys.stderr.write(str(pid) + "\\n")
sys.stderr.flush()
inputs = [terminal, 0]
status = None
while True:
    ready, _, _ = select.select(inputs, [], [], 0.1)
    if terminal in ready:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            data = b""
        if data:
            os.write(1, data)
        else:
            inputs.remove(terminal)
    if 0 in ready:
        keys = os.read(0, 1024)
        if keys:
            os.write(terminal, keys)
        else:
            sys.exit(129)
    if status is None:
        done, found = os.waitpid(pid, os.WNOHANG)
        if done != 0:
            status = found
    elif terminal not in ready:
        break
sys.exit(os.waitstatus_to_exitcode(status) & 255)
`;

const HAS_TERMINALS = spawnSync('python3', ['-c', 'import pty']).status === 0;

/**
 * A test that needs a terminal. Node has none, so it is python3 that opens it: on a machine without, such tests are
 * skipped; in CI they fail.
 */
export const terminalTest: ReturnType<typeof test.skipIf> = test.skipIf(!HAS_TERMINALS && process.env.CI === undefined);

export const CTRL_C = '\u0003';

export interface TerminalOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
}

/** A command in a terminal, and what stands on its screen. */
export interface Terminal {
  /** Of the command itself. */
  readonly pid: number;
  /** All that was shown so far, without colours, one line after the other. */
  screen(): string;
  /** Resolves once the text is shown `times` times; rejects with the screen when the command ends before. */
  shows(text: string | RegExp, options?: { readonly times?: number }): Promise<void>;
  /** The same of anything that the screen tells; `what` says in the error what was waited for. */
  until(isThere: () => boolean, what: string): Promise<void>;
  /** Types keys, such as `CTRL_C`. */
  type(keys: string): void;
  /** Resolves with the exit code once the command has ended; below 0 modulo 256 when a signal ended it. */
  readonly exited: Promise<number>;
}

/** Starts a command in a terminal. Needs python3, which has terminals in its library as Node has not. */
export async function openTerminal(command: readonly string[], options: TerminalOptions = {}): Promise<Terminal> {
  if (!HAS_TERMINALS) throw new Error('Cannot open a terminal: this test needs python3 with its pty module in PATH');
  const child = spawn('python3', ['-c', PTY, ...command], { ...options, stdio: ['pipe', 'pipe', 'pipe'] });
  // Keys that come after its end go nowhere.
  child.stdin.on('error', () => undefined);
  let shown = '';
  let problems = '';
  const changes = new EventTarget();
  const tell = (): void => void changes.dispatchEvent(new Event('change'));
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    tell();
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    problems += chunk;
    tell();
  });
  let hasEnded = false;
  const exited = once(child, 'close').then(([code]) => {
    hasEnded = true;
    tell();
    return code as number;
  });
  const screen = (): string => stripVTControlCharacters(shown).replaceAll('\r\n', '\n');
  const until = async (isThere: () => boolean, what: string): Promise<void> => {
    while (!isThere()) {
      if (hasEnded) throw new Error(`The command ended before it showed ${what}:\n${screen()}${problems}`);
      await once(changes, 'change');
    }
  };
  await until(() => problems.includes('\n'), 'which process it is');
  return {
    pid: Number.parseInt(problems, 10),
    screen,
    shows: (text, { times = 1 } = {}) =>
      until(() => screen().split(text).length > times, `${text}${times > 1 ? ` ${times} times` : ''}`),
    until,
    type: (keys) => void child.stdin.write(keys),
    exited,
  };
}

/** Whether a text has another in it, or what a pattern describes. */
export function isIn(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}
