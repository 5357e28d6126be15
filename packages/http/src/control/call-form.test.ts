import { expect, it } from 'vitest'
import { callText, takeCall } from './call-form.ts'

it('reads arguments that arrive in several pieces, whose memory is used again', async () => {
  const given = { key: '"\\'.repeat(10_000) }
  const sent = Buffer.from(`${callText({ arguments: given })}rest`)
  const piece = Buffer.alloc(1000)
  async function* pieces() {
    for (let at = 0; at < sent.length; at += piece.length) {
      yield piece.subarray(0, sent.copy(piece, 0, at, at + piece.length))
    }
  }
  const { head, rest } = await takeCall(pieces())
  expect(head.arguments).toEqual(given)
  const texts: string[] = []
  for await (const chunk of rest) texts.push(Buffer.from(chunk).toString())
  expect(texts.join('')).toBe('rest')
})
