import { isStill } from '../../state/look.ts';
import { forgetWidths } from './ink.ts';
import { Lights } from './lights.ts';
import { Picture, type Scene, type Size, type View } from './picture.ts';

/** Keeps a scene on the page as its nodes change and the view moves: at most once a frame, and not at all while nothing does. */
export class Painter {
  readonly #picture: Picture;
  readonly #lights: Lights;
  readonly #view: () => View;
  #scene: Scene | undefined;
  #size: Size = { width: 0, height: 0 };
  #frame = 0;

  constructor(host: HTMLElement, canvas: HTMLCanvasElement, view: () => View) {
    this.#picture = new Picture(host);
    this.#lights = new Lights(canvas);
    this.#view = view;
    document.fonts.addEventListener('loadingdone', this.#onFonts);
  }

  show(scene: Scene, size: Size): void {
    this.#scene = scene;
    this.#size = size;
    this.#picture.scene = scene;
    this.schedule();
  }

  /** Nodes changed. */
  follow(uids: ReadonlySet<string>): void {
    for (const uid of uids) {
      this.#picture.touch(uid);
      this.#lights.add(uid);
    }
    if (uids.size > 0) this.schedule();
  }

  /** Paints with the next frame. */
  schedule(): void {
    if (this.#frame === 0) this.#frame = requestAnimationFrame(() => this.#paint());
  }

  close(): void {
    document.fonts.removeEventListener('loadingdone', this.#onFonts);
    cancelAnimationFrame(this.#frame);
    this.#picture.close();
  }

  /** Writes again what was written before the fonts were there. */
  readonly #onFonts = (): void => {
    forgetWidths();
    if (this.#scene !== undefined) this.show({ ...this.#scene }, this.#size);
  };

  #paint(): void {
    this.#frame = 0;
    if (this.#scene === undefined) return;
    const ratio = window.devicePixelRatio || 1;
    const view = this.#view();
    const isUnfinished = this.#picture.show(view, this.#size, ratio);
    const isMoving = this.#lights.draw(this.#scene, view, this.#size, ratio, isStill());
    if (isUnfinished || isMoving) this.schedule();
  }
}
