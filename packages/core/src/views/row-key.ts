/** Keys of rows. */
import { byteString } from '../bytes/bytes.ts'
import type { KeyWriter } from '../bytes/key-codec.ts'

/** A key with the type of its row. */
export class RowKey<R> {
  readonly bytes: Uint8Array
  /** Never present at run time: it ties the key to its row type. */
  declare readonly row?: R
  #name: string | undefined

  constructor(bytes: Uint8Array) {
    this.bytes = bytes
  }

  /** One character per byte: a key for maps. */
  get name(): string {
    return (this.#name ??= byteString(this.bytes))
  }
}

export const rowKey = <R>(writer: KeyWriter): RowKey<R> => new RowKey(writer.finish())

/** Returns the last key again if it is for the same thing: most neighbouring events are about one bucket and owner. */
export function lastKept<T, R>(keyOf: (thing: T) => RowKey<R>): (thing: T) => RowKey<R> {
  let last: { readonly thing: T; readonly key: RowKey<R> } | undefined
  return (thing) => {
    if (last?.thing !== thing) last = { thing, key: keyOf(thing) }
    return last.key
  }
}

/** As `lastKept`: a command reads and writes the row of its key one after the other. */
export function lastKeptOfTwo<A, B, R>(keyOf: (a: A, b: B) => RowKey<R>): (a: A, b: B) => RowKey<R> {
  let last: { readonly a: A; readonly b: B; readonly key: RowKey<R> } | undefined
  return (a, b) => {
    if (last === undefined || last.b !== b || last.a !== a) last = { a, b, key: keyOf(a, b) }
    return last.key
  }
}
