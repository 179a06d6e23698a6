/** Returns the shortest digits that read back as the same number, in Go's general format: `1.5`, `1e+06`, `1e-07`. */
export function formatFloat(value: number, bits: 32 | 64 = 64): string {
  const [mantissa, exponent] = (bits === 64 ? value.toExponential() : shortestSingle(value)).split('e');
  const power = Number(exponent);
  if (power >= -4 && power < 6) return withoutExponent(mantissa!, power);
  const sign = power < 0 ? '-' : '+';
  return `${mantissa}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}

/** Nine digits distinguish any two singles. */
function shortestSingle(value: number): string {
  const single = Math.fround(value);
  for (let digits = 0; digits < 9; digits++) {
    const text = value.toExponential(digits);
    if (Math.fround(Number(text)) === single) return text;
  }
  return value.toExponential(9);
}

function withoutExponent(mantissa: string, power: number): string {
  return String(Number(`${mantissa}e${power}`));
}
