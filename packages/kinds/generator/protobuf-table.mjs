import { readFileSync } from 'node:fs';

/**
 * Makes the field table of machinery's protobuf codec, a line per message. Omits messages whose Go struct is not among
 * the facts (metrics, audit and a few unused ones): their JSON is unknown.
 */
export function generateProtobufTable(api) {
  const lines = Object.keys(api.messages)
    .filter((name) => api.go.byMessage.has(name))
    .map((name) => `  '${name}':\n    '${printMessage(api, name)}',\n`);
  const groups = Object.entries(
    JSON.parse(readFileSync(new URL('../facts/generated/go-groups.json', import.meta.url), 'utf8')),
  );
  const packages = groups.map(
    ([group, path]) => `  '${group}': '${path.replaceAll('/', '.').replaceAll('-', '_')}',\n`,
  );
  const text = [
    "import type { ProtobufTable } from '@pintle/machinery/protobuf';\n",
    `\nexport const messages: ProtobufTable = {\n${lines.join('')}};\n`,
    '\n/** The protobuf package of a group, its version left out. */\n',
    `export const packageOfGroup: Readonly<Record<string, string>> = {\n${packages.join('')}};\n`,
  ];
  return new Map([['messages.ts', text.join('')]]);
}

/** Messages whose JSON is not an object of their fields. */
const formOf = {
  Time: 'time',
  MicroTime: 'microTime',
  Duration: 'duration',
  Quantity: 'quantity',
  IntOrString: 'intOrString',
  RawExtension: 'json',
  FieldsV1: 'json',
  JSON: 'json',
  JSONSchemaPropsOrArray: 'schemaOrArray',
  JSONSchemaPropsOrBool: 'schemaOrBool',
  JSONSchemaPropsOrStringArray: 'schemaOrStrings',
};
const nameInForm = { Raw: 'raw', jSONSchemas: 'schemas' };

function printMessage(api, name) {
  const type = api.go.byMessage.get(name);
  const fields = Object.entries(api.messages[name]);
  if (type.kind === 'struct') return ['struct', ...structFields(type, fields)].join('|');
  const form = type.kind === 'slice' ? 'list' : formOf[name.split('.').at(-1)];
  return form === undefined ? 'struct' : [form, ...fields.map((field) => formField(form, field))].join('|');
}

/** Returns the fields in the order of the Go struct. */
function structFields(type, fields) {
  const byNumber = new Map(fields.map(([, field]) => [field[0], field]));
  return type.fields
    .filter((field) => byNumber.has(field.number))
    .map((field) => {
      const [number, messageType, repeated] = byNumber.get(field.number);
      const shape = repeated ? 'l' : messageType.startsWith('map<') ? 'm' : field.pointer ? 'o' : 'p';
      return `${number} ${field.embedded ? '+' : field.name} ${shape}${omits(field) ? 'o' : 'e'} ${valueType(messageType)}`;
    });
}

/** encoding/json omits empty values, but never a struct. */
function omits(field) {
  return field.omitZero || (field.omitEmpty && (field.pointer || field.kind !== 's'));
}

function formField(form, [name, [number, type, repeated]]) {
  const isMessage = /[A-Z]/.test(type);
  const shape = repeated ? 'l' : isMessage ? 'o' : 'p';
  return `${number} ${nameInForm[name] ?? name} ${shape}e ${form === 'json' ? 'json' : type}`;
}

function valueType(type) {
  return type.startsWith('map<string,') ? type.slice('map<string,'.length, -1) : type;
}
