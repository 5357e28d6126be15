/** Iterates over what callers pass in. */
import { StorageError } from '../base/errors.ts'
import { kindOf } from '../schema/schema.ts'

interface Walk {
  next(): unknown
  end(): unknown
}

/**
 * Yields the items of an iterable. Its errors pass unchanged; an invalid iterator is refused.
 * @param name The name in error messages.
 * @throws StorageError `InvalidArgument`
 */
export async function* chunksOf(name: string, source: object): AsyncGenerator<unknown> {
  const walk = walkOf(name, source)
  let isOver = false
  try {
    for (;;) {
      // If `next` fails, the iterator has ended by itself and must not be ended again.
      isOver = true
      const pending = walk.next()
      // Waiting for a revoked proxy throws a `TypeError` too.
      readable(name, () => thenOf(pending))
      const result = objectIn(name, await pending) as IteratorResult<unknown>
      const { done, value } = readable(name, () => ({ done: result.done, value: result.value }))
      if (done) return
      readable(name, () => thenOf(value))
      // A synchronous iterable may hold promises of chunks.
      const chunk: unknown = await value
      isOver = false
      yield chunk
    }
  } finally {
    if (!isOver) await walk.end()
  }
}

function walkOf(name: string, source: object): Walk {
  const given = source as Partial<AsyncIterable<unknown> & Iterable<unknown>>
  const method = readable(name, () => given[Symbol.asyncIterator] ?? given[Symbol.iterator])
  if (typeof method !== 'function') throw broken(name, 'must be something to iterate', source)
  const iterator = objectIn(
    name,
    readable(name, () => Reflect.apply(method, source, [])),
  ) as Partial<AsyncIterator<unknown>>
  const next = readable(name, () => iterator.next)
  if (typeof next !== 'function') throw broken(name, 'must have an iterator with a next', iterator)
  return {
    next: () => Reflect.apply(next, iterator, []),
    end() {
      const end = readable(name, () => iterator.return)
      return typeof end === 'function' ? Reflect.apply(end, iterator, []) : undefined
    },
  }
}

/** A proxy of bytes or a revoked one, or a stream that another reader has locked, cannot be read: they throw a `TypeError`. */
function readable<T>(name: string, read: () => T): T {
  try {
    return read()
  } catch (cause) {
    if (nameOf(cause) !== 'TypeError') throw cause
    throw new StorageError('InvalidArgument', `${name} cannot be iterated.`, { details: { ArgumentName: name }, cause })
  }
}

/** By its name: a stream of Node, in a test of Jest, throws another class of this name. A caller may throw a value that cannot be read. */
function nameOf(thrown: unknown): unknown {
  try {
    return (thrown as Partial<Error> | null | undefined)?.name
  } catch {
    return undefined
  }
}

/** Reads whether a value is a promise or not, as waiting for it does. The getters of callers are not called. */
const thenOf = (value: unknown): unknown =>
  (typeof value === 'object' && value !== null) || typeof value === 'function' ? Reflect.has(value, 'then') : undefined

function objectIn(name: string, value: unknown): object {
  if (typeof value === 'object' && value !== null) return value
  throw broken(name, 'must keep the rules of iterators', value)
}

const broken = (name: string, rule: string, value: unknown): StorageError =>
  new StorageError('InvalidArgument', `${name} ${rule}, and has ${kindOf(value)}.`, { details: { ArgumentName: name } })
