import { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { OutputClosed } from './exit-codes.ts'
import { outputTo } from './output.ts'

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

  it.each(['EPIPE', 'ERR_STREAM_DESTROYED'])('treats %s as a reader that has gone', async (code) => {
    const output = outputTo(failing(code))
    await expect(output.flush()).rejects.toThrow(OutputClosed)
    await expect(output.write('more')).rejects.toThrow(OutputClosed)
  })

  it('passes on every other failure', async () => {
    await expect(outputTo(failing('ENOSPC')).flush()).rejects.toMatchObject({ code: 'ENOSPC' })
  })
})
