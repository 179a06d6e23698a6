import { GOING_MS } from '../../live/forest.ts';
import { overlap, type Region, regionOf } from '../../live/layout.ts';
import type { Placed } from '../../live/lineage.ts';
import { box, drawCard, drawSquare, INNER, type Pen } from './ink.ts';
import { type Scene, type Size, seenIn, type View } from './picture.ts';

const GLOW_MS = 1800;

/** Draws above the picture what moves by itself: a change lights up, and what is deleted fades. */
export class Lights {
  readonly #canvas: HTMLCanvasElement;
  readonly #lively = new Set<string>();
  #isClear = true;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  /** A node changed, or went. */
  add(uid: string): void {
    this.#lively.add(uid);
  }

  /** Returns whether something still moves. */
  draw({ layout, colors, nodes }: Scene, view: View, size: Size, ratio: number, isStill: boolean): boolean {
    if (this.#isClear && this.#lively.size === 0) return false;
    const context = this.#prepare(size, ratio);
    context.setTransform(ratio * view.scale, 0, 0, ratio * view.scale, ratio * view.x, ratio * view.y);
    const pen: Pen = { context, colors, scale: view.scale };
    const seen = seenIn(view, size);
    const known = nodes();
    const nowMs = Date.now();
    for (const uid of this.#lively) {
      const node = known.get(uid);
      const glow = node === undefined ? 0 : shareLeft(node.changedMs, GLOW_MS, nowMs);
      const fade = node === undefined ? 0 : shareLeft(node.goneMs, GOING_MS, nowMs);
      if (node === undefined || (glow === 0 && fade === 0)) {
        this.#lively.delete(uid);
        continue;
      }
      const region = regionOf(layout, uid);
      if (region === undefined || !overlap(region, seen)) continue;
      this.#isClear = false;
      if (fade > 0) drawFading(pen, node, region, isStill ? 1 : fade);
      else drawGlow(pen, region, isStill ? 1 : glow);
    }
    context.globalAlpha = 1;
    return this.#lively.size > 0;
  }

  #prepare({ width, height }: Size, ratio: number): CanvasRenderingContext2D {
    const canvas = this.#canvas;
    const context = canvas.getContext('2d')!;
    const [wide, high] = [Math.round(width * ratio), Math.round(height * ratio)];
    if (canvas.width !== wide || canvas.height !== high) {
      canvas.width = wide;
      canvas.height = high;
    } else if (!this.#isClear) {
      context.setTransform(1, 0, 0, 1, 0, 0);
      context.clearRect(0, 0, wide, high);
    }
    this.#isClear = true;
    return context;
  }
}

/** From 1 to 0 in some time after a moment; 0 where there was none. */
function shareLeft(sinceMs: number, lifeMs: number, nowMs: number): number {
  return sinceMs === 0 ? 0 : Math.max(0, 1 - (nowMs - sinceMs) / lifeMs);
}

/** A ring around a node, outside of it. */
function drawGlow({ context, colors, scale }: Pen, { left, top, right, bottom }: Region, glow: number): void {
  const isSquare = right - left <= INNER;
  const width = isSquare ? 2.5 : (1 + 3 * glow) / Math.min(1, Math.max(0.3, scale));
  const out = isSquare ? 1 : width / 2;
  context.globalAlpha = isSquare ? glow : 0.55 * glow;
  context.strokeStyle = colors.glow;
  context.lineWidth = width;
  const [x, y, wide, high] = [left - out, top - out, right - left + 2 * out, bottom - top + 2 * out];
  if (scale < 0.4) context.strokeRect(x, y, wide, high);
  else {
    box(context, x, y, wide, high, isSquare ? 5 : 8 + out);
    context.stroke();
  }
}

function drawFading(pen: Pen, node: Placed, region: Region, fade: number): void {
  const { context, colors } = pen;
  const { left: x, top: y, right, bottom } = region;
  context.globalAlpha = fade * 0.8;
  if (right - x > INNER) drawCard(pen, { x, y, width: right - x, height: bottom - y }, node);
  else {
    context.fillStyle = colors[node.health.tone];
    drawSquare(pen, x, y);
  }
}
