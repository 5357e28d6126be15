/** A schema of JSON values. */
import { Mismatch, type Schema } from './schema.ts'
import { isPlain } from './structures.ts'

export type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

const depthMax = 100
const valuesMax = 1_000_000

/**
 * A plain copy of a document that other rules check, such as the result of `JSON.parse`. Fields that are `undefined`
 * are absent. A circular value is refused because of its depth.
 */
export const json: Schema<Json> = {
  read: (value) => new JsonCopy().of(value, 0),
  accepts: () => true,
  json: {},
}

class JsonCopy {
  #values = 0

  /** @throws Mismatch */
  of(value: unknown, depth: number): Json {
    if (++this.#values > valuesMax) throw new Mismatch(`has more than ${valuesMax} values`)
    if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
    if (typeof value === 'number' && Number.isFinite(value)) return value
    if (typeof value !== 'object') throw Mismatch.wrongType('a value of JSON', value)
    if (depth === depthMax) throw new Mismatch(`is more than ${depthMax} levels deep`)
    return Array.isArray(value) ? this.#array(value, depth + 1) : this.#object(value, depth + 1)
  }

  #array(values: readonly unknown[], depth: number): Json {
    const { length } = values
    if (length > valuesMax) throw new Mismatch(`has ${length} entries, and may have ${valuesMax}`)
    const copy: Json[] = []
    for (let i = 0; i < length; i++) {
      try {
        copy.push(this.of(values[i], depth))
      } catch (error) {
        throw Mismatch.within(`[${i}]`, error)
      }
    }
    return copy
  }

  #object(from: object, depth: number): Json {
    if (!isPlain(from)) throw new Mismatch('must be a plain object, not an instance of a class')
    // Without a prototype, so that every field name is safe.
    const copy = Object.create(null) as Record<string, Json>
    for (const name of Object.keys(from)) {
      try {
        const value = (from as Readonly<Record<string, unknown>>)[name]
        if (value !== undefined) copy[name] = this.of(value, depth)
      } catch (error) {
        throw Mismatch.within(name.slice(0, 64), error)
      }
    }
    return copy
  }
}
