import { table } from '@pintle/machinery/table';
import { terminalText } from './terminal-text.ts';

const COLOURS: Readonly<Record<string, number>> = table({ debug: 90, info: 36, warn: 33, error: 31 });

/** Prints a line of a log for people: JSON as text, anything else as it is. */
export function showLine(line: string): void {
  process.stdout.write(`${readable(line, process.stdout.isTTY === true && !process.env.NO_COLOR)}\n`);
}

export function readable(line: string, hasColours: boolean): string {
  const entry = parseEntry(line);
  if (entry === undefined) return line;
  const { level, time, message, stack, ...fields } = entry;
  const clock = typeof time === 'string' ? time.slice(11, 19) : '';
  const tag = String(level).toUpperCase().padEnd(5);
  const shown = hasColours ? `\u001b[${COLOURS[String(level)] ?? 0}m${tag}\u001b[0m` : tag;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${plain(value)}`);
  const text = [clock, shown, terminalText([String(message), ...rest].join(' '))].join(' ');
  return typeof stack === 'string' ? [text, ...framesIn(stack)].join('\n') : text;
}

/** Returns the stack frames of the project, one per line; counts the others instead. */
function framesIn(stack: string): string[] {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  if (frames.every(isElsewhere)) return frames.map(shownFrame);
  const lines: string[] = [];
  let folded = 0;
  const unfold = (): void => {
    if (folded > 0) lines.push(`    … ${folded} in Pintle or Node`);
    folded = 0;
  };
  for (const frame of frames) {
    if (isElsewhere(frame)) folded++;
    else {
      unfold();
      lines.push(shownFrame(frame));
    }
  }
  unfold();
  return lines;
}

function shownFrame(frame: string): string {
  return `    ${terminalText(frame.trim())}`;
}

/** True for a frame in a package of Pintle, or in Node.js. */
function isElsewhere(frame: string): boolean {
  return /[\\/]node_modules[\\/]@pintle[\\/]|[( ]node:|\(<anonymous>\)/.test(frame);
}

/** Returns the port of an operator's webhooks when the log line has it. */
export function webhookPortIn(line: string): number | undefined {
  const { message, webhooks } = parseEntry(line) ?? {};
  return message === 'Serving' && typeof webhooks === 'number' ? webhooks : undefined;
}

/** Returns the entry of a log in JSON; `undefined` for any other line. */
export function parseEntry(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const value: unknown = JSON.parse(line);
    const isEntry = typeof value === 'object' && value !== null && 'level' in value && 'message' in value;
    return isEntry ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function plain(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value);
}
