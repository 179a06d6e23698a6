import type { ShardField, ShardSelector } from '@pintle/machinery/selectors';
import { slotSelector } from '@pintle/machinery/selectors';

/** Slots whose objects informers have. They change while the informers run. */
export interface SlotSource {
  readonly slots: ReadonlySet<number>;
  /** Called when an informer has the objects of other slots than before. */
  covered(): void;
  /** Called once when the server does not select by this field, and informers filter what they receive. */
  unsupported(field: ShardField): void;
}

/** Part of a kind's objects that an informer has: those in slots by one field. */
export class ShardView {
  readonly field: ShardField;
  readonly source: SlotSource;
  /** `undefined` until the first list shows it. */
  isSelectedByServer: boolean | undefined;

  constructor(field: ShardField, source: SlotSource) {
    this.field = field;
    this.source = source;
  }

  selectorOf(slots: Iterable<number>): ShardSelector {
    return slotSelector(this.field, slots);
  }
}
