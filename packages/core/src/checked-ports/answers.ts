/** Checks of what the methods of a port give. Ports are foreign code: a wrong value is an error with a code that names the method. */
import { type EngineErrorCode, StorageError } from '../base/errors.ts'
import { kindOf } from '../schema/schema.ts'

/** A method of a port, and the code of its errors that have none. */
export interface Place {
  /** As `ports.blobs.open`. */
  readonly name: string
  readonly failure: EngineErrorCode | 'InternalError'
}

/** Returns the value that is used. @throws StorageError for a wrong one */
export type Check = (value: unknown, place: Place) => unknown

export function wrongAnswer({ name }: Place, expected: string, value: unknown): StorageError {
  ignoreRejection(value)
  return new StorageError('InvalidArgument', `${name} must give ${expected}, not ${kindOf(value)}.`, {
    details: { ArgumentName: name },
  })
}

/** Errors with a code pass unchanged, and so do aborts. */
export function failureOf({ name, failure }: Place, error: unknown): unknown {
  if (isUnderstood(error)) return error
  return new StorageError(failure, `${name} failed: ${textOf(error)}.`, {
    details: { ArgumentName: name },
    cause: error,
  })
}

function textOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message.replace(/\.$/, '') : kindOf(error)
  } catch {
    return 'an error that cannot be read'
  }
}

function isUnderstood(error: unknown): boolean {
  try {
    if (!(error instanceof Error)) return false
    return typeof (error as { code?: unknown }).code === 'string' || error.name === 'AbortError'
  } catch {
    return false
  }
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if (typeof value !== 'object' || value === null) return false
  try {
    return value instanceof Promise || typeof (value as { then?: unknown }).then === 'function'
  } catch {
    return false
  }
}

/** A value that cannot even be looked at, as a revoked proxy, is wrong too. */
export function judged(check: Check, value: unknown, place: Place): unknown {
  try {
    return check(value, place)
  } catch (error) {
    throw failureOf(place, error)
  }
}

function ignoreRejection(value: unknown): void {
  if (isThenable(value)) void Promise.resolve(value).catch(() => undefined)
}

const that =
  (expected: string, isRight: (value: unknown) => boolean): Check =>
  (value, place) => {
    if (isRight(value)) return value
    throw wrongAnswer(place, expected, value)
  }

const isBytes = (value: unknown): boolean =>
  value instanceof Uint8Array || Object.prototype.toString.call(value) === '[object Uint8Array]'
const isId = (value: unknown): boolean => typeof value === 'string' && idForm.test(value)
const idForm = /^[0-9a-f]{32}$/

export const bytes = that('a Uint8Array', isBytes)
export const text = that('a text', (value) => typeof value === 'string')
export const id = that('a text of 32 lower-case hexadecimal digits', isId)
export const boolean = that('true or false', (value) => typeof value === 'boolean')
export const finite = that('a finite number', Number.isFinite)
export const count = that('a whole number from 0 on', (value) => Number.isSafeInteger(value) && (value as number) >= 0)
export const uint32 = that('a whole number of 32 bits', (value) => (value as number) >>> 0 === value)
export const texts = that(
  'a list of texts',
  (value) => Array.isArray(value) && value.every((one) => typeof one === 'string'),
)
export const anObject = that('an object', (value) => typeof value === 'object' && value !== null && !isThenable(value))
export const aFunction = that('a function', (value) => typeof value === 'function')
export const nothing = that('nothing', (value) => !isThenable(value))
/** For a method whose value nobody uses: what it gives later is not waited for, and its failure is ignored. */
export const ignored: Check = (value) => ignoreRejection(value)
/** An object of which these fields are right. */
export const fields = (expected: string, checks: Readonly<Record<string, Check>>): Check => {
  const names = Object.keys(checks)
  return (value, place) => {
    anObject(value, place)
    for (const name of names) {
      const field: unknown = Reflect.get(value as object, name)
      try {
        checks[name]?.(field, place)
      } catch {
        throw wrongAnswer(place, `${expected} with a right ${name}`, value)
      }
    }
    return value
  }
}

export const orNothing =
  (check: Check): Check =>
  (value, place) =>
    value === undefined ? undefined : check(value, place)

export const listOf =
  (check: Check): Check =>
  (value, place) => {
    if (!Array.isArray(value)) throw wrongAnswer(place, 'a list', value)
    for (const one of value) check(one, place)
    return value
  }

/** A key and a value. */
export const row: Check = (value, place) => {
  if (!Array.isArray(value)) throw wrongAnswer(place, 'rows', value)
  bytes(value[0], place)
  bytes(value[1], place)
  return value
}

/** A promise of a value; a value that is there is taken too. */
export const later =
  (check: Check): Check =>
  (value, place) =>
    Promise.resolve(value).then(
      (given) => judged(check, given, place),
      (error: unknown) => {
        throw failureOf(place, error)
      },
    )

/** As `later`, for a method that passes errors of others on: those of a source of bytes, the reason of an abort. */
export const laterPassing =
  (check: Check): Check =>
  (value, place) =>
    Promise.resolve(value).then((given) => judged(check, given, place))

/** A promise and no value: for waiting, where a caller would otherwise go on at once, again and again. */
export const waits =
  (check: Check): Check =>
  (value, place) => {
    if (!isThenable(value)) throw wrongAnswer(place, 'a promise', value)
    return check(value, place)
  }

/** A value, or a promise of one where it has to be waited for. */
export const soon = (check: Check): Check => {
  const whenLater = later(check)
  return (value, place) => (isThenable(value) ? whenLater : check)(value, place)
}

/** Values one after another. */
export const items =
  (check: Check): Check =>
  (value, place) => {
    if (typeof (value as Partial<AsyncIterable<unknown>> | null | undefined)?.[Symbol.asyncIterator] !== 'function') {
      throw wrongAnswer(place, 'an AsyncIterable', value)
    }
    return { [Symbol.asyncIterator]: () => checkedItems(value as AsyncIterable<unknown>, check, place) }
  }

async function* checkedItems(from: AsyncIterable<unknown>, check: Check, place: Place): AsyncGenerator<unknown> {
  try {
    for await (const one of from) yield judged(check, one, place)
  } catch (error) {
    throw failureOf(place, error)
  }
}
