import { CTRL_C, isIn, openTerminal, type Terminal, type TerminalOptions } from './terminal.ts';

/** Says with each prompt how the command before it ended. */
const SET_PROMPT = "PS1='you@machine[$?]$ ' PS2=\n";
const PROMPT = /you@machine\[(\d+)\]\$ /;

const LEAVE_MS = 500;

/** A command that has ended. */
export interface Finished {
  readonly code: number;
  /** All that it showed. */
  readonly output: string;
}

/** A command that a shell is still at. */
export interface RunningCommand {
  /** Of all that it has shown so far. */
  output(): string;
  /** Resolves once the text is shown; rejects with the output when the command ends before. */
  shows(text: string | RegExp): Promise<void>;
  /** Presses Ctrl-C and waits for the next prompt. */
  interrupt(): Promise<Finished>;
}

/** A person's shell in a terminal: the folder and the variables that one command sets are there for the next one. */
export interface Shell {
  readonly terminal: Terminal;
  /** Types a command and waits for the next prompt. */
  run(command: string): Promise<Finished>;
  /** Types a command that goes on until Ctrl-C. */
  start(command: string): RunningCommand;
  /** Stops what runs in it, and the shell. */
  close(): Promise<void>;
}

export async function openShell(options: TerminalOptions): Promise<Shell> {
  const env = { ...options.env, TERM: 'xterm-256color' };
  // Without line editing, so that the screen has a command as it was typed, however long it is.
  const terminal = await openTerminal(['bash', '--norc', '--noprofile', '--noediting', '-i'], { ...options, env });
  terminal.type(SET_PROMPT);
  await terminal.shows(PROMPT);

  const type = (command: string) => {
    const begin = terminal.screen().length;
    terminal.type(`${command}\n`);
    const all = (): string => terminal.screen().slice(begin).replace(`${command}\n`, '');
    const output = (): string => all().split(PROMPT)[0]!;
    const hasEnded = (): boolean => isIn(all(), PROMPT);
    const finished = async (): Promise<Finished> => {
      await terminal.until(hasEnded, `the end of ${command}`);
      return { code: Number(PROMPT.exec(all())?.[1]), output: output() };
    };
    return { output, hasEnded, finished };
  };

  return {
    terminal,
    run: (command) => type(command).finished(),
    start: (command) => {
      const { output, hasEnded, finished } = type(command);
      return {
        output,
        shows: async (text) => {
          await terminal.until(() => isIn(output(), text) || hasEnded(), `${text}`);
          if (!isIn(output(), text)) throw new Error(`${command} ended before it showed ${text}:\n${output()}`);
        },
        interrupt: async () => {
          terminal.type(CTRL_C);
          return await finished();
        },
      };
    },
    close: async () => {
      terminal.type(CTRL_C);
      // Not along with Ctrl-C, and not once: a shell forgets what it has read when it is interrupted.
      const leaving = setInterval(() => terminal.type('exit\n'), LEAVE_MS);
      await terminal.exited;
      clearInterval(leaving);
    },
  };
}
