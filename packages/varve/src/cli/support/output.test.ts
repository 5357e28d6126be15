import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { OutputClosed } from './exit-codes.ts'
import { outputTo } from './output.ts'
import { terminalStyle } from './terminal-style.ts'

function slowReader() {
  const taken: string[] = []
  let release: (() => void) | undefined
  const stream = new Writable({
    highWaterMark: 4,
    write(chunk: Buffer, _encoding, done) {
      taken.push(chunk.toString())
      release = done
    },
  })
  return { stream, taken, release: () => release?.() }
}

const failing = (code: string) =>
  new Writable({
    write(_chunk, _encoding, done) {
      done(Object.assign(new Error(code), { code }))
    },
  })

describe('outputTo', () => {
  it('goes on at once while there is room, and waits when there is none', async () => {
    const { stream, taken, release } = slowReader()
    const output = outputTo(stream)
    await output.write('a')
    let written = false
    const waiting = output.write('more than four').then(() => {
      written = true
    })
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(written).toBe(false)
    release()
    await new Promise((resolve) => setTimeout(resolve, 20))
    release()
    await waiting
    expect(taken).toEqual(['a', 'more than four'])
  })

  it('writes values one per line', async () => {
    const { stream, taken, release } = slowReader()
    const output = outputTo(stream)
    void output.json({ a: 'x\ny' }).catch(() => undefined)
    release()
    expect(taken).toEqual(['{"a":"x\\ny"}\n'])
  })

  it.each([
    ['plain', undefined, String.raw`a\x1b[31mb\x9b\u{202e}`],
    ['painted', terminalStyle({ isTTY: true }, {}), `a\u001b[31mb${String.raw`\x9b\u{202e}`}`],
  ])(
    'leaves nothing in a line that a terminal would interpret, but colours that it paints: %s',
    async (_, style, shown) => {
      const { stream, taken, release } = slowReader()
      void outputTo(stream, style)
        .line('a\u001b[31mb\u009b\u202e\nc')
        .catch(() => undefined)
      release()
      expect(taken).toEqual([`${shown}\nc\n`])
    },
  )

  it.each(['EPIPE', 'ERR_STREAM_DESTROYED'])('treats %s as a reader that has gone', async (code) => {
    const output = outputTo(failing(code))
    await expect(output.flush()).rejects.toThrow(OutputClosed)
    await expect(output.write('more')).rejects.toThrow(OutputClosed)
  })

  it('passes on every other failure', async () => {
    await expect(outputTo(failing('ENOSPC')).flush()).rejects.toMatchObject({ code: 'ENOSPC' })
  })
})
