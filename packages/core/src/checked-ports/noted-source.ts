/** Tells the failures of a source of bytes from those of the store that reads it: only the latter are of the port. */
import type { BlobStore, ByteSource } from '../ports/index.ts'
import { failureOf, type Place } from './answers.ts'

class NotedSources {
  readonly #errors = new Set<unknown>()

  has(error: unknown): boolean {
    return this.#errors.has(error)
  }

  of(source: ByteSource): ByteSource {
    const note = (error: unknown): never => {
      this.#errors.add(error)
      throw error
    }
    return {
      [Symbol.asyncIterator]: () => {
        const from = source[Symbol.asyncIterator]()
        return {
          next: () => from.next().then(undefined, note),
          ...(from.return && {
            return: async (value?: unknown) => (await from.return?.(value)) ?? { done: true, value },
          }),
        }
      },
    }
  }
}

async function noted<T>(
  place: Place,
  signal: AbortSignal | undefined,
  call: (sources: NotedSources) => Promise<T>,
): Promise<T> {
  const sources = new NotedSources()
  try {
    return await call(sources)
  } catch (error) {
    throw sources.has(error) || signal?.aborted === true ? error : failureOf(place, error)
  }
}

/** The blob store whose writes pass errors of sources and reasons of aborts unchanged. */
export function withNotedSources(blobs: BlobStore, { name, failure }: Place): BlobStore {
  const at = (method: string): Place => ({ name: `${name}.${method}`, failure })
  const write: BlobStore['write'] = (id, source, signal) =>
    noted(at('write'), signal, (sources) => blobs.write(id, sources.of(source), signal))
  const replace: BlobStore['replace'] = (id, source, signal) =>
    noted(
      at('replace'),
      signal,
      async (sources) => (await blobs.replace?.(id, () => sources.of(source()), signal)) ?? 0,
    )
  return Object.defineProperties({} as BlobStore, {
    ...Object.getOwnPropertyDescriptors(blobs),
    write: { enumerable: true, value: write },
    replace: { enumerable: true, get: () => (blobs.replace === undefined ? undefined : replace) },
  })
}
