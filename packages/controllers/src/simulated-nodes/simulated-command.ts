import type { Container } from '@pintle/kinds/core/v1';

/** One run of a command. */
interface CommandRun {
  /** Infinity: runs until stopped. */
  readonly lastsMs: number;
  readonly exitCode: number;
}

const ENDLESS: CommandRun = { lastsMs: Number.POSITIVE_INFINITY, exitCode: 0 };
const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'ash', 'dash', 'zsh']);
/** Commands that succeed at once. */
const IMMEDIATE: ReadonlySet<string> = new Set([
  'true',
  ':',
  'echo',
  'printf',
  'date',
  'hostname',
  'uname',
  'trap',
  'set',
]);
/** Servers, and images that are named after them. `agnhost` is used by Kubernetes' own tests. */
const SERVERS: ReadonlySet<string> = new Set([
  'pause',
  'agnhost',
  'caddy',
  'envoy',
  'etcd',
  'haproxy',
  'httpd',
  'mariadb',
  'memcached',
  'mongo',
  'mysql',
  'nginx',
  'postgres',
  'rabbitmq',
  'redis',
  'traefik',
  'whoami',
]);
/** Length of scripts beyond which the run is unknown. */
const MAX_SCRIPT_LENGTH = 4_096;
const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['', 1_000],
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/**
 * Returns the run of a container, as far as its command or image name tells; `undefined` when unknown. Known are
 * `sleep`, `true`, `false`, `exit`, `echo` and similar commands, alone or in sequence in a shell, endless loops, and
 * servers.
 */
export function commandRun({ command = [], args = [], image = '' }: Container): CommandRun | undefined {
  const words = [...command, ...args];
  if (command.length === 0 && SERVERS.has(programOf(image.split('@')[0]!.split(':')[0]!))) return ENDLESS;
  return words.length === 0 ? undefined : wordsRun(words);
}

/** Returns the exit code of a probe's command; `undefined` when unknown, and then the probe succeeds. */
export function probeExitCode(command: readonly string[] | undefined): number | undefined {
  return command === undefined || command.length === 0 ? undefined : wordsRun(command)?.exitCode;
}

function wordsRun([first = '', ...rest]: readonly string[]): CommandRun | undefined {
  const program = programOf(first);
  if (SHELLS.has(program)) return rest[0] === '-c' && rest[1] !== undefined ? scriptRun(rest[1]) : undefined;
  if (program === 'exec') return wordsRun(rest);
  if (program === 'sleep') return sleepRun(rest);
  if (program === 'false') return { lastsMs: 0, exitCode: 1 };
  if (IMMEDIATE.has(program)) return { lastsMs: 0, exitCode: 0 };
  if (SERVERS.has(program) || (program === 'tail' && rest.includes('-f'))) return ENDLESS;
  return undefined;
}

/** Runs the commands of a script in sequence, until one ends it or is unknown. */
function scriptRun(script: string): CommandRun | undefined {
  if (script.length > MAX_SCRIPT_LENGTH) return undefined;
  let lastsMs = 0;
  let exitCode = 0;
  for (const { text, after } of commandsOf(script)) {
    if ((after === '&&' && exitCode !== 0) || (after === '||' && exitCode === 0)) continue;
    const words = text.split(/\s+/);
    if (words[0] === 'exit') return { lastsMs, exitCode: words[1] === undefined ? exitCode : exitCodeOf(words[1]) };
    if (isEndlessLoop(words)) return ENDLESS;
    const run = wordsRun(words);
    if (run === undefined) return undefined;
    lastsMs += run.lastsMs;
    if (lastsMs === Number.POSITIVE_INFINITY) return ENDLESS;
    exitCode = run.exitCode;
  }
  return { lastsMs, exitCode };
}

/** Matches `while true`, `while :` and `until false`. The body does not matter. */
function isEndlessLoop([keyword, condition]: readonly string[]): boolean {
  if (keyword === 'while') return condition === 'true' || condition === ':';
  return keyword === 'until' && condition === 'false';
}

interface ScriptCommand {
  readonly text: string;
  /** Operator before the command. */
  readonly after: ';' | '&&' | '||';
}

/** Splits a script at `;`, `&&`, `||` and line breaks outside of quotes. */
function* commandsOf(script: string): Generator<ScriptCommand> {
  let [text, quote]: [string, string] = ['', ''];
  let after: ScriptCommand['after'] = ';';
  const taken = (): ScriptCommand[] => {
    const command = { text: text.trim(), after };
    text = '';
    return command.text === '' ? [] : [command];
  };
  for (let at = 0; at < script.length; at++) {
    const character = script[at]!;
    const pair = script.slice(at, at + 2);
    if (quote !== '') {
      if (character === quote) quote = '';
      text += character;
    } else if (character === '"' || character === "'") {
      quote = character;
      text += character;
    } else if (pair === '&&' || pair === '||') {
      yield* taken();
      after = pair;
      at++;
    } else if (character === ';' || character === '\n') {
      yield* taken();
      after = ';';
    } else text += character;
  }
  yield* taken();
}

function sleepRun(times: readonly string[]): CommandRun | undefined {
  let lastsMs = 0;
  for (const time of times) {
    if (time === 'infinity' || time === 'inf') return ENDLESS;
    const [, amount, unit = ''] = /^(\d{1,12}(?:\.\d{1,6})?)([smhd]?)$/.exec(time) ?? [];
    if (amount === undefined) return undefined;
    lastsMs += Number(amount) * UNIT_MS.get(unit)!;
  }
  return times.length === 0 ? undefined : { lastsMs, exitCode: 0 };
}

function exitCodeOf(text: string): number {
  return /^\d{1,9}$/.test(text) ? Number(text) & 255 : 2;
}

/** Returns the program's name: `/bin/sh` is `sh`, and the image `registry.example.com/library/nginx` is `nginx`. */
function programOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
