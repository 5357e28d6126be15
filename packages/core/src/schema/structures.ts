/** Schemas that are composed of other schemas. */
import { insteadOf, shortened } from './nearest.ts'
import { assertUnicode } from './scalars.ts'
import { type Bounds, callBounds, type JsonSchema, Mismatch, type Reader, type Schema } from './schema.ts'

export interface OptionalField<T> {
  readonly optional: Schema<T>
}

/** A field that may be absent. `undefined` counts as absent. */
export const optional = <T>(schema: Schema<T>): OptionalField<T> => ({ optional: schema })

/** One entry for each field of `T`. A missing, unknown or wrongly typed field does not compile. */
export type FieldsOf<T> = {
  readonly [K in keyof T]-?: {} extends Pick<T, K> ? OptionalField<Exclude<T[K], undefined>> : Schema<T[K]>
}

interface Field {
  readonly name: string
  readonly schema: Schema<unknown>
  readonly isOptional: boolean
}

/** True for plain objects of any realm. Class instances are not accepted: accessors could hide their fields. */
export function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null || Object.getPrototypeOf(prototype) === null
}

/** @throws Mismatch */
function plainObject(value: unknown, fields: readonly string[] = []): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw Mismatch.wrongType(fields.length === 0 ? 'an object' : `an object with ${shortened(fields)}`, value)
  if (!isPlain(value)) throw new Mismatch('must be a plain object, not an instance of a class')
  return value as Readonly<Record<string, unknown>>
}

interface Reading {
  readonly from: Readonly<Record<string, unknown>>
  readonly copy: Record<string, unknown>
  readonly bounds: Bounds | undefined
}

class ObjectSchema<T extends object> implements Schema<T> {
  readonly #fields: readonly Field[]
  readonly #byName: ReadonlyMap<string, Field>
  readonly #names: readonly string[]
  readonly #required: readonly string[]

  readonly #passesOver: boolean

  constructor(fields: readonly Field[], passesOver: boolean) {
    this.#passesOver = passesOver
    this.#fields = fields
    this.#names = fields.map(({ name }) => name)
    this.#byName = new Map(fields.map((field) => [field.name, field]))
    this.#required = fields.filter(({ isOptional }) => !isOptional).map(({ name }) => name)
  }

