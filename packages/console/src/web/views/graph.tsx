import { type PointerEvent, useEffect, useMemo, useRef, useState, useSyncExternalStore, type WheelEvent } from 'react';
import { catalog } from '../live/catalog.ts';
import type { Placed } from '../live/forest.ts';
import { type Forest, forestOf, GOING_MS } from '../live/forest.ts';
import { CAPTION, type Card, type Layout, layOut, type Shape, SQUARE } from '../live/layout.ts';
import { Empty, Freshness, isStale, Unreadable } from '../parts/small.tsx';
import { isStill, theme, useNow } from '../state/look.ts';
import { adjust, atOf, go, usePlace } from '../state/router.ts';
import { useStore } from '../state/store.ts';
import { ageOf, plural } from '../text/words.ts';
import { objectHref } from './list.tsx';

export function GraphView() {
  const place = usePlace();
  const { kinds } = useStore(catalog);
  const namespace = place.query.ns;
  const forest = useMemo(() => forestOf(kinds, namespace, atOf(place)), [kinds, namespace, atOf(place)]);
  return <ForestPane forest={forest} isAll={place.query.all === '1'} />;
}

function ForestPane({ forest, isAll }: { forest: Forest; isAll: boolean }) {
  const snapshot = useSyncExternalStore(forest.subscribe, forest.snapshot);
  const now = useNow(2000);
  const { phase, nodes, error } = snapshot;
  return (
    <section className={`pane graph ${isStale(snapshot, now) ? 'stale' : ''}`}>
      <header>
        <h1>Ownership</h1>
        <span className="muted tally">{plural(nodes.size, 'object')}</span>
        <span className="spring" />
        <label className="check">
          <input
            type="checkbox"
            checked={isAll}
            onChange={(event) => adjust({ all: event.target.checked ? '1' : undefined })}
          />
          also what stands alone
        </label>
        <Freshness of={snapshot} />
      </header>
      {error === undefined ? (
        <ForestCanvas forest={forest} isAll={isAll} />
      ) : (
        <Unreadable title="This moment cannot be shown" error={error} />
      )}
      {phase !== 'loading' && snapshot.isComplete && snapshot.children.size === 0 && !isAll && (
        <Empty title="Nothing owns anything here">Create a Deployment and watch it unfold.</Empty>
      )}
    </section>
  );
}

interface View {
  x: number;
  y: number;
  scale: number;
}

const GLOW_MS = 1800;

