/** Schemas of single values. */
import { isWellFormed } from '../bytes/utf8.ts'
import { callBounds, Mismatch, type Schema } from './schema.ts'

/**
 * The rule for all text of callers: it must be well-formed Unicode. Half a surrogate pair has no byte form.
 * @throws Mismatch
 */
export function assertUnicode(value: string): void {
  if (!isWellFormed(value)) throw new Mismatch('must be well-formed Unicode: it has half of a surrogate pair')
}

/**
 * Stored text is not checked for this: earlier releases accepted half a pair, which JSON can express. `min` and `max` are in UTF-16 units.
 */
export function text({ min = 0, max }: { readonly min?: number; readonly max?: number } = {}): Schema<string> {
  return {
    read(value, bounds = callBounds) {
      if (typeof value !== 'string') throw Mismatch.wrongType('a string', value)
      if (value.length < min) throw new Mismatch('must not be empty')
      const most = max ?? bounds.characters
      if (value.length > most) throw new Mismatch(`has ${value.length} characters, and may have ${most}`)
      assertUnicode(value)
      return value
    },
    accepts: (value) => typeof value === 'string',
    json: {
      type: 'string',
      ...(min > 0 && { minLength: min }),
      ...(max !== undefined && max < callBounds.characters && { maxLength: max }),
    },
  }
}

const isInteger = (value: unknown): value is number => Number.isSafeInteger(value) && !Object.is(value, -0)

export function integer(range: { readonly min?: number; readonly max?: number } = {}): Schema<number> {
  const { min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER } = range
  return {
    read(value) {
      if (isInteger(value) && value >= min && value <= max) return value
      throw Mismatch.wrongType(`a whole number from ${min} to ${max}`, value)
    },
    accepts: (value) => typeof value === 'number',
    json: {
      type: 'integer',
      ...(min > Number.MIN_SAFE_INTEGER && { minimum: min }),
      ...(max < Number.MAX_SAFE_INTEGER && { maximum: max }),
    },
  }
}

export const boolean: Schema<boolean> = {
  read(value) {
    if (typeof value !== 'boolean') throw Mismatch.wrongType('true or false', value)
    return value
  },
  accepts: (value) => typeof value === 'boolean',
  json: { type: 'boolean' },
}

export function literal<const T extends string>(...words: readonly T[]): Schema<T> {
  const known: ReadonlySet<unknown> = new Set(words)
  return {
    read(value) {
      if (known.has(value)) return value as T
      throw Mismatch.wrongWord(words, value)
    },
    accepts: (value) => known.has(value),
    json: { enum: words },
  }
}

const timeOf = (value: unknown): number => Date.prototype.getTime.call(value)

/** A valid date, copied so that later changes have no effect. */
export const date: Schema<Date> = {
  read(value) {
    let time: number
    try {
      time = timeOf(value)
    } catch {
      throw Mismatch.wrongType('a Date', value)
    }
    if (Number.isNaN(time)) throw new Mismatch('must be a valid Date')
    return new Date(time)
  },
  accepts: () => false,
}

/** Accessors of a typed array's internal slots: subclasses and own properties cannot override them. */
const slots = Object.getOwnPropertyDescriptors(Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array)
const slot = <T>(name: 'buffer' | 'byteOffset' | 'byteLength', value: unknown): T =>
  (slots[name] as { get(): unknown }).get.call(value) as T

/**
 * A plain view of the bytes of any `Uint8Array`, also of another realm or of a subclass. `undefined` for anything else.
 * @throws Mismatch for a view without its bytes: its buffer was detached, or became shorter than the view
 */
export function plainBytes(value: unknown): Uint8Array<ArrayBuffer> | undefined {
  if (!ArrayBuffer.isView(value) || tagOf(value) !== 'Uint8Array') return undefined
  try {
    iterateBytes.call(value)
  } catch {
    throw new Mismatch('has lost its bytes: their buffer was transferred, or made shorter')
  }
  return new Uint8Array(
    slot<ArrayBuffer>('buffer', value),
    slot<number>('byteOffset', value),
    slot<number>('byteLength', value),
  )
}

/** The only operation that distinguishes an empty view from one that lost its bytes, in every JavaScript release. */
const iterateBytes = Uint8Array.prototype.values

const tagOf = (value: ArrayBufferView): unknown =>
  (slots[Symbol.toStringTag] as unknown as { get(): unknown }).get.call(value)

/** A limited number of bytes, copied. */
export function bytes({ max }: { readonly max: number }): Schema<Uint8Array> {
  return {
    read(value) {
      const view = plainBytes(value)
      if (view === undefined) throw Mismatch.wrongType('a Uint8Array', value)
      if (view.length > max) throw new Mismatch(`has ${view.length} bytes, and may have ${max}`)
      return view.slice()
    },
    accepts: () => false,
  }
}

/** A class cannot be called without `new`. Only classes have a `prototype` that cannot be replaced. */
function isClass(value: object): boolean {
  try {
    return Object.getOwnPropertyDescriptor(value, 'prototype')?.writable === false
  } catch {
    return false
  }
}

/** A function, and no class. It is not copied, because functions cannot be copied. */
export function callable<F extends (...given: never[]) => unknown>(): Schema<F> {
  return {
    read(value) {
      if (typeof value !== 'function') throw Mismatch.wrongType('a function', value)
      if (isClass(value)) throw new Mismatch('must be a function that can be called, not a class')
      return value as F
    },
    accepts: () => false,
  }
}

/** An object with these methods, such as a port; not copied. `properties` are read once, to check that they exist. */
export function implementing<T extends object>(
  expected: string,
  methods: readonly (keyof T & string)[],
  isMore: (value: T) => boolean = () => true,
): Schema<T> {
  return {
    read(value) {
      if (typeof value !== 'object' || value === null) throw Mismatch.wrongType(expected, value)
      for (const name of methods) {
        if (typeof (value as T)[name] !== 'function') throw new Mismatch(`must be ${expected}: it has no ${name}`)
      }
      if (!isMore(value as T)) throw Mismatch.wrongType(expected, value)
      return value as T
    },
    accepts: () => false,
  }
}

export const abortSignal: Schema<AbortSignal> = implementing<AbortSignal>(
  'an AbortSignal',
  ['throwIfAborted', 'addEventListener', 'removeEventListener'],
  ({ aborted }) => typeof aborted === 'boolean',
)

/** Any number, for code that checks it further with its own error code. */
export const number: Schema<number> = {
  read(value) {
    if (typeof value !== 'number') throw Mismatch.wrongType('a number', value)
    return value
  },
  accepts: (value) => typeof value === 'number',
  json: { type: 'number' },
}

/** Any text, for code that checks it further. */
export const word = <T extends string>(): Schema<T> => text() as unknown as Schema<T>
