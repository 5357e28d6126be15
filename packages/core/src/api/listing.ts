/** A listing: iterate over its entries, or over its pages. */
import { atCall } from './arguments/at-call.ts'
import type { Cancelable, Page } from './types/index.ts'

/** A listing: iterate it for entries, or iterate `pages()`. */
export interface Listing<T, P extends Page<T>> extends AsyncIterable<T> {
  /** Reads page by page; each page is a snapshot of one committed state. */
  pages(): AsyncIterable<P>
}

/**
 * `first` returns the options of the first page. It is called at once; an error that it throws is thrown when the
 * listing is read. `next` returns the options of the next page, or `undefined` after the last page.
 */
export function listing<T, P extends Page<T>, O extends Cancelable>(
  first: () => O,
  read: (options: O) => Promise<P>,
  next: (page: P, options: O) => O | undefined,
): Listing<T, P> {
  const begin = atCall(first)
  async function* pages(): AsyncGenerator<P> {
    for (let options: O | undefined = begin(); options !== undefined; ) {
      options.signal?.throwIfAborted()
      const page: P = await read(options)
      yield page
      options = page.isTruncated ? next(page, options) : undefined
    }
  }
  async function* entries(): AsyncGenerator<T> {
    for await (const page of pages()) yield* page.entries
  }
  return { pages, [Symbol.asyncIterator]: entries }
}
