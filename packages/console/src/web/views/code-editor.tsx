import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { HighlightStyle, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic, lintGutter, setDiagnostics } from '@codemirror/lint';
import { EditorState, type Extension } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { useEffect, useRef } from 'react';

interface Props {
  readonly text: string;
  readonly label: string;
  readonly language?: Extension;
  readonly diagnostics: (source: string) => readonly Diagnostic[];
  /** Takes the keyboard at once. */
  readonly isFocused?: boolean;
  readonly onChange: (text: string) => void;
}

const colors = HighlightStyle.define([
  { tag: tags.propertyName, class: 'key' },
  { tag: tags.definition(tags.propertyName), class: 'key' },
  { tag: [tags.string, tags.content], class: 'string' },
  { tag: [tags.number, tags.bool, tags.null], class: 'number' },
  { tag: tags.comment, class: 'comment' },
]);

/** Edits a text; what is wrong with it stands at its lines. Another `key` begins with another text. */
export function CodeEditor({ text, label, language = [], diagnostics, isFocused = false, onChange }: Props) {
  const parent = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(undefined);
  const changed = useRef(onChange);
  changed.current = onChange;

  useEffect(() => {
    const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
    const view = new EditorView({
      parent: parent.current!,
      state: EditorState.create({
        doc: text,
        extensions: [
          EditorView.cspNonce.of(nonce),
          lineNumbers(),
          history(),
          drawSelection(),
          indentOnInput(),
          lintGutter(),
          language,
          syntaxHighlighting(colors),
          keymap.of([...defaultKeymap, ...historyKeymap, indentWithTab]),
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) changed.current(update.state.doc.toString());
          }),
        ],
      }),
    });
    editor.current = view;
    if (isFocused) view.focus();
    return () => view.destroy();
  }, []);

  useEffect(() => {
    const view = editor.current!;
    view.dispatch(setDiagnostics(view.state, diagnostics(view.state.doc.toString())));
  }, [text, diagnostics]);

  return <div ref={parent} className="yaml-editor" />;
}
