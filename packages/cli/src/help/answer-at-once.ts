import { readFileSync, writeSync } from 'node:fs';
import type { HelpTexts } from './ready-answer.ts';
import { readyAnswer } from './ready-answer.ts';

/** Answers a command line that asks for help or the version, from the file beside the bundle. Returns false for others. */
export function answerAtOnce(args: readonly string[], bundle: string): boolean {
  const texts = readTexts(new URL('help.json', bundle));
  const answer = texts && readyAnswer(args, texts);
  if (answer === undefined) return false;
  write(answer.text, answer.isError ? 2 : 1);
  if (answer.isError) process.exitCode = 1;
  return true;
}

/** Returns `undefined` when an older script wrote the bundle, without the file. */
function readTexts(path: URL): HelpTexts | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as HelpTexts;
  } catch {
    return undefined;
  }
}

/** Writes without the streams of the process, which take milliseconds to set up. A closed pipe is no error. */
function write(text: string, descriptor: 1 | 2): void {
  let rest = Buffer.from(text);
  try {
    while (rest.length > 0) rest = rest.subarray(writeSync(descriptor, rest));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // The pipe is full and does not block: the stream waits for it.
    if (code === 'EAGAIN') (descriptor === 1 ? process.stdout : process.stderr).write(rest);
    else if (code !== 'EPIPE') throw error;
  }
}
