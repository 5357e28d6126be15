import { duplexPair, PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import { type Frame, frameLink } from './frame-link.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)))

/** The content of a frame, as text. */
const asText = ({ kind, session, id, payload }: Frame): string => `${kind} ${session} ${id} ${payload.toString()}`

describe('a link', () => {
  it('gives frames as they were sent, in order', async () => {
    const [here, there] = duplexPair()
    const heard: string[] = []
    frameLink(there, (frame) => heard.push(asText(frame)))
    const link = frameLink(here, () => undefined)
    link.send({ kind: 1, session: 65_535, id: 0xff_ff_ff_ff }, Buffer.from('one, '), Buffer.from('two'))
    link.send({ kind: 255, session: 0, id: 0 })
    await nextTurn()
    link.send({ kind: 2, session: 1, id: 3 }, Buffer.from('three'))
    await expect.poll(() => heard).toEqual(['1 65535 4294967295 one, two', '255 0 0 ', '2 1 3 three'])
  })

  it('writes once a turn, however many frames there are', async () => {
    const stream = new PassThrough()
    const write = vi.spyOn(stream, 'write')
    const link = frameLink(stream, () => undefined)
    for (let id = 0; id < 10; id++) link.send({ kind: 1, session: 1, id })
    await nextTurn()
    expect(write).toHaveBeenCalledTimes(1)
  })

  it('puts frames together however they were cut', async () => {
    const sent = new PassThrough()
    const written = vi.spyOn(sent, 'write')
    const link = frameLink(sent, () => undefined)
    const large = 'x'.repeat(300_000)
    for (const text of ['', 'a', large, 'b']) link.send({ kind: 7, session: 1, id: text.length }, Buffer.from(text))
    await nextTurn()
    const bytes = written.mock.calls[0]?.[0] as Buffer
    const whole = ['7 1 0 ', '7 1 1 a', `7 1 300000 ${large}`, '7 1 1 b']
    for (const size of [1, 3, 4, 11, 12, 65_536, bytes.length]) {
      const stream = new PassThrough()
      const heard: string[] = []
      frameLink(stream, (frame) => heard.push(asText(frame)))
      // Cut finely where frames meet, coarsely in the middle of the large one.
      for (let at = 0; at < bytes.length; ) {
        const end = at > 100 && at < 300_000 ? Math.min(300_000, at + 65_536) : at + size
        stream.emit('data', bytes.subarray(at, end))
        at = end
      }
      expect(heard).toEqual(whole)
    }
  })

  it('does not fail with the stream', async () => {
    const [here, there] = duplexPair()
    const link = frameLink(here, () => undefined)
    there.destroy()
    here.destroy(new Error('It broke.'))
    link.send({ kind: 1, session: 1, id: 1 })
    await nextTurn()
    expect(here.destroyed).toBe(true)
  })
})
