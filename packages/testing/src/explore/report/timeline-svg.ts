import type { TimelineEvent } from '../model/timeline.ts';
import { xml } from './junit.ts';

const STEP = 18;
const ROW = 20;
const NAMES = 330;
const TOP = 24;
/** Most objects of a picture; the last row stands for the others. */
const MAX_ROWS = 40;

/** Colours and shapes of pictures. */
export const TIMELINE_STYLE = `svg.timeline{font:11px ui-monospace,monospace;display:block;margin:.4rem 0}
.timeline text{fill:currentColor}.timeline line{stroke:#8886}.timeline line.fault{stroke:#c62828;stroke-dasharray:3 2}
.timeline .user{fill:#1565c0}.timeline .operator{fill:#2e7d32}.timeline .controllers{fill:#8e8e8e}.timeline .fault{fill:#c62828}
.timeline .life{stroke:#8888;stroke-width:5}.timeline .refused{fill:none;stroke:#c62828}.scroll{overflow-x:auto}
.legend span{margin-right:1rem}.legend .user{color:#1565c0}.legend .operator{color:#2e7d32}.legend .controllers{color:#8e8e8e}.legend .fault{color:#c62828}`;

/** Explains the shapes, once on a page. */
export const TIMELINE_LEGEND =
  '<p class="legend"><span class="user">■ the user</span><span class="operator">■ the operator</span>' +
  '<span class="controllers">■ built-in controllers</span><span class="fault">┆ what goes wrong</span>' +
  '<span>● created</span><span>◆ changed</span><span>✕ deleted</span><span>○ refused or lost</span></p>';

/**
 * Draws a run: a row for each object, from its creation to its deletion, a column for each event in the order of events. Columns are
 * as wide as each other, however much time lies between.
 */
export function timelineSvg(events: readonly TimelineEvent[]): string {
  const objects = [...new Set(events.flatMap(({ object }) => object ?? []))];
  const rows = new Map(objects.map((object, index) => [object, Math.min(index, MAX_ROWS - 1)]));
  const height = TOP + ROW * Math.max(1, Math.min(objects.length, MAX_ROWS)) + 18;
  const width = NAMES + STEP * (events.length + 1);
  const names = objects.slice(0, MAX_ROWS).map((object, index) => {
    const isRest = index === MAX_ROWS - 1 && objects.length > MAX_ROWS;
    const name = isRest ? `and ${objects.length - MAX_ROWS + 1} more` : short(object);
    return `<text x="0" y="${yOf(index) + 4}">${xml(name)}</text><line x1="${NAMES}" x2="${width}" y1="${yOf(index)}" y2="${yOf(index)}"/>`;
  });
  const marks = events.map((event, column) => mark(event, column, rows, height));
  return [
    `<div class="scroll"><svg class="timeline" width="${width}" height="${height}" role="img">`,
    ...names,
    ...lives(events, rows),
    ...marks,
    ...times(events, height),
    '</svg></div>',
  ].join('');
}

function mark(event: TimelineEvent, column: number, rows: ReadonlyMap<string, number>, height: number): string {
  const { actor, change, object, text } = event;
  const x = xOf(column);
  const title = `<title>${xml(`${timeOf(event)} ${text}`)}</title>`;
  if (object === undefined)
    return `<g><line class="fault" x1="${x}" x2="${x}" y1="6" y2="${height - 18}"/><circle class="fault" cx="${x}" cy="8" r="4">${title}</circle></g>`;
  const y = yOf(rows.get(object) ?? 0);
  switch (change) {
    case 'created':
      return `<circle class="${actor}" cx="${x}" cy="${y}" r="5">${title}</circle>`;
    case 'deleted':
      return `<text class="${actor}" x="${x - 4}" y="${y + 4}">✕${title}</text>`;
    case 'refused':
      return `<circle class="refused" cx="${x}" cy="${y}" r="4">${title}</circle>`;
    default:
      return `<path class="${actor}" d="M${x} ${y - 5}l5 5-5 5-5-5z">${title}</path>`;
  }
}

/** Draws how long each object is there. One that was there before begins at the left. */
function lives(events: readonly TimelineEvent[], rows: ReadonlyMap<string, number>): string[] {
  const drawn: string[] = [];
  for (const [object, row] of rows) {
    let from: number | undefined;
    const draw = (until: number): void => {
      if (from !== undefined)
        drawn.push(`<line class="life" x1="${from}" x2="${until}" y1="${yOf(row)}" y2="${yOf(row)}"/>`);
      from = undefined;
    };
    events.forEach((event, column) => {
      if (event.object !== object || event.change === 'refused') return;
      if (event.change === 'deleted') draw(xOf(column));
      else from ??= event.change === 'created' ? xOf(column) : NAMES;
    });
    draw(xOf(events.length));
  }
  return drawn;
}

/** Writes the time below where it has moved by a second or more. */
function times(events: readonly TimelineEvent[], height: number): string[] {
  let lastColumn = Number.NEGATIVE_INFINITY;
  let lastTime = '';
  return events.flatMap((event, column) => {
    const time = timeOf(event);
    if (time === lastTime || column - lastColumn < 3) return [];
    [lastColumn, lastTime] = [column, time];
    return [`<text x="${xOf(column) - 6}" y="${height - 4}">${time}</text>`];
  });
}

function xOf(column: number): number {
  return NAMES + STEP * (column + 1) - STEP / 2;
}

function yOf(row: number): number {
  return TOP + ROW * row + ROW / 2;
}

function timeOf({ atMs }: TimelineEvent): string {
  const seconds = Math.floor(atMs / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

function short(object: string): string {
  return object.length <= 50 ? object : `${object.slice(0, 24)}…${object.slice(-25)}`;
}
