/** Binary forms that are composed of other forms. */
import { Mismatch } from '../schema/schema.ts'
import { isPlain } from '../schema/structures.ts'
import type { Codec } from './codec.ts'
import { Malformed, type RecordReader } from './record-reader.ts'
import type { RecordWriter } from './record-writer.ts'

type Fields = Readonly<Record<string, unknown>>

export interface OptionalField<T> {
  readonly optional: Codec<T>
}

/** A field that may be absent. `undefined` counts as absent. */
export const optional = <T>(codec: Codec<T>): OptionalField<T> => ({ optional: codec })

/** One entry for each field of `T`, in the order of the form. A missing, unknown or wrongly typed field does not compile. */
export type FormOf<T> = {
  readonly [K in keyof T]-?: {} extends Pick<T, K> ? OptionalField<Exclude<T[K], undefined>> : Codec<T[K]>
}

/** The fields of a plain object. Accessors of a class could hide those of an instance. @throws Mismatch */
export function fieldsOf(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw Mismatch.wrongType('an object', value)
  if (!isPlain(value)) throw new Mismatch('must be a plain object, not an instance of a class')
  return value as Fields
}

interface Field {
  readonly name: string
  readonly codec: Codec<unknown>
  /** The bit of an optional field that is present; 0 for the other fields. */
  readonly bit: number
}

/** Eight optional fields have one byte of bits. No form has more than that. */
const optionalMax = 8

/** An object with fixed fields: a byte with a bit for each optional field, if there are any, then the fields. */
export class Struct<T extends object> implements Codec<T> {
  readonly #fields: readonly Field[]
  /** The bits of all optional fields. */
  readonly #bits: number

  constructor(form: FormOf<T>) {
    let bits = 0
    this.#fields = Object.entries(form as Readonly<Record<string, Codec<unknown> | OptionalField<unknown>>>).map(
      ([name, field]) => {
        if (!('optional' in field)) return { name, codec: field, bit: 0 }
        const bit = bits + 1
        bits += bit
        return { name, codec: field.optional, bit }
      },
    )
    if (bits >= 1 << optionalMax) throw new TypeError('A form has too many optional fields.')
    this.#bits = bits
  }

  write(to: RecordWriter, value: T): void {
    const from = fieldsOf(value)
    const place = this.#bits === 0 ? 0 : to.skip()
    let present = 0
    let name = ''
    try {
      for (const field of this.#fields) {
        name = field.name
        const found = from[name]
        if (found === undefined && field.bit !== 0) continue
        present |= field.bit
        field.codec.write(to, found)
      }
    } catch (error) {
      throw Mismatch.within(name, error)
    }
    if (present !== 0) to.patch(place, present)
  }

  read(from: RecordReader): T {
    const into: Record<string, unknown> = {}
    this.readInto(from, into)
    return into as T
  }

  /** Reads the fields into an object that has others. */
  readInto(from: RecordReader, into: Record<string, unknown>): void {
    const present = this.#bits === 0 ? 0 : from.byte()
    if ((present & ~this.#bits) !== 0) throw new Malformed('an unknown field')
    for (const { name, codec, bit } of this.#fields) {
      if (bit === 0 || (present & bit) !== 0) into[name] = codec.read(from)
    }
  }
}

export const struct = <T extends object>(form: FormOf<T>): Struct<T> => new Struct<T>(form)

/** Several structures one behind the other, whose fields are those of one object. */
export function joined<A extends object, B extends object>(first: Struct<A>, second: Struct<B>): Codec<A & B>
export function joined<A extends object, B extends object, C extends object>(
  first: Struct<A>,
  second: Struct<B>,
  third: Struct<C>,
): Codec<A & B & C>
export function joined(...parts: readonly Struct<object>[]): Codec<object> {
  return {
    write(to, value) {
      for (const part of parts) part.write(to, value)
    },
    read(from) {
      const into: Record<string, unknown> = {}
      for (const part of parts) part.readInto(from, into)
      return into
    },
  }
}

/** A value, or `null`: a byte that says which, then the value. */
export const nullable = <T>(codec: Codec<T>): Codec<T | null> => ({
  write(to, value) {
    to.byte(value === null ? 0 : 1)
    if (value !== null) codec.write(to, value)
  },
  read(from) {
    const byte = from.byte()
    if (byte > 1) throw new Malformed('an unknown kind')
    return byte === 0 ? null : codec.read(from)
  },
})

/** The number of values, then the values. Each value has a byte at least. */
export function list<T>(codec: Codec<T>): Codec<readonly T[]> {
  return {
    write(to, value) {
      if (!Array.isArray(value)) throw Mismatch.wrongType('an array', value)
      // The length may change while a getter runs.
      const { length } = value
      to.count(length)
      for (let i = 0; i < length; i++) {
        try {
          codec.write(to, value[i] as T)
        } catch (error) {
          throw Mismatch.within(`[${i}]`, error)
        }
      }
    },
    read(from) {
      const length = from.count()
      if (length > from.left) throw new Malformed('a list that is too long')
      const values: T[] = []
      for (let i = 0; i < length; i++) values.push(codec.read(from))
      return values
    },
  }
}

/** Two values of one type. */
export function pair<T>(codec: Codec<T>): Codec<readonly [T, T]> {
  return {
    write(to, value) {
      if (!Array.isArray(value) || value.length !== 2) throw new Mismatch('must have two entries')
      codec.write(to, value[0] as T)
      codec.write(to, value[1] as T)
    },
    read: (from) => [codec.read(from), codec.read(from)],
  }
}

/** An object whose field `tag` names its kind: a byte with the place of the kind, then the other fields. */
export function tagged<T extends object, K extends keyof T & string>(
  tag: K,
  kinds: { readonly [V in T[K] & string]: Struct<Omit<Extract<T, Readonly<Record<K, V>>>, K>> },
): Codec<T> {
  const names = Object.keys(kinds)
  const codecs = Object.values<Struct<object>>(kinds)
  return {
    write(to, value) {
      const kind = fieldsOf(value)[tag]
      const place = names.indexOf(kind as string)
      if (place < 0) throw Mismatch.within(tag, Mismatch.wrongType(`one of ${names.join(', ')}`, kind))
      to.byte(place)
      codecs[place]?.write(to, value)
    },
    read(from) {
      const place = from.byte()
      const codec = codecs[place]
      if (codec === undefined) throw new Malformed('an unknown kind')
      const into: Record<string, unknown> = {}
      into[tag] = names[place]
      codec.readInto(from, into)
      return into as T
    },
  }
}
