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
      const { done, value } = objectIn(name, await walk.next()) as IteratorResult<unknown>
      if (done) return
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
  const { [Symbol.asyncIterator]: many, [Symbol.iterator]: few } = source as Partial<
    AsyncIterable<unknown> & Iterable<unknown>
  >
  const method = many ?? few
  if (typeof method !== 'function') throw broken(name, 'must be something to iterate', source)
  const iterator = objectIn(
    name,
    begun(name, () => Reflect.apply(method, source, [])),
  )
  const { next } = iterator as Partial<AsyncIterator<unknown>>
  if (typeof next !== 'function') throw broken(name, 'must have an iterator with a next', iterator)
  return {
    next: () => Reflect.apply(next, iterator, []),
    end() {
      const { return: end } = iterator as Partial<AsyncIterator<unknown>>
      return typeof end === 'function' ? Reflect.apply(end, iterator, []) : undefined
    },
  }
}

/** A proxy of bytes, or a stream that another reader has locked, cannot be read: they throw a `TypeError`. */
function begun(name: string, begin: () => unknown): unknown {
  try {
    return begin()
  } catch (cause) {
    // By its name: a stream of Node, in a test of Jest, throws another class of this name.
    if ((cause as Partial<Error> | undefined)?.name !== 'TypeError') throw cause
    throw new StorageError('InvalidArgument', `${name} cannot be iterated.`, { details: { ArgumentName: name }, cause })
  }
}

function objectIn(name: string, value: unknown): object {
  if (typeof value === 'object' && value !== null) return value
  throw broken(name, 'must keep the rules of iterators', value)
}

const broken = (name: string, rule: string, value: unknown): StorageError =>
  new StorageError('InvalidArgument', `${name} ${rule}, and has ${kindOf(value)}.`, { details: { ArgumentName: name } })
