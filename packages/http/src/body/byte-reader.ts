/** Reads a source by lines and by counted bytes. Holds at most one chunk of the source and one unfinished line. */

export interface ByteReader {
  /**
   * Returns the bytes before the next CRLF, one per character, and consumes the CRLF; `undefined` when the source ends
   * first.
   * @throws the error of `tooLong`, when the line is longer than `bytesMax`; no more than that is held
   */
  line(bytesMax: number, tooLong: () => Error): Promise<string | undefined>
  /** Returns the next bytes, from one to `bytesMax`; `undefined` at the end. The result is a view, never a copy. */
  read(bytesMax: number): Promise<Uint8Array | undefined>
  /** Ends the source. */
  close(): Promise<void>
}

export function createByteReader(source: AsyncIterable<Uint8Array>): ByteReader {
  const iterator = source[Symbol.asyncIterator]()
  let buffered: Buffer = Buffer.alloc(0)
  let ended = false

  /** Returns true when `buffered` has at least one byte. */
  const fill = async (): Promise<boolean> => {
    while (buffered.length === 0 && !ended) {
      const { done, value } = await iterator.next()
      if (done === true) ended = true
      else buffered = Buffer.from(value.buffer, value.byteOffset, value.byteLength)
    }
    return buffered.length > 0
  }
  const take = (count: number): Buffer => {
    const taken = buffered.subarray(0, count)
    buffered = buffered.subarray(count)
    return taken
  }
  return {
    async line(bytesMax, tooLong) {
      let text = ''
      while (await fill()) {
        const end = buffered.indexOf(0x0a)
        const stop = end === -1 ? buffered.length : end + 1
        text += take(Math.min(stop, bytesMax + 2)).toString('latin1')
        const isWhole = text.endsWith('\r\n')
        if (text.length > bytesMax + (isWhole ? 2 : 1)) throw tooLong()
        if (isWhole) return text.slice(0, -2)
      }
      return undefined
    },
    async read(bytesMax) {
      return (await fill()) ? take(bytesMax) : undefined
    },
    async close() {
      if (ended) return
      ended = true
      await iterator.return?.()
    },
  }
}
