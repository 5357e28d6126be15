/** What calls answered, in a form in which the answers of two stores can be compared. */
import type { ObjectContent } from '@varve/core'
import type { Store } from 'varve'

/** @param bodyOf Reads the bytes of an object. */
export async function readAnswer(
  answer: unknown,
  bodyOf: (content: ObjectContent) => Promise<string>,
): Promise<unknown> {
  // Of the id of an upload, what no other store makes otherwise.
  if (typeof answer === 'string' && answer.startsWith('u0')) return answer.slice(0, 13)
  if (typeof answer !== 'object' || answer === null) return answer
  if (Symbol.asyncIterator in answer) return allOf(answer as AsyncIterable<unknown>)
  if ('bytes' in answer && 'text' in answer && typeof answer.bytes === 'function') {
    return { ...answer, body: await bodyOf(answer as ObjectContent) }
  }
  return 'buckets' in answer && 'seq' in answer ? { seq: answer.seq } : answer
}

export const eventsOf = (store: Store): Promise<unknown[]> => allOf(store.log())

async function allOf<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}
