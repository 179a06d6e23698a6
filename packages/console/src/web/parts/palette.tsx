import { useMemo, useState } from 'react';
import { apiVersionOf, kindId } from '../api/kinds.ts';
import { catalog } from '../live/catalog.ts';
import { go, hrefOf } from '../state/router.ts';
import { useStore } from '../state/store.ts';

interface Target {
  readonly text: string;
  readonly hint: string;
  readonly words: string;
  readonly href: string;
}

/** Goes anywhere by a few letters. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { kinds } = useStore(catalog);
  const [text, setText] = useState('');
  const [at, setAt] = useState(0);
  const targets = useMemo((): Target[] => {
    const views = [
      { text: 'Overview', hint: 'what there is, what happens', words: 'overview home', href: hrefOf([]) },
      { text: 'Ownership', hint: 'who owns what, live', words: 'ownership graph tree', href: hrefOf(['graph']) },
      {
        text: 'Operators',
        hint: 'controllers, queues, reconciles',
        words: 'operators controllers queues reconciles',
        href: hrefOf(['operators']),
      },
      { text: 'Access', hint: 'who may do what', words: 'access who can rbac rights roles', href: hrefOf(['access']) },
      {
        text: 'Rules',
        hint: 'try CEL expressions',
        words: 'rules cel expressions validation',
        href: hrefOf(['rules']),
      },
      { text: 'Requests', hint: 'requests and watches', words: 'requests watches denied', href: hrefOf(['requests']) },
    ];
    const lists = kinds.map((kind) => ({
      text: kind.kind,
      hint: apiVersionOf(kind),
      words: [kind.kind, kindId(kind), ...kind.shortNames].join(' ').toLowerCase(),
      href: hrefOf(['o', kindId(kind)]),
    }));
    return [...views, ...lists];
  }, [kinds]);
  const wanted = text.trim().toLowerCase();
  const found = targets
    .filter(({ words }) => words.includes(wanted))
    .sort((a, b) => rank(a, wanted) - rank(b, wanted))
    .slice(0, 12);
  const follow = (target: Target | undefined): void => {
    if (target === undefined) return;
    onClose();
    go(target.href);
  };
  return (
    <div className="veil" onPointerDown={(event) => event.target === event.currentTarget && onClose()}>
      <div className="palette" role="dialog" aria-label="Go to" aria-modal="true">
        <input
          // biome-ignore lint/a11y/noAutofocus: the person has just asked to type here.
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-found"
          aria-activedescendant={`palette-${at}`}
          aria-label="Go to"
          placeholder="Go to a kind or a view"
          value={text}
          onChange={(event) => {
            setText(event.target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Escape') onClose();
            else if (event.key === 'Enter') follow(found[at]);
            else if (event.key === 'ArrowDown') setAt(Math.min(found.length - 1, at + 1));
            else if (event.key === 'ArrowUp') setAt(Math.max(0, at - 1));
            else return;
            event.preventDefault();
          }}
        />
        <div role="listbox" id="palette-found" aria-label="Found">
          {found.map((target, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: keys are heard by the combobox.
            <div
              key={target.href}
              id={`palette-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === at}
              onClick={() => follow(target)}
              onPointerMove={() => setAt(index)}
            >
              <span>{target.text}</span>
              <small>{target.hint}</small>
            </div>
          ))}
          {found.length === 0 && <p>Nothing is called that.</p>}
        </div>
      </div>
    </div>
  );
}

/** Names that begin with what was typed come first, short names before all. */
function rank({ text, words }: Target, wanted: string): number {
  if (words.split(' ').includes(wanted)) return 0;
  return text.toLowerCase().startsWith(wanted) ? 1 : 2;
}
