import { isQuantity, malformed, Quantity, readQuantity } from '@pintle/machinery/quantity';
import { BOOL, DOUBLE, INT, STRING, structType, type Type } from '../types/type.ts';
import { type Int, toInt } from '../values/numbers.ts';
import { CelError, Double, OpaqueValue, type Value } from '../values/value.ts';
import { func, global, type Library, member } from './declare.ts';

const QUANTITY = structType('kubernetes.Quantity');

class QuantityValue extends OpaqueValue {
  readonly type: Type = QUANTITY;
  readonly quantity: Quantity;

  constructor(quantity: Quantity) {
    super();
    this.quantity = quantity;
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof QuantityValue && this.quantity.equals(other.quantity);
  }
}

function toQuantity(text: string): Value {
  const read = text === text.trim() ? readQuantity(text) : malformed;
  return typeof read === 'string' ? new CelError(read) : new QuantityValue(read);
}

function asInteger({ quantity }: QuantityValue): Value {
  const value = quantity.asInt64();
  return value === undefined ? new CelError('cannot convert value to integer') : toInt(value);
}

const whole = (value: Int): Quantity => new Quantity(BigInt(value), 0, 'DecimalExponent');
const compare = (a: QuantityValue, b: QuantityValue): number => a.quantity.compare(b.quantity);
const sum = (a: QuantityValue, b: Quantity): Value => new QuantityValue(a.quantity.add(b));
const difference = (a: QuantityValue, b: Quantity): Value => new QuantityValue(a.quantity.subtract(b));

const two = [QUANTITY, QUANTITY];

export const quantityLibrary: Library = {
  name: 'kubernetes.quantity',
  functions: [
    func('quantity', global('string_to_quantity', [STRING], QUANTITY, toQuantity)),
    func(
      'isQuantity',
      global('is_quantity_string', [STRING], BOOL, (text: string) => isQuantity(text)),
    ),
    func(
      'sign',
      global('quantity_sign', [QUANTITY], INT, ({ quantity }: QuantityValue) => quantity.sign),
    ),
    func(
      'isGreaterThan',
      member('quantity_is_greater_than', two, BOOL, (a: QuantityValue, b: QuantityValue) => compare(a, b) > 0),
    ),
    func(
      'isLessThan',
      member('quantity_is_less_than', two, BOOL, (a: QuantityValue, b: QuantityValue) => compare(a, b) < 0),
    ),
    func('compareTo', member('quantity_compare_to', two, INT, compare)),
    func(
      'asApproximateFloat',
      member(
        'quantity_get_float',
        [QUANTITY],
        DOUBLE,
        ({ quantity }: QuantityValue) => new Double(quantity.toNumber()),
      ),
    ),
    func('asInteger', member('quantity_get_int', [QUANTITY], INT, asInteger)),
    func(
      'isInteger',
      member(
        'quantity_is_integer',
        [QUANTITY],
        BOOL,
        ({ quantity }: QuantityValue) => quantity.asInt64() !== undefined,
      ),
    ),
    func(
      'add',
      member('quantity_add', two, QUANTITY, (a: QuantityValue, b: QuantityValue) => sum(a, b.quantity)),
      member('quantity_add_int', [QUANTITY, INT], QUANTITY, (a: QuantityValue, b: Int) => sum(a, whole(b))),
    ),
    func(
      'sub',
      member('quantity_sub', two, QUANTITY, (a: QuantityValue, b: QuantityValue) => difference(a, b.quantity)),
      member('quantity_sub_int', [QUANTITY, INT], QUANTITY, (a: QuantityValue, b: Int) => difference(a, whole(b))),
    ),
  ],
};
