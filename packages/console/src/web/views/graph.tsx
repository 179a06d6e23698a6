import { type PointerEvent, useEffect, useMemo, useRef, useState, useSyncExternalStore, type WheelEvent } from 'react';
import { catalog } from '../live/catalog.ts';
import { type Forest, forestOf, type Placed } from '../live/forest.ts';
import { type Layout, layOut, uidAt } from '../live/layout.ts';
import { Empty, Freshness, isStale, Unreadable } from '../parts/small.tsx';
import { theme, useNow } from '../state/look.ts';
import { adjust, atOf, go, usePlace } from '../state/router.ts';
import { useStore } from '../state/store.ts';
import { ageOf, plural } from '../text/words.ts';
import { colorsOf } from './graph/ink.ts';
import { Painter } from './graph/painter.ts';
import type { View } from './graph/picture.ts';
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

/** Shows a forest: what is in sight, in as much detail as there is room for. React sees only other shapes of it. */
export function ForestCanvas({ forest, isAll, root }: { forest: Forest; isAll: boolean; root?: string }) {
  const shape = useSyncExternalStore(forest.subscribe, () => forest.snapshot().shape);
  const host = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const [size, setSize] = useState({ width: 0, height: 0 });
  const [hover, setHover] = useState<{ node: Placed; x: number; y: number }>();
  const view = useRef<View>({ x: 24, y: 16, scale: 1 });
  const isTouched = useRef(false);
  const look = useStore(theme);
  const layout = useMemo(
    () => layOut(forest.snapshot(), { isAll, aspect: size.height === 0 ? 1.6 : size.width / size.height, root }),
    [forest, shape, isAll, root, size.width > 0],
  );
  const painter = useRef<Painter>(undefined);

  useEffect(() => {
    const element = canvas.current!;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    painter.current = new Painter(host.current!, element, () => view.current);
    return () => {
      observer.disconnect();
      painter.current!.close();
    };
  }, []);

  if (!isTouched.current && size.width > 0) view.current = fitted(layout, size);

  useEffect(() => {
    const colors = colorsOf(canvas.current!);
    painter.current!.show({ layout, colors, nodes: () => forest.snapshot().nodes }, size);
  }, [layout, size, look, forest]);

  useEffect(() => forest.subscribe(() => painter.current!.follow(forest.snapshot().changed)), [forest]);

  const at = (event: { clientX: number; clientY: number }): Placed | undefined => {
    const box = canvas.current!.getBoundingClientRect();
    const { x, y, scale } = view.current;
    const uid = uidAt(layout, (event.clientX - box.left - x) / scale, (event.clientY - box.top - y) / scale);
    return uid === undefined ? undefined : forest.snapshot().nodes.get(uid);
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
    painter.current!.schedule();
  };
  const pan = (dx: number, dy: number): void => {
    isTouched.current = true;
    view.current = { ...view.current, x: view.current.x + dx, y: view.current.y + dy };
    painter.current!.schedule();
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
      <div ref={host} className="picture" aria-hidden="true" />
      <canvas
        ref={canvas}
        role="img"
        tabIndex={0}
        aria-label={`Ownership of ${forest.snapshot().nodes.size} objects. The lists have the same objects as text.`}
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
            painter.current!.schedule();
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
