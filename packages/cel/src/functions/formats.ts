import {
  dns1035LabelName,
  dns1123LabelName,
  dns1123SubdomainName,
  validateLabelValue,
  validateQualifiedName,
} from '@pintle/machinery/names';
import { formatCheck, isRequestUri } from '@pintle/machinery/schema';
import { listType, optionalType, STRING, structType, type Type } from '../types/type.ts';
import { ArrayList } from '../values/list.ts';
import { OpaqueValue, OptionalValue, type Value } from '../values/value.ts';
import { func, global, type Library, member } from './declare.ts';
import { requestUriProblem } from './urls.ts';

const FORMAT = structType('kubernetes.NamedFormat');

type Validate = (text: string) => readonly string[];

/** A named format that strings are validated against. */
class NamedFormat extends OpaqueValue {
  readonly type: Type = FORMAT;
  readonly name: string;
  readonly validate: Validate;
  readonly #regexSize: number;

  constructor(name: string, regexSize: number, validate: Validate) {
    super();
    this.name = name;
    this.validate = validate;
    this.#regexSize = regexSize;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof NamedFormat && other.name === this.name;
  }

  /** Size of the regular expression that Kubernetes charges for. */
  override get size(): number {
    return this.#regexSize;
  }
}

/** Returns a format of OpenAPI schemas. */
function openApi(name: string, regexSize: number, typeError: string): NamedFormat {
  const isValid = formatCheck(name)!;
  return new NamedFormat(name, regexSize, (text) => (isValid(text) ? [] : [typeError]));
}

const uri = new NamedFormat('uri', 1103, (text) => (isRequestUri(text) ? [] : [requestUriProblem(text)]));
/** Length of the pattern for times, which Kubernetes uses for dates as well. */
const dateTimeRegexSize = 80;

const formats: ReadonlyMap<string, NamedFormat> = new Map(
  [
    new NamedFormat('dns1123Label', 30, (text) => dns1123LabelName(text, false)),
    new NamedFormat('dns1123Subdomain', 60, (text) => dns1123SubdomainName(text, false)),
    new NamedFormat('dns1035Label', 30, (text) => dns1035LabelName(text, false)),
    new NamedFormat('qualifiedName', 60, validateQualifiedName),
    new NamedFormat('dns1123LabelPrefix', 30, (text) => dns1123LabelName(text, true)),
    new NamedFormat('dns1123SubdomainPrefix', 60, (text) => dns1123SubdomainName(text, true)),
    new NamedFormat('dns1035LabelPrefix', 30, (text) => dns1035LabelName(text, true)),
    new NamedFormat('labelValue', 40, validateLabelValue),
    uri,
    openApi('uuid', 83, 'does not match the UUID format'),
    openApi('byte', 84, 'invalid base64'),
    openApi('date', dateTimeRegexSize, 'invalid date'),
    openApi('datetime', dateTimeRegexSize, 'invalid datetime'),
  ].map((format) => [format.name, format]),
);

function validate(format: NamedFormat, text: string): Value {
  const problems = format.validate(text);
  return problems.length === 0 ? OptionalValue.none : OptionalValue.of(new ArrayList(problems));
}

function named(name: string): Value {
  const format = formats.get(name);
  return format === undefined ? OptionalValue.none : OptionalValue.of(format);
}

export const formatLibrary: Library = {
  name: 'kubernetes.format',
  functions: [
    func('validate', member('format-validate', [FORMAT, STRING], optionalType(listType(STRING)), validate)),
    func('format.named', global('format-named', [STRING], optionalType(FORMAT), named)),
    ...Array.from(formats, ([name, format]) =>
      func(
        `format.${name}`,
        global(`format.${name}`, [], FORMAT, () => format),
      ),
    ),
  ],
};
