import {
  type Block,
  CAPTION,
  type Card,
  type Layout,
  overlap,
  type Region,
  type Shape,
  SQUARE,
} from '../../live/layout.ts';
import type { Placed } from '../../live/lineage.ts';

export type Colors = Readonly<
  Record<'good' | 'busy' | 'bad' | 'ending' | 'plain' | 'ink' | 'soft' | 'line' | 'card' | 'glow', string>
>;

export function colorsOf(element: HTMLElement): Colors {
  const style = getComputedStyle(element);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return {
    good: color('good'),
    busy: color('busy'),
    bad: color('bad'),
    ending: color('ending'),
    plain: color('plain'),
    ink: color('ink'),
    soft: color('ink-soft'),
    line: color('line-strong'),
    card: color('raised'),
    glow: color('accent'),
  };
}

/** Draws on a canvas whose coordinates are those of the layout. */
export interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly colors: Colors;
  /** Pixels of the page for each unit of the layout. */
  readonly scale: number;
}

/** Below this scale the squares of blocks have no round corners, which would not be seen. */
const ROUND_SCALE = 0.55;
export const INNER = SQUARE - 4;

/** Draws what is in a region, except nodes that are gone: those fade elsewhere. */
export function drawRegion(pen: Pen, layout: Layout, nodes: ReadonlyMap<string, Placed>, region: Region): void {
  const { context, scale } = pen;
  context.lineWidth = Math.max(1, 0.6 / scale);
  context.strokeStyle = pen.colors.line;
  for (const shape of layout.shapes) if (shape.parent !== undefined) drawEdge(pen, shape, shape.parent, region);
  context.textBaseline = 'middle';
  drawHeadings(pen, layout, region);
  for (const shape of layout.shapes) {
    if (!overlap(boundsOf(shape), region)) continue;
    if (shape.type === 'block') drawBlock(pen, shape, nodes, region);
    else {
      const node = nodes.get(shape.uid);
      if (node?.goneMs === 0) drawCard(pen, shape, node);
    }
  }
}

/** A shape with its border. */
function boundsOf({ x, y, width, height }: Shape): Region {
  return { left: x - 1, top: y - 1, right: x + width + 1, bottom: y + height + 1 };
}

function drawEdge({ context }: Pen, shape: Shape, parent: Card, region: Region): void {
  const fromX = parent.x + parent.width;
  const fromY = parent.y + parent.height / 2;
  const toY = shape.y + shape.height / 2;
  const bounds = {
    left: fromX - 1,
    top: Math.min(fromY, toY) - 1,
    right: shape.x + 1,
    bottom: Math.max(fromY, toY) + 1,
  };
  if (!overlap(bounds, region)) return;
  const middle = (fromX + shape.x) / 2;
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.bezierCurveTo(middle, fromY, middle, toY, shape.x, toY);
  context.stroke();
}

function drawHeadings({ context, colors, scale }: Pen, { headings }: Layout, region: Region): void {
  const pixels = Math.max(15, Math.min(40, 11 / scale));
  context.font = `600 ${pixels}px "Geist Variable", sans-serif`;
  context.fillStyle = colors.soft;
  for (const { text, x, y } of headings) {
    if (y - pixels < region.bottom && y + 16 + pixels > region.top) context.fillText(text, x, y + 16);
  }
}

type CardBox = Pick<Card, 'x' | 'y' | 'width' | 'height'>;

export function drawCard({ context, colors, scale }: Pen, { x, y, width, height }: CardBox, node: Placed): void {
  context.fillStyle = colors.card;
  box(context, x, y, width, height, 8);
  context.fill();
  context.strokeStyle = colors.line;
  context.lineWidth = 1;
  context.stroke();
  context.fillStyle = colors[node.health.tone];
  if (scale < 0.32) {
    box(context, x, y, width, height, 8);
    context.fill();
    return;
  }
  box(context, x + 8, y + 9, 4, height - 18, 2);
  context.fill();
  context.textBaseline = 'middle';
  context.fillStyle = colors.soft;
  context.font = '500 10.5px "Geist Variable", sans-serif';
  context.fillText(node.kind.kind, x + 20, y + 12.5);
  const words = node.health.words;
  if (words !== '' && scale > 0.5) {
    const room = width - 40 - context.measureText(node.kind.kind).width;
    context.textAlign = 'right';
    context.fillText(clipped(context, words, room), x + width - 10, y + 12.5);
    context.textAlign = 'left';
  }
  context.fillStyle = colors.ink;
  context.font = '500 13px "Geist Variable", sans-serif';
  context.fillText(clipped(context, node.name, width - 30), x + 20, y + 27.5);
}

function drawBlock(pen: Pen, block: Block, nodes: ReadonlyMap<string, Placed>, region: Region): void {
  const { context, colors, scale } = pen;
  const { x, y, columns, uids } = block;
  if (scale > 0.25 && region.top < y + CAPTION) {
    context.fillStyle = colors.soft;
    context.font = '500 11px "Geist Variable", sans-serif';
    context.fillText(block.label, x + 1, y + 7);
  }
  const place = (at: number, most: number): number => Math.max(0, Math.min(most, Math.floor(at / SQUARE)));
  const rows = Math.ceil(uids.length / columns);
  const [firstRow, lastRow] = [place(region.top - y - CAPTION, rows), place(region.bottom - y - CAPTION, rows - 1)];
  const [first, last] = [place(region.left - x, columns), place(region.right - x, columns - 1)];
  let tone = '';
  for (let row = firstRow; row <= lastRow; row++) {
    for (let column = first; column <= last; column++) {
      const uid = uids[row * columns + column];
      const node = uid === undefined ? undefined : nodes.get(uid);
      if (node === undefined || node.goneMs !== 0) continue;
      if (node.health.tone !== tone) {
        tone = node.health.tone;
        context.fillStyle = colors[node.health.tone];
      }
      drawSquare(pen, x + column * SQUARE + 1, y + CAPTION + row * SQUARE);
    }
  }
}

/** One square of a block, in the present colour. */
export function drawSquare({ context, scale }: Pen, x: number, y: number): void {
  if (scale < ROUND_SCALE) context.fillRect(x, y, INNER, INNER);
  else {
    box(context, x, y, INNER, INNER, 4);
    context.fill();
  }
}

export function box(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  width: number,
  height: number,
  radius: number,
): void {
  context.beginPath();
  context.roundRect(x, y, width, height, radius);
}

const clips = new Map<string, string>();

/** Texts may be wider than they were: there are other fonts. */
export function forgetWidths(): void {
  clips.clear();
}

/** Text that fits, with its end cut off where it must be: names differ at both ends. */
function clipped(context: CanvasRenderingContext2D, text: string, width: number): string {
  const key = `${context.font} ${Math.round(width)} ${text}`;
  const known = clips.get(key);
  if (known !== undefined) return known;
  let shown = text;
  if (context.measureText(text).width > width) {
    let kept = text.length - 1;
    const cut = (): string =>
      `${text.slice(0, Math.ceil(kept * 0.62))}…${text.slice(text.length - Math.floor(kept * 0.38))}`;
    while (kept > 2 && context.measureText(cut()).width > width) kept--;
    shown = cut();
  }
  if (clips.size > 20_000) clips.clear();
  clips.set(key, shown);
  return shown;
}
