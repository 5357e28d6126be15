/** Shorthands of tests for the answers of a store. */
import { isStorageError } from '../base/errors.ts'

/** The code a call is refused with; `no error` if it is not, and the error itself if it has no code. */
export const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'no error',
    (error: unknown) => (isStorageError(error) ? error.code : error),
  )

export async function list<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}