/** Draws a forest on one canvas: what is in sight, in as much detail as there is room for. */
export function ForestCanvas({ forest, isAll, root }: { forest: Forest; isAll: boolean; root?: string }) {
  const snapshot = useSyncExternalStore(forest.subscribe, forest.snapshot);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [hover, setHover] = useState<{ node: Placed; x: number; y: number }>();
  const view = useRef<View>({ x: 24, y: 16, scale: 1 });
  const isTouched = useRef(false);
  const look = useStore(theme);
  const layout = useMemo(
    () => layOut(snapshot, { isAll, aspect: size.height === 0 ? 1.6 : size.width / size.height, root }),
    [snapshot.shape, isAll, root, size.width > 0],
  );
  const drawing = useRef<() => void>(() => {});

  useEffect(() => {
    const element = canvas.current!;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  if (!isTouched.current && size.width > 0) view.current = fitted(layout, size);

  useEffect(() => {
    let frame = 0;
    const element = canvas.current!;
    const draw = (): void => {
      frame = 0;
      const isMoving = paint(element, layout, forest.snapshot().nodes, view.current);
      if (isMoving) schedule();
    };
    const schedule = (): void => {
      if (frame === 0) frame = requestAnimationFrame(draw);
    };
    drawing.current = schedule;
    schedule();
    return () => cancelAnimationFrame(frame);
  }, [layout, snapshot, size, look, forest]);

  const at = (event: { clientX: number; clientY: number }): Placed | undefined => {
    const box = canvas.current!.getBoundingClientRect();
    const { x, y, scale } = view.current;
    const uid = uidAt(layout, (event.clientX - box.left - x) / scale, (event.clientY - box.top - y) / scale);
    return uid === undefined ? undefined : snapshot.nodes.get(uid);
  };
  const grab = useRef<{ x: number; y: number; isMoved: boolean } | undefined>(undefined);
  const zoom = (factor: number, centerX: number, centerY: number): void => {
    isTouched.current = true;
    const { x, y, scale } = view.current;
    const next = Math.min(3, Math.max(0.03, scale * factor));
    view.current = {
      x: centerX - ((centerX - x) * next) / scale,
      y: centerY - ((centerY - y) * next) / scale,
      scale: next,
    };
    drawing.current();
  };
  const pan = (dx: number, dy: number): void => {
    isTouched.current = true;
    view.current = { ...view.current, x: view.current.x + dx, y: view.current.y + dy };
    drawing.current();
  };
  const onWheel = (event: WheelEvent): void => {
    const box = canvas.current!.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey || Math.abs(event.deltaY) >= 100) {
      zoom(
        Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0015)),
        event.clientX - box.left,
        event.clientY - box.top,
      );
    } else pan(-event.deltaX, -event.deltaY);
  };
  const onMove = (event: PointerEvent): void => {
    if (grab.current !== undefined) {
      const { x, y } = grab.current;
      const isMoved = grab.current.isMoved || Math.hypot(event.clientX - x, event.clientY - y) > 4;
      if (isMoved) {
        pan(event.clientX - x, event.clientY - y);
        grab.current = { x: event.clientX, y: event.clientY, isMoved };
        setHover(undefined);
      }
      return;
    }
    const node = at(event);
    const box = canvas.current!.getBoundingClientRect();
    setHover(node && { node, x: event.clientX - box.left, y: event.clientY - box.top });
  };
  return (
    <div className="forest">
      <canvas
        ref={canvas}
        role="img"
        tabIndex={0}
        aria-label={`Ownership of ${snapshot.nodes.size} objects. The lists have the same objects as text.`}
        className={hover ? 'over' : ''}
        onWheel={onWheel}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          grab.current = { x: event.clientX, y: event.clientY, isMoved: false };
        }}
        onPointerMove={onMove}
        onPointerLeave={() => setHover(undefined)}
        onPointerUp={(event) => {
          const node = grab.current?.isMoved ? undefined : at(event);
          grab.current = undefined;
          if (node !== undefined) go(objectHref(node.kind, node));
        }}
        onKeyDown={(event) => {
          const moves: Record<string, [number, number]> = {
            ArrowLeft: [80, 0],
            ArrowRight: [-80, 0],
            ArrowUp: [0, 80],
            ArrowDown: [0, -80],
          };
          const move = moves[event.key];
          if (move !== undefined) pan(...move);
          else if (event.key === '+' || event.key === '=') zoom(1.25, size.width / 2, size.height / 2);
          else if (event.key === '-') zoom(0.8, size.width / 2, size.height / 2);
          else if (event.key === '0') {
            view.current = fitted(layout, size);
            drawing.current();
          } else return;
          event.preventDefault();
        }}
      />
      {hover && (
        <div className="tip" style={{ left: Math.min(hover.x + 14, size.width - 240), top: hover.y + 16 }}>
          <small>{hover.node.kind.kind}</small>
          <b>{hover.node.name}</b>
          <span>
            {hover.node.health.words || 'no status'} · {ageOf(Date.now() - hover.node.createdMs)}
          </span>
        </div>
      )}
    </div>
  );
}

/** All of it, no larger than life, its top in sight. */
function fitted({ width, height }: Layout, place: { width: number; height: number }): View {
  const scale = Math.max(
    0.08,
    Math.min(1, (place.width - 48) / Math.max(1, width), (place.height - 40) / Math.max(1, height)),
  );
  return {
    x: Math.max(24, (place.width - width * scale) / 2),
    y: Math.max(16, Math.min(48, (place.height - height * scale) / 2)),
    scale,
  };
}

function uidAt({ shapes }: Layout, x: number, y: number): string | undefined {
  for (const shape of shapes) {
    if (x < shape.x || y < shape.y || x > shape.x + shape.width || y > shape.y + shape.height) continue;
    if (shape.type === 'card') return shape.uid;
    const row = Math.floor((y - shape.y - CAPTION) / SQUARE);
    const column = Math.floor((x - shape.x) / SQUARE);
    return row < 0 || column >= shape.columns ? undefined : shape.uids[row * shape.columns + column];
  }
  return undefined;
}

type Colors = Readonly<
  Record<'good' | 'busy' | 'bad' | 'ending' | 'plain' | 'ink' | 'soft' | 'line' | 'card' | 'glow', string>
>;

function colorsOf(element: HTMLElement): Colors {
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

/** Returns whether something still fades. */
function paint(
  element: HTMLCanvasElement,
  layout: Layout,
  nodes: ReadonlyMap<string, Placed>,
  { x, y, scale }: View,
): boolean {
  const ratio = window.devicePixelRatio || 1;
  const { clientWidth: width, clientHeight: height } = element;
  if (element.width !== Math.round(width * ratio) || element.height !== Math.round(height * ratio)) {
    element.width = Math.round(width * ratio);
    element.height = Math.round(height * ratio);
  }
  const context = element.getContext('2d')!;
  const colors = colorsOf(element);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * x, ratio * y);
  const seen = { left: -x / scale, top: -y / scale, right: (width - x) / scale, bottom: (height - y) / scale };
  const isSeen = (shape: Shape): boolean =>
    shape.x < seen.right &&
    shape.x + shape.width > seen.left &&
    shape.y < seen.bottom &&
    shape.y + shape.height > seen.top;
  const pen: Pen = { context, colors, scale, nodes, nowMs: Date.now(), isMoving: false };
  context.lineWidth = Math.max(1, 0.6 / scale);
  for (const shape of layout.shapes)
    if (shape.parent && (isSeen(shape) || isSeen(shape.parent))) drawEdge(pen, shape, shape.parent);
  context.textBaseline = 'middle';
  for (const { text, x: left, y: top } of layout.headings) {
    if (top > seen.bottom || top + 40 < seen.top) continue;
    const pixels = Math.max(15, Math.min(40, 11 / scale));
    context.font = `600 ${pixels}px "Geist Variable", sans-serif`;
    context.fillStyle = colors.soft;
    context.fillText(text, left, top + 16);
  }
  for (const shape of layout.shapes) {
    if (!isSeen(shape)) continue;
    if (shape.type === 'card') drawCard(pen, shape);
    else drawBlock(pen, shape);
  }
  return pen.isMoving;
}

