/**
 * The path itself, when it leads to a field of T; otherwise the valid paths, so that the compiler's message has them:
 * `.spec.weight` for `.spec.wieght`. Paths that cannot be checked are accepted: fields of a record or of `unknown`,
 * wildcards, and paths that are not literals, such as `'…' as string`.
 */
export type PathOf<T, Path extends string> = string extends Path
  ? string
  : Path extends `.${string}`
    ? Walk<NonNullable<T>, Path, ''>
    : `.${Path}`;

/** `Rest` is the rest of the path from T on: `''`, `.name…` or `[…]…`. */
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

/** True for `any`, `unknown`, `object` and records, whose fields are not known. */
type IsOpen<T> = [keyof T] extends [never] ? true : string extends keyof T ? true : false;
