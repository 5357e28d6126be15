/** Schemas check values at run time. The compiler checks that a schema fits the type it is written for. */
import { StorageError } from '../base/errors.ts'
import { nearestOf, shortened } from './nearest.ts'

/** A JSON Schema (2020-12), for descriptions such as OpenAPI. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

/** The most that a value may have where its schema states no maximum: the characters of a text, the entries of a list, the names of a record. */
export interface Bounds {
  readonly characters: number
  readonly entries: number
  readonly names: number
}

/** A bound against abuse by callers. Names have their own limits. */
export const callBounds: Bounds = { characters: 64 * 1024, entries: 100_000, names: 10_000 }

/** For what is bounded as a whole, such as an answer of a store: a receipt in it may have megabytes. */
export const answerBounds: Bounds = { characters: Infinity, entries: Infinity, names: Infinity }

export interface Reader<out T> {
  /** A plain, frozen copy of a value; each property is read once. `bounds`: by default those of callers. @throws Mismatch */
  read(value: unknown, bounds?: Bounds): T
  /** Whether JSON of an older release has this shape. Additional fields are allowed. */
  accepts(value: unknown): boolean
  /** The JSON that `read` accepts. Absent for values that JSON cannot express. */
  readonly json?: JsonSchema
}

export interface Schema<T> extends Reader<T> {
  /** Never present. It makes `Schema` invariant, so a schema of a smaller or a larger type does not compile. */
  readonly fits?: (value: T) => T
}

export type Infer<S> = S extends Schema<infer T> ? T : never

/** An invalid value: where it is, and what is wrong with it. */
export class Mismatch extends Error {
  /** The path of fields, from the argument inwards. */
  readonly path: readonly string[]
  readonly problem: string

  constructor(problem: string, path: readonly string[] = [], cause?: unknown) {
    super(problem, cause === undefined ? undefined : { cause })
    this.path = path
    this.problem = problem
  }

  static wrongType(expected: string, value: unknown): Mismatch {
    return new Mismatch(`must be ${expected}, not ${kindOf(value)}`)
  }

  /** A text is shown here, because a word of a list is no secret. */
  static wrongWord(words: readonly string[], value: unknown): Mismatch {
    const expected = words.length === 1 ? `must be ${words[0]}` : `must be one of ${shortened(words)}`
    if (typeof value !== 'string' || value === '') return new Mismatch(`${expected}, not ${kindOf(value)}`)
    const near = nearestOf(value, words)
    const meant = near === undefined || words.length === 1 ? '' : `; did you mean ${near}?`
    return new Mismatch(`${expected}, not ${JSON.stringify(value.slice(0, shownMax))}${meant}`)
  }

  /** Adds the enclosing place to the path. An error of a getter or a proxy becomes a mismatch too. */
  static within(place: string, error: unknown): Mismatch {
    if (error instanceof Mismatch) return new Mismatch(error.problem, [place, ...error.path], error.cause)
    return new Mismatch('cannot be read', [place], error)
  }
}

/** Checks and copies a value. @throws StorageError `InvalidArgument` that names the argument and its problem. */
export function checked<T>(name: string, schema: Schema<T>, value: unknown, bounds?: Bounds): T {
  try {
    return schema.read(value, bounds)
  } catch (error) {
    throw invalidArgument(Mismatch.within(name, error))
  }
}

function invalidArgument({ path, problem, cause }: Mismatch): StorageError {
  const name = path.reduce((whole, part) => (part.startsWith('[') ? whole + part : `${whole}.${part}`))
  return new StorageError('InvalidArgument', `${name} ${problem}.`, {
    details: { ArgumentName: name },
    ...(cause !== undefined && { cause }),
  })
}

const shownMax = 40

/** The kind of a value, for messages. Text is not shown, because an argument may be a secret. */
export function kindOf(value: unknown): string {
  switch (typeof value) {
    case 'object':
      return value === null ? 'null' : kindOfObject(value)
    case 'undefined':
      return 'undefined'
    case 'number':
      return Object.is(value, -0) ? 'the number -0' : `the number ${value}`
    case 'string':
      return value === '' ? 'an empty text' : 'a text'
    case 'bigint':
      return 'a BigInt'
    default:
      return `a ${typeof value}`
  }
}

function kindOfObject(value: object): string {
  try {
    if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
    if (value instanceof Date && Number.isNaN(value.getTime())) return 'an invalid Date'
    return Object.prototype.toString.call(value).slice('[object '.length, -1).slice(0, shownMax)
  } catch {
    return 'an object that cannot be read'
  }
}
