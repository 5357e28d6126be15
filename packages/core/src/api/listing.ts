/** A listing: iterate its entries, or its pages. */
import { atCall } from './arguments/at-call.ts'
import type { Cancelable, Page } from './types/index.ts'

/** A listing: iterate it for entries, or iterate `pages()`. */
export interface Listing<T, P extends Page<T>> extends AsyncIterable<T> {
  /** Pages as they are read; each is a snapshot of one committed state. */
  pages(): AsyncIterable<P>
}

/** `first` is called at once. It gives the options of the first page, or throws when they make no sense, which comes out when the listing is read; `next` gives the options of the page after, or `undefined` after the last. */
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
