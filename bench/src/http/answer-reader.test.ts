import { describe, expect, it } from 'vitest'
import { answerReader } from './answer-reader.ts'

/** Fed one byte at a time, and at once: the pieces must not matter. */
function read(text: string, bodiless = false): string | undefined {
  const [whole, piecemeal] = [answerReader(bodiless), answerReader(bodiless)]
  const atOnce = whole.add(Buffer.from(text))
  let last: ReturnType<typeof piecemeal.add>
  for (const byte of Buffer.from(text)) last = piecemeal.add(Buffer.of(byte))
  expect(last?.body.toString()).toBe(atOnce?.body.toString())
  return atOnce && `${atOnce.status} ${atOnce.body.toString()}`
}

describe('answerReader', () => {
  it.each([
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello', '200 hello'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n', '200 '],
    ['HTTP/1.1 204 No Content\r\n\r\n', '204 '],
    [
      'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nA\r\n, my world\r\n0\r\n\r\n',
      '200 hello, my world',
    ],
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell', undefined],
    ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n', undefined],
    ['HTTP/1.1 200 OK\r\nContent-', undefined],
  ])('reads %j', (text, expected) => {
    expect(read(text)).toBe(expected)
  })

  it('expects no body after HEAD', () => {
    expect(read('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n', true)).toBe('200 ')
  })

  it.each(['SSH-2.0-x\r\n\r\n', 'HTTP/1.1 200 OK\r\n\r\nhello'])('refuses %j', (text) => {
    expect(() => answerReader(false).add(Buffer.from(text))).toThrow()
  })
})
