import type { ControllerName } from '@pintle/controllers/names';
import { chooseControllers } from '@pintle/controllers/names';
import { UsageError } from './usage-error.ts';

/** Reads the value of `--controllers`: names with commas between them; an empty text chooses none. */
export function readControllers(text: string): ControllerName[] {
  const choices = text
    .split(',')
    .map((choice) => choice.trim())
    .filter((choice) => choice !== '');
  try {
    return chooseControllers(choices);
  } catch (error) {
    throw new UsageError((error as TypeError).message);
  }
}
