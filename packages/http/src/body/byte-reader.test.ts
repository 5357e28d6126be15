import { describe, expect, it } from 'vitest'
import { createByteReader } from './byte-reader.ts'

async function* cut(...pieces: readonly string[]) {
  for (const piece of pieces) yield Buffer.from(piece)
}
const tooLong = () => new Error('too long')
const line = (bytesMax: number, ...pieces: readonly string[]) =>
  createByteReader(cut(...pieces))
    .line(bytesMax, tooLong)
    .catch((error: Error) => error.message)

describe('a line', () => {
  it.each([
    [0, '\r\n', ''],
    [3, 'abc\r\nd', 'abc'],
    [3, 'a\nb\r\n', 'a\nb'],
    [0, '\n\r\n', 'too long'],
    [0, 'a\r\n', 'too long'],
    [0, '\r\r\n', 'too long'],
    [3, 'abcd\r\n', 'too long'],
    [3, 'abc', undefined],
  ])('of at most %s bytes in %j is %j, wherever the source is cut', async (bytesMax, text, expected) => {
    for (let at = 0; at <= text.length; at += 1) {
      expect([at, await line(bytesMax, text.slice(0, at), text.slice(at))]).toEqual([at, expected])
    }
    expect(await line(bytesMax, ...text.split(''))).toBe(expected)
  })
})
