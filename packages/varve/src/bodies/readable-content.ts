/** The bytes of an object, as what writes them elsewhere needs them. */
import { checkedBytes, type ObjectContent, schema } from '@varve/core'

export type ReadableContent = Pick<ObjectContent, 'body' | 'close'>

const { checked, Mismatch } = schema

/** What it has is read once; its `close` may be a caller's own, that returns or throws whatever it likes. */
const content: schema.Schema<ReadableContent> = {
  read(given) {
    if (typeof given !== 'object' || given === null) throw Mismatch.wrongType('an object that was read', given)
    const { body, close } = given as Readonly<Record<keyof ReadableContent, unknown>>
    if (typeof close !== 'function') throw new Mismatch('must be an object that was read: it has no close')
    if (typeof body !== 'object' || body === null || !isIterable(body)) {
      throw new Mismatch('must be an object that was read: it has no body')
    }
    return { body: checkedBytes('content.body', body), close: async () => void (await Reflect.apply(close, given, [])) }
  },
  accepts: () => false,
}

const isIterable = (body: object): body is ReadableContent['body'] =>
  typeof (body as Partial<AsyncIterable<unknown>>)[Symbol.asyncIterator] === 'function'

/** @throws StorageError `InvalidArgument` unless it is what `objects.get` resolves with, or like it */
export const readableContent = (given: unknown): ReadableContent => checked('content', content, given)
