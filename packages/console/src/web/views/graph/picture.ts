import { type Layout, overlap, type Region, regionOf } from '../../live/layout.ts';
import type { Placed } from '../../live/lineage.ts';
import { type Colors, drawRegion } from './ink.ts';

/** Where on the page the layout's origin is, and pixels of the page for each unit of the layout. */
export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The subject of a picture. Another layout or other colours are another scene; nodes change within one. */
export interface Scene {
  readonly layout: Layout;
  readonly colors: Colors;
  readonly nodes: () => ReadonlyMap<string, Placed>;
}

/** Side of a tile, in pixels of the screen. */
const TILE = 512;
/** Time for drawing in one frame. One tile is drawn in any case. */
const BUDGET_MS = 6;
/** A scale that stays for so long is drawn. */
const REST_MS = 120;
/** A picture that is stretched by more is drawn anew, even while the scale goes on to change. */
const MAX_STRETCH = 2.2;
/** Around the layout, for borders and headings that are larger than their place. */
const MARGIN = 48;
/** A tile with more changes than this is drawn anew. */
const MAX_STALE = 32;

/**
 * A scene in tiles that are drawn once. The browser moves and stretches them, so that a frame of panning draws nothing:
 *
 *     shown   moved and stretched to where the view is
 *     next    drawn tile by tile, unseen, when the scale rests or the scene is another; replaces `shown` when it is whole
 */
export class Picture {
  readonly #host: HTMLElement;
  #scene: Scene | undefined;
  #shown: Level | undefined;
  #next: Level | undefined;
  #scale = 0;
  /** When the scale last changed. */
  #scaledMs = 0;

  constructor(host: HTMLElement) {
    this.#host = host;
  }

  set scene(scene: Scene) {
    this.#scene = scene;
  }

  /** Draws a node anew: it changed. */
  touch(uid: string): void {
    this.#shown?.touch(uid);
    this.#next?.touch(uid);
  }

  /** Shows a view, and returns whether another frame is needed to draw the rest of it. */
  show(view: View, size: Size, ratio: number): boolean {
    const scene = this.#scene;
    if (scene === undefined || size.width === 0) return false;
    this.#begin(scene, view, ratio);
    const level = this.#next ?? this.#shown!;
    const isWhole = level.draw(view, size, performance.now() + BUDGET_MS);
    if (isWhole && this.#next !== undefined) {
      this.#shown?.element.remove();
      this.#shown = this.#next;
      this.#next = undefined;
      this.#host.append(level.element);
    }
    this.#shown!.place(view);
    const isSettled = this.#shown!.scene === scene && this.#shown!.scale === view.scale;
    return !isWhole || !isSettled || level.drawAhead(view, size);
  }

  close(): void {
    this.#shown?.element.remove();
  }

  #begin(scene: Scene, view: View, ratio: number): void {
    const nowMs = performance.now();
    if (view.scale !== this.#scale) this.#scaledMs = nowMs;
    this.#scale = view.scale;
    const isResting = nowMs - this.#scaledMs > REST_MS;
    const latest = this.#next ?? this.#shown;
    if (latest === undefined) {
      this.#shown = new Level(scene, view.scale, ratio);
      this.#host.append(this.#shown.element);
      return;
    }
    const stretch = Math.max(view.scale / latest.scale, latest.scale / view.scale);
    // A picture that is begun is finished, lest a scene that changes all the time is never shown.
    const isOther = this.#next === undefined && latest.scene !== scene;
    const isOffScale = stretch > MAX_STRETCH || (stretch !== 1 && isResting);
    if (isOther || isOffScale || latest.ratio !== ratio) this.#next = new Level(scene, view.scale, ratio);
  }
}

interface Tile {
  readonly canvas: HTMLCanvasElement;
  readonly column: number;
  readonly row: number;
  /** Parts that changed since they were drawn. */
  stale: Region[];
}

/** Columns and rows of tiles, the last ones included. */
type Span = Region;

/** A scene at one scale. */
class Level {
  readonly scene: Scene;
  readonly scale: number;
  readonly ratio: number;
  readonly element = document.createElement('div');
  readonly #tiles = new Map<string, Tile>();
  /** Pixels of the screen for each unit of the layout. */
  readonly #density: number;

  constructor(scene: Scene, scale: number, ratio: number) {
    this.scene = scene;
    this.scale = scale;
    this.ratio = ratio;
    this.#density = scale * ratio;
    this.element.className = 'level';
  }

  /** Moves and stretches the tiles to where the view is: onto whole pixels, where they are sharp. */
  place({ x, y, scale }: View): void {
    const whole = (at: number): number => Math.round(at * this.ratio) / this.ratio;
    const stretch = scale === this.scale ? '' : ` scale(${scale / this.scale})`;
    this.element.style.transform = `translate(${whole(x)}px, ${whole(y)}px)${stretch}`;
  }

