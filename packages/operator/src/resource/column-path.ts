/**
 * The path, where it leads to a field of T; where it does not, what could stand in its place, so that the compiler's
 * message names it: `.spec.weight` of `.spec.wieght`. What cannot be known is taken as it is: fields of a record or of
 * `unknown`, wildcards, and paths that are no literals, such as `'…' as string`.
 */
export type PathOf<T, Path extends string> = string extends Path
  ? string
  : Path extends `.${string}`
    ? Walk<NonNullable<T>, Path, ''>
    : `.${Path}`;

/** `Rest` is what remains of the path from T on: `''`, `.name…` or `[…]…`. */
type Walk<T, Rest extends string, Before extends string> = Rest extends ''
  ? Before
  : IsOpen<T> extends true
    ? `${Before}${Rest}`
    : Rest extends `.${infer After}`
      ? WalkField<T, FirstName<After>, After, Before>
      : Rest extends `[${infer Inside}]${infer After}`
        ? T extends readonly (infer Item)[]
          ? Walk<NonNullable<Item>, After, `${Before}[${Inside}]`>
          : Before
        : Before;

type WalkField<T, Name extends string, After extends string, Before extends string> = Name extends '' | '*'
  ? `${Before}.${After}`
  : Name extends FieldName<T>
    ? After extends `${Name}${infer Rest}`
      ? Walk<NonNullable<FieldOf<T, Name>>, Rest, `${Before}.${Name}`>
      : never
    : `${Before}${[FieldName<T>] extends [never] ? '' : `.${FieldName<T>}`}`;

type FirstName<Text extends string> = UpTo<UpTo<Text, '.'>, '['>;
type UpTo<Text extends string, Mark extends string> = Text extends `${infer Head}${Mark}${string}` ? Head : Text;

type FieldName<T> = T extends readonly unknown[] ? never : T extends object ? keyof T & string : never;
type FieldOf<T, Name extends string> = T extends unknown ? (Name extends keyof T ? T[Name] : never) : never;

/** `any`, `unknown`, `object` and records: nobody can say which fields there are. */
type IsOpen<T> = [keyof T] extends [never] ? true : string extends keyof T ? true : false;