interface Pen {
  readonly context: CanvasRenderingContext2D;
  readonly colors: Colors;
  readonly scale: number;
  readonly nodes: ReadonlyMap<string, Placed>;
  readonly nowMs: number;
  isMoving: boolean;
}

function drawEdge({ context, colors }: Pen, shape: Shape, parent: Card): void {
  const fromX = parent.x + parent.width;
  const fromY = parent.y + parent.height / 2;
  const toY = shape.y + shape.height / 2;
  const middle = (fromX + shape.x) / 2;
  context.strokeStyle = colors.line;
  context.beginPath();
  context.moveTo(fromX, fromY);
  context.bezierCurveTo(middle, fromY, middle, toY, shape.x, toY);
  context.stroke();
}

/** Brightness of a change, from 1 to 0. */
function glowOf(pen: Pen, node: Placed): number {
  if (node.changedMs === 0) return 0;
  const left = 1 - (pen.nowMs - node.changedMs) / GLOW_MS;
  if (left <= 0) return 0;
  pen.isMoving = true;
  return isStill() ? 1 : left;
}

function fadeOf(pen: Pen, node: Placed): number {
  if (node.goneMs === 0) return 1;
  pen.isMoving = true;
  return Math.max(0, 1 - (pen.nowMs - node.goneMs) / GOING_MS) * 0.8;
}

function drawCard(pen: Pen, card: Card): void {
  const node = pen.nodes.get(card.uid);
  if (node === undefined) return;
  const { context, colors, scale } = pen;
  const { x, y, width, height } = card;
  const glow = glowOf(pen, node);
  context.globalAlpha = fadeOf(pen, node);
  if (glow > 0) {
    context.strokeStyle = colors.glow;
    context.lineWidth = (2 + 6 * glow) / Math.min(1, Math.max(0.3, scale));
    const alpha = context.globalAlpha;
    context.globalAlpha = alpha * 0.55 * glow;
    box(context, x, y, width, height, 8);
    context.stroke();
    context.globalAlpha = alpha;
  }
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
  } else {
    box(context, x + 8, y + 9, 4, height - 18, 2);
    context.fill();
    context.fillStyle = colors.soft;
    context.font = '500 10.5px "Geist Variable", sans-serif';
    context.fillText(node.kind.kind, x + 20, y + 12.5);
    const words = node.health.words;
    if (words !== '' && scale > 0.5) {
      context.textAlign = 'right';
      context.fillText(
        clipped(context, words, width - 40 - context.measureText(node.kind.kind).width),
        x + width - 10,
        y + 12.5,
      );
      context.textAlign = 'left';
    }
    context.fillStyle = colors.ink;
    context.font = '500 13px "Geist Variable", sans-serif';
    context.fillText(clipped(context, node.name, width - 30), x + 20, y + 27.5);
  }
  context.globalAlpha = 1;
}

function drawBlock(pen: Pen, block: Extract<Shape, { type: 'block' }>): void {
  const { context, colors, scale } = pen;
  if (scale > 0.25) {
    context.fillStyle = colors.soft;
    context.font = '500 11px "Geist Variable", sans-serif';
    context.fillText(block.label, block.x + 1, block.y + 7);
  }
  const inner = SQUARE - 4;
  block.uids.forEach((uid, index) => {
    const node = pen.nodes.get(uid);
    if (node === undefined) return;
    const x = block.x + (index % block.columns) * SQUARE + 1;
    const y = block.y + CAPTION + Math.floor(index / block.columns) * SQUARE;
    context.globalAlpha = fadeOf(pen, node);
    context.fillStyle = colors[node.health.tone];
    if (scale < 0.4) context.fillRect(x, y, inner, inner);
    else {
      box(context, x, y, inner, inner, 4);
      context.fill();
    }
    const glow = glowOf(pen, node);
    if (glow > 0) {
      context.globalAlpha = glow;
      context.strokeStyle = colors.glow;
      context.lineWidth = 2.5;
      box(context, x - 1, y - 1, inner + 2, inner + 2, 5);
      context.stroke();
    }
  });
  context.globalAlpha = 1;
}

function box(
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