  read(value: unknown, bounds?: Bounds): T {
    const from = plainObject(value, this.#names)
    const copy: Record<string, unknown> = {}
    const reading = { from, copy, bounds }
    for (const name of Object.keys(from)) {
      const field = this.#byName.get(name)
      if (field === undefined) {
        if (this.#passesOver) continue
        throw new Mismatch(this.#unknown(name))
      }
      this.#readField(field, reading)
    }
    for (const name of this.#required) if (!Object.hasOwn(copy, name)) throw new Mismatch('is missing', [name])
    return Object.freeze(copy) as T
  }

  accepts(value: unknown): boolean {
    if (typeof value !== 'object' || value === null) return false
    for (const { name, schema, isOptional } of this.#fields) {
      const found = (value as Readonly<Record<string, unknown>>)[name]
      if (found === undefined ? !isOptional : !schema.accepts(found)) return false
    }
    return true
  }

  get json(): JsonSchema {
    const described = this.#fields.map(({ name, schema }) => [name, schema.json ?? {}] as const)
    return {
      type: 'object',
      properties: Object.fromEntries(described),
      required: this.#required,
      ...(!this.#passesOver && { additionalProperties: false }),
    }
  }

  #readField({ name, schema, isOptional }: Field, { from, copy, bounds }: Reading) {
    try {
      const found = from[name]
      if (found !== undefined || !isOptional) copy[name] = schema.read(found, bounds)
    } catch (error) {
      throw Mismatch.within(name, error)
    }
  }

  #unknown(name: string): string {
    return `has no option ${JSON.stringify(name.slice(0, 64))}${insteadOf(name, this.#names)}`
  }
}

/** An object with only these fields. Others are refused, so that a misspelt option is noticed. */
export const object = <T extends object>(fields: FieldsOf<T>): Schema<T> => objectOf(fields, false)

/** An object with at least these fields, such as the result of another call. The copy leaves out all others. */
export const objectWith = <T extends object>(fields: FieldsOf<T>): Schema<T> => objectOf(fields, true)

function objectOf<T extends object>(fields: FieldsOf<T>, passesOver: boolean): Schema<T> {
  const entries = Object.entries(fields as Readonly<Record<string, Schema<unknown> | OptionalField<unknown>>>)
  return new ObjectSchema<T>(
    entries.map(([name, field]) =>
      'optional' in field
        ? { name, schema: field.optional, isOptional: true }
        : { name, schema: field, isOptional: false },
    ),
    passesOver,
  )
}

export function array<T>(of: Schema<T>, { max }: { readonly max?: number } = {}): Schema<readonly T[]> {
  return {
    read(value, bounds = callBounds) {
      if (!Array.isArray(value)) throw Mismatch.wrongType('an array', value)
      const { length } = value
      const most = max ?? bounds.entries
      if (length > most) throw new Mismatch(`has ${length} entries, and may have ${most}`)
      const copy: T[] = []
      for (let i = 0; i < length; i++) copy.push(readAt(of, { from: value, place: i, bounds }))
      return Object.freeze(copy)
    },
    accepts: (value) => Array.isArray(value) && value.every((one) => of.accepts(one)),
    json: { type: 'array', items: of.json ?? {} },
  }
}

interface Entry {
  readonly from: readonly unknown[]
  readonly place: number
  readonly bounds: Bounds
}

function readAt<T>(of: Schema<T>, { from, place, bounds }: Entry): T {
  try {
    return of.read(from[place], bounds)
  } catch (error) {
    throw Mismatch.within(`[${place}]`, error)
  }
}

/** A pair of two values of one kind. */
export function pair<T>(of: Schema<T>): Schema<readonly [T, T]> {
  const both = array(of, { max: 2 })
  return {
    read(value, bounds) {
      const copy = both.read(value, bounds)
      if (copy.length !== 2) throw new Mismatch('must have two entries')
      return copy as readonly [T, T]
    },
    accepts: (value) => Array.isArray(value) && value.length === 2 && both.accepts(value),
    json: { ...both.json, minItems: 2, maxItems: 2 },
  }
}

/** An object with any names and values of one kind. The copy has no prototype, so every name is safe. */
export function record<T>(of: Schema<T>): Schema<Readonly<Record<string, T>>> {
  return {
    read(value, bounds = callBounds) {
      const from = plainObject(value)
      const names = Object.keys(from)
      if (names.length > bounds.names) {
        throw new Mismatch(`has ${names.length} entries, and may have ${bounds.names}`)
      }
      const copy = Object.create(null) as Record<string, T>
      for (const name of names) {
        try {
          assertUnicode(name)
          copy[name] = of.read(from[name], bounds)
        } catch (error) {
          throw Mismatch.within(name.slice(0, 64), error)
        }
      }
      return Object.freeze(copy)
    },
    accepts: (value) =>
      typeof value === 'object' && value !== null && Object.values(value).every((one) => of.accepts(one)),
    json: { type: 'object', additionalProperties: of.json ?? {} },
  }
}

/** An object whose field `tag` names its kind; `kinds` has a schema for each value of that field. */
export function tagged<T extends object, K extends keyof T & string>(
  tag: K,
  kinds: { readonly [V in T[K] & string]: Reader<T> },
): Schema<T> {
  const known: ReadonlyMap<unknown, Reader<T>> = new Map(Object.entries<Reader<T>>(kinds))
  return {
    read(value, bounds) {
      const from = plainObject(value)
      // Read each property once: a getter could return another value the second time.
      const copy = Object.fromEntries(Object.keys(from).map((name) => [name, readOnce(from, name)]))
      const schema = Object.hasOwn(copy, tag) ? known.get(copy[tag]) : undefined
      if (schema !== undefined) return schema.read(copy, bounds)
      throw Mismatch.within(tag, Mismatch.wrongWord(Object.keys(kinds), copy[tag]))
    },
    accepts(value) {
      if (typeof value !== 'object' || value === null) return false
      return known.get((value as Readonly<Record<string, unknown>>)[tag])?.accepts(value) ?? false
    },
    get json() {
      return { anyOf: Object.values<Reader<T>>(kinds).map(({ json = {} }) => json) }
    },
  }
}

function readOnce(from: Readonly<Record<string, unknown>>, name: string): unknown {
  try {
    return from[name]
  } catch (error) {
    throw Mismatch.within(name, error)
  }
}

/** An object whose kind is known by which of these fields it has. */
export function byField<T extends object>(kinds: Readonly<Record<string, Reader<T>>>): Schema<T> {
  const schemas = Object.entries(kinds)
  const names = schemas.map(([name]) => name)
  return {
    read(value, bounds) {
      const from = plainObject(value, names)
      const found = schemas.find(([name]) => Object.hasOwn(from, name))
      if (found === undefined) throw new Mismatch(`must have one of ${names.join(', ')}`)
      return found[1].read(from, bounds)
    },
    accepts: (value) => schemas.some(([, schema]) => schema.accepts(value)),
    get json() {
      return { anyOf: schemas.map(([, { json = {} }]) => json) }
    },
  }
}

/** Uses the first of these schemas that accepts the value. */
export function either<T>(expected: string, ...schemas: readonly Reader<T>[]): Schema<T> {
  return {
    read(value, bounds) {
      for (const schema of schemas) {
        try {
          return schema.read(value, bounds)
        } catch (error) {
          if (!(error instanceof Mismatch)) throw error
        }
      }
      throw Mismatch.wrongType(expected, value)
    },
    accepts: (value) => schemas.some((schema) => schema.accepts(value)),
    json: { anyOf: schemas.flatMap(({ json }) => json ?? []) },
  }
}
