import { useEffect, useState } from 'react';
import type { Json } from '../../api/objects.ts';
import type { FieldSchema, FieldType } from '../../api/schemas.ts';
import { parseYaml, readValueOf } from '../../text/edited-yaml.ts';
import { yamlText } from '../../text/yaml-lines.ts';
import type { ControlIds } from './form.tsx';

interface ControlProps extends ControlIds {
  readonly schema: FieldSchema;
  readonly label: string;
  readonly value: Json | undefined;
  /** `undefined` removes the field. */
  readonly onChange: (value: Json | undefined) => void;
}

const SCALARS: ReadonlySet<FieldType> = new Set(['string', 'integer', 'number', 'boolean', 'int-or-string']);

export function isScalarType(type: FieldType): boolean {
  return SCALARS.has(type);
}

/** Returns the value that a field gets when a person adds it. */
export function initialOf(schema: FieldSchema): Json {
  const { type, default: preset, values, minimum = 0 } = schema;
  if (preset !== undefined) return preset;
  if (values.length > 0) return values[0]!;
  switch (type) {
    case 'array':
      return [];
    case 'object':
    case 'map':
    case 'any':
      return {};
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return Math.max(0, minimum);
    case 'string':
    case 'int-or-string':
      return '';
  }
}

/** Edits one value: a choice, a number or a text. */
export function Control({ schema, value, onChange, label, ...ids }: ControlProps) {
  const { type, values, default: preset } = schema;
  const unset = preset === undefined ? 'not set' : `not set (${preset})`;
  if (type === 'boolean' || values.length > 0) {
    const choices = type === 'boolean' ? [true, false] : values;
    const isOther = value !== undefined && !choices.some((each) => sameText(each, value));
    return (
      <select
        {...ids}
        value={value === undefined ? '' : textOf(value)}
        onChange={({ target }) => onChange(choices.find((each) => sameText(each, target.value)))}
      >
        <option value="">{unset}</option>
        {isOther && <option value={textOf(value)}>{textOf(value)}</option>}
        {choices.map((each) => (
          <option key={textOf(each)} value={textOf(each)}>
            {textOf(each)}
          </option>
        ))}
      </select>
    );
  }
  return <TextControl {...ids} type={type} value={value} placeholder={unset} onChange={onChange} />;
}

interface TextControlProps extends ControlIds, Pick<ControlProps, 'value' | 'onChange'> {
  readonly type: FieldType;
  readonly placeholder: string;
}

/** Keeps what a person types until it is a value of the type, and removes the field when it is empty. */
function TextControl({ type, value, placeholder, onChange, ...ids }: TextControlProps) {
  const shown = value === undefined ? '' : textOf(value);
  const [draft, setDraft] = useState(shown);
  useEffect(() => {
    if (!sameText(readValue(type, draft), value)) setDraft(shown);
  }, [shown]);
  const change = (text: string): void => {
    setDraft(text);
    onChange(text === '' ? undefined : readValue(type, text));
  };
  const common = { ...ids, value: draft, placeholder, spellCheck: false, autoComplete: 'off' };
  if (draft.includes('\n')) {
    return (
      <textarea
        {...common}
        rows={Math.min(16, draft.split('\n').length + 1)}
        onChange={(event) => change(event.target.value)}
      />
    );
  }
  return (
    <input
      {...common}
      inputMode={type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : 'text'}
      onChange={(event) => change(event.target.value)}
      onPaste={(event) => {
        // An input drops line breaks; the pasted text keeps them.
        const text = event.clipboardData.getData('text/plain');
        if (type !== 'string' || !text.includes('\n')) return;
        event.preventDefault();
        change(text.replaceAll('\r\n', '\n'));
      }}
    />
  );
}

/** Reads a text as a value of the type. Texts that are not of it stay texts: the server says what is wrong. */
function readValue(type: FieldType, text: string): Json | undefined {
  if (text === '') return undefined;
  const isInteger = /^-?(?:0|[1-9]\d*)$/.test(text);
  if (type !== 'string' && isInteger) return BigInt(text);
  if (type === 'number' && /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/i.test(text)) return Number(text);
  return text;
}

function textOf(value: Json): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

function sameText(a: Json | undefined, b: Json | undefined): boolean {
  return a === undefined || b === undefined ? a === b : textOf(a) === textOf(b);
}

interface RawProps extends ControlIds {
  readonly value: Json;
  readonly label: string;
  readonly onChange: (value: Json) => void;
}

/** Edits a value without a schema, as YAML. */
export function Raw({ value, label, onChange, ...ids }: RawProps) {
  const shown = yamlText(value);
  const [draft, setDraft] = useState(shown);
  const [isBroken, setBroken] = useState(false);
  useEffect(() => {
    if (readRaw(draft) === undefined || yamlText(readRaw(draft)!) !== shown) setDraft(shown);
  }, [shown]);
  return (
    <>
      <textarea
        {...ids}
        spellCheck={false}
        rows={Math.min(16, draft.split('\n').length + 1)}
        value={draft}
        onChange={({ target }) => {
          setDraft(target.value);
          const read = readRaw(target.value);
          setBroken(read === undefined);
          if (read !== undefined) onChange(read);
        }}
      />
      {isBroken && <p className="problem">{label} is not valid YAML.</p>}
    </>
  );
}

function readRaw(text: string): Json | undefined {
  const document = parseYaml(text);
  try {
    return document.errors.length > 0 ? undefined : readValueOf(document);
  } catch {
    return undefined;
  }
}
