import type { KeyboardEvent, ReactNode } from 'react';
import { adjust, usePlace } from '../state/router.ts';

interface Props {
  readonly title: string;
  /** Beside the title. */
  readonly beside?: ReactNode;
  /** Before the filter. */
  readonly controls?: ReactNode;
  readonly onFilterKey?: (event: KeyboardEvent<HTMLInputElement>) => void;
  /** After the filter: how much is shown, and how fresh it is. */
  readonly children?: ReactNode;
}

/** Head of a pane that is filtered by what the address says. */
export function PaneHead({ title, beside, controls, onFilterKey, children }: Props) {
  const { query } = usePlace();
  return (
    <header>
      <h1>{title}</h1>
      {beside}
      <span className="spring" />
      {controls}
      <input
        data-filter
        type="search"
        aria-label="Filter"
        placeholder="Filter   /"
        value={query.q ?? ''}
        onChange={(event) => adjust({ q: event.target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape') event.currentTarget.blur();
          onFilterKey?.(event);
        }}
      />
      {children}
    </header>
  );
}
