/** The bytes of an object, for functions that write them elsewhere. */
import { checkedBytes, type ObjectContent, schema } from '@varve/core'

export type ReadableContent = Pick<ObjectContent, 'body' | 'close'>

const { checked, Mismatch } = schema

/** Each property is read once. `close` may be a caller's own function, which may return or throw anything. */
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

/** @throws StorageError `InvalidArgument` unless it is a result of `objects.get`, or an object of the same shape */
export const readableContent = (given: unknown): ReadableContent => checked('content', content, given)