  touch(uid: string): void {
    const region = regionOf(this.scene.layout, uid);
    if (region === undefined) return;
    const edge = 2 / this.#density + 1;
    const { left, top, right, bottom } = region;
    const changed = { left: left - edge, top: top - edge, right: right + edge, bottom: bottom + edge };
    const span = this.#spanOf(changed, 0);
    for (const tile of this.#tilesIn(span)) if (tile.stale.length <= MAX_STALE) tile.stale.push(changed);
  }

  /** Draws what is missing in sight, until the time is over. Returns whether nothing is missing any more. */
  draw(view: View, size: Size, deadlineMs: number): boolean {
    const span = this.#spanOf(seenIn(view, size), 0);
    for (const tile of this.#tilesIn(span)) {
      if (tile.stale.length === 0) continue;
      this.#mend(tile);
      if (performance.now() > deadlineMs) return false;
    }
    for (const [column, row] of this.#missingIn(span)) {
      this.#add(column, row);
      if (performance.now() > deadlineMs) return this.#missingIn(span).length === 0;
    }
    return true;
  }

  /** Draws one tile around what is in sight, for when the view moves there. Returns whether more are missing. */
  drawAhead(view: View, size: Size): boolean {
    const span = this.#spanOf(seenIn(view, size), 1);
    const missing = this.#missingIn(span);
    if (missing[0] !== undefined) this.#add(...missing[0]);
    this.#forgetOutside(span);
    return missing.length > 1;
  }

  #add(column: number, row: number): void {
    const canvas = document.createElement('canvas');
    canvas.width = TILE;
    canvas.height = TILE;
    const side = TILE / this.ratio;
    Object.assign(canvas.style, {
      left: `${column * side}px`,
      top: `${row * side}px`,
      width: `${side}px`,
      height: `${side}px`,
    });
    const tile: Tile = { canvas, column, row, stale: [] };
    this.#tiles.set(`${column} ${row}`, tile);
    this.#paint(tile, this.#regionOf(tile));
    this.element.append(canvas);
  }

  #mend(tile: Tile): void {
    const { stale } = tile;
    tile.stale = [];
    if (stale.length > MAX_STALE) this.#paint(tile, this.#regionOf(tile));
    else for (const region of stale) this.#paint(tile, region);
  }

  #paint({ canvas, column, row }: Tile, { left, top, right, bottom }: Region): void {
    const density = this.#density;
    // Whole pixels: what is drawn anew must not show at its borders.
    const region = {
      left: Math.floor(left * density) / density,
      top: Math.floor(top * density) / density,
      right: Math.ceil(right * density) / density,
      bottom: Math.ceil(bottom * density) / density,
    };
    const context = canvas.getContext('2d')!;
    context.save();
    context.setTransform(density, 0, 0, density, -column * TILE, -row * TILE);
    context.beginPath();
    context.rect(region.left, region.top, region.right - region.left, region.bottom - region.top);
    context.clip();
    context.clearRect(region.left, region.top, region.right - region.left, region.bottom - region.top);
    const { colors, layout, nodes } = this.scene;
    drawRegion({ context, colors, scale: this.scale }, layout, nodes(), region);
    context.restore();
  }

  #regionOf({ column, row }: Tile): Region {
    const side = TILE / this.#density;
    return { left: column * side, top: row * side, right: (column + 1) * side, bottom: (row + 1) * side };
  }

  /** The tiles of a region, and `around` more on each side, as far as there is something to draw. */
  #spanOf({ left, top, right, bottom }: Region, around: number): Span {
    const { layout } = this.scene;
    const tileAt = (at: number): number => Math.floor((at * this.#density) / TILE);
    return {
      left: Math.max(tileAt(-MARGIN), tileAt(left) - around),
      top: Math.max(tileAt(-MARGIN), tileAt(top) - around),
      right: Math.min(tileAt(layout.width + MARGIN), tileAt(right) + around),
      bottom: Math.min(tileAt(layout.height + MARGIN), tileAt(bottom) + around),
    };
  }

  *#tilesIn(span: Span): Generator<Tile> {
    for (const [column, row] of cellsOf(span)) {
      const tile = this.#tiles.get(`${column} ${row}`);
      if (tile !== undefined) yield tile;
    }
  }

  #missingIn(span: Span): [number, number][] {
    return [...cellsOf(span)].filter(([column, row]) => !this.#tiles.has(`${column} ${row}`));
  }

  /** A tile takes a megabyte. */
  #forgetOutside(span: Span): void {
    const kept = { left: span.left - 1, top: span.top - 1, right: span.right + 2, bottom: span.bottom + 2 };
    for (const [key, { canvas, column, row }] of this.#tiles) {
      if (overlap({ left: column, top: row, right: column + 1, bottom: row + 1 }, kept)) continue;
      canvas.remove();
      this.#tiles.delete(key);
    }
  }
}

function* cellsOf({ left, top, right, bottom }: Span): Generator<[number, number]> {
  for (let row = top; row <= bottom; row++) for (let column = left; column <= right; column++) yield [column, row];
}

/** The part of the layout that is in sight. */
export function seenIn({ x, y, scale }: View, { width, height }: Size): Region {
  return { left: -x / scale, top: -y / scale, right: (width - x) / scale, bottom: (height - y) / scale };
}
