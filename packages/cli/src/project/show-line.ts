import { table } from '@pintle/machinery/table';
import { terminalText } from '../terminal-text.ts';

const COLOURS: Readonly<Record<string, number>> = table({ debug: 90, info: 36, warn: 33, error: 31 });

/** A line of a program's log, for people: JSON becomes words, anything else stays as it is. */
export function showLine(line: string): void {
  process.stdout.write(`${readable(line, process.stdout.isTTY === true && !process.env.NO_COLOR)}\n`);
}

export function readable(line: string, hasColours: boolean): string {
  const entry = parsed(line);
  if (entry === undefined) return line;
  const { level, time, message, stack, ...fields } = entry;
  const clock = typeof time === 'string' ? time.slice(11, 19) : '';
  const tag = String(level).toUpperCase().padEnd(5);
  const shown = hasColours ? `\u001b[${COLOURS[String(level)] ?? 0}m${tag}\u001b[0m` : tag;
  const rest = Object.entries(fields).map(([name, value]) => `${name}=${plain(value)}`);
  const words = [clock, shown, terminalText([String(message), ...rest].join(' '))].join(' ');
  return typeof stack === 'string' ? [words, ...placesIn(stack)].join('\n') : words;
}

/** Returns each place on a line of its own, below the words; those that are not the project's are counted instead. */
function placesIn(stack: string): string[] {
  const places = stack.split('\n').filter((line) => /^\s+at /.test(line));
  if (places.every(isElsewhere)) return places.map(shownPlace);
  const lines: string[] = [];
  let folded = 0;
  const unfold = (): void => {
    if (folded > 0) lines.push(`    … ${folded} in Pintle or Node`);
    folded = 0;
  };
  for (const place of places) {
    if (isElsewhere(place)) folded++;
    else {
      unfold();
      lines.push(shownPlace(place));
    }
  }
  unfold();
  return lines;
}

function shownPlace(place: string): string {
  return `    ${terminalText(place.trim())}`;
}

/** Returns whether a place is in a package of Pintle, or in Node itself. */
function isElsewhere(place: string): boolean {
  return /[\\/]node_modules[\\/]@pintle[\\/]|[( ]node:|\(<anonymous>\)/.test(place);
}

/** Returns where an operator serves its webhooks, if the line of its log says so. */
export function webhookPortIn(line: string): number | undefined {
  const { message, webhooks } = parsed(line) ?? {};
  return message === 'Serving' && typeof webhooks === 'number' ? webhooks : undefined;
}

function parsed(line: string): Record<string, unknown> | undefined {
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
