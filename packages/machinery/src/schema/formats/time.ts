/** Accepts `2006-01-02`, if the day exists. */
export function isDate(text: string): boolean {
  const match = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text);
  if (match === null) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  return month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
}

/** Accepts RFC 3339, in either case. As Kubernetes, ignores what follows a second `t`. */
export function isDateTime(text: string): boolean {
  const [date = '', time] = text.toLowerCase().split('t', 2);
  if (time === undefined || !isDate(date)) return false;
  const match = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})$/.exec(time);
  return match !== null && Number(match[1]) <= 23 && Number(match[2]) <= 59 && Number(match[3]) <= 59;
}

/** Accepts a duration as Go writes it (`1h30m`), or any text with a number and a unit (`3 days`). */
export function isDuration(text: string): boolean {
  if (/^[-+]?0$/.test(text)) return true;
  if (/^[-+]?(?:(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return true;
  return holdsNumberWithUnit(text);
}

function daysIn(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

function holdsNumberWithUnit(text: string): boolean {
  let found = false;
  let at = 0;
  while (at < text.length) {
    const digits = runLength(text, at, isDigit);
    if (digits === 0) {
      at++;
      continue;
    }
    const spaces = runLength(text, at + digits, isSpace);
    const unitAt = at + digits + spaces;
    const unit = text.slice(unitAt, unitAt + runLength(text, unitAt, isUnitLetter)).toLowerCase();
    if (unit !== '' && BigInt(text.slice(at, at + Math.min(digits, 30))) > maxInt64) return false;
    found ||= unit !== '' && isUnit(unit);
    at = unitAt + unit.length;
  }
  return found;
}

const maxInt64 = 2n ** 63n - 1n;

const exactUnits: ReadonlySet<string> = new Set(['ns', 'us', 'µs', 'ms', 's', 'm', 'h', 'hr', 'd', 'w', 'wk']);
const unitBeginnings = ['nano', 'micro', 'milli', 'sec', 'min', 'hour', 'day', 'week'];

function isUnit(word: string): boolean {
  return exactUnits.has(word) || unitBeginnings.some((beginning) => word.startsWith(beginning));
}

function runLength(text: string, start: number, accepts: (character: string) => boolean): number {
  let end = start;
  while (end < text.length && accepts(text[end]!)) end++;
  return end - start;
}

const isDigit = (character: string) => character >= '0' && character <= '9';
const isSpace = (character: string) => ' \t\n\f\r'.includes(character);
const isUnitLetter = (character: string) => /[A-Za-zµ]/.test(character);
