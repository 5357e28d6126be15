/** What is made of answers that are not what was requested. */
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { blobKeys } from './blob-keys.ts'
import { readRange } from './read-range.ts'
import { S3Place } from './s3-place.ts'
import { S3Requests } from './s3-requests.ts'

const id = 'ab'.repeat(16)
const whole = Uint8Array.from({ length: 100 }, (_, i) => i)
const object = { id, size: whole.length, etag: '"a"' }

interface Answer {
  readonly Body?: Readable
  readonly ContentRange?: string
  readonly ContentLength?: number
}

const chunks = (...parts: readonly Uint8Array[]) => Readable.from(parts.map((part) => Buffer.from(part)))

/** A server that gives these answers, one after another; the last one stays. */
function serverOf(...answers: readonly (() => Answer)[]) {
  const inputs: unknown[] = []
  class GetObjectCommand {
    readonly input: unknown

    constructor(input: unknown) {
      this.input = input
    }
  }
  const client = {
    async send({ input }: GetObjectCommand) {
      const answer = answers[Math.min(inputs.length, answers.length - 1)] as () => Answer
      inputs.push(input)
      return answer()
    },
  }
  const renew = async () => undefined
  const requests = new S3Requests({ timeoutMs: 1000, retries: 1, connections: 4, renew })
  const place = { sdk: { GetObjectCommand }, client, requests, bucket: 'box', keys: blobKeys('p') }
  const read = async (start: number, end: number, hedgeMs?: number) => {
    const room = new Uint8Array(end - start + 2)
    const { signal } = new AbortController()
    const into = room.subarray(1, -1)
    await readRange(new S3Place(place as never), object, { into, start }, { hedgeMs, signal })
    expect([room[0], room.at(-1)]).toEqual([0, 0])
    return [...into]
  }
  return { inputs, read }
}

const right = (): Answer => ({
  Body: chunks(whole.subarray(10, 13), whole.subarray(13, 20)),
  ContentRange: 'bytes 10-19/100',
  ContentLength: 10,
})
const tenBytes = [...whole.subarray(10, 20)]

const wrong: readonly (readonly [string, string, () => Answer])[] = [
  ['fewer bytes', 'WrongSize', () => ({ ...right(), Body: chunks(whole.subarray(10, 19)) })],
  ['no bytes', 'WrongSize', () => ({ ...right(), Body: chunks() })],
  ['more bytes', 'WrongSize', () => ({ ...right(), Body: chunks(whole.subarray(10, 21)) })],
  ['many more bytes', 'WrongSize', () => ({ ...right(), Body: chunks(whole.subarray(10, 15), whole) })],
  ['another length', 'WrongSize', () => ({ ...right(), ContentLength: 11 })],
  ['another range', 'WrongRange', () => ({ ...right(), ContentRange: 'bytes 11-20/100' })],
  ['a range of another object', 'WrongRange', () => ({ ...right(), ContentRange: 'bytes 10-19/101' })],
  ['all bytes', 'WrongRange', () => ({ Body: chunks(whole), ContentLength: 100 })],
]

describe('an answer', () => {
  it('with the bytes of the range is read, and its request names the object', async () => {
    const { inputs, read } = serverOf(right)
    expect(await read(10, 20)).toEqual(tenBytes)
    expect(inputs).toEqual([{ Bucket: 'box', Key: `p/blobs/${id}`, Range: 'bytes=10-19', IfMatch: '"a"' }])
  })

  it.each(wrong)('with %s is requested again, and an error if it stays', async (_, kind, answer) => {
    for (const hedgeMs of [undefined, 100]) {
      const passing = serverOf(answer, right)
      expect(await passing.read(10, 20, hedgeMs)).toEqual(tenBytes)
      expect(passing.inputs.length).toBe(2)
      const lasting = serverOf(answer)
      await expect(lasting.read(10, 20, hedgeMs)).rejects.toMatchObject({ code: 'BlobFailed', details: { kind } })
    }
  })

  it('without a range is right if the whole blob was requested', async () => {
    const { read } = serverOf(() => ({ Body: chunks(whole), ContentLength: 100 }))
    expect(await read(0, 100)).toEqual([...whole])
  })

  it('that never ends is overtaken by that of a second request', async () => {
    const stalled = new Readable({ read: () => undefined })
    stalled.push(whole.subarray(10, 12))
    const { inputs, read } = serverOf(() => ({ ...right(), Body: stalled }), right)
    expect(await read(10, 20, 5)).toEqual(tenBytes)
    expect(inputs.length).toBe(2)
    await expect.poll(() => stalled.destroyed).toBe(true)
  })

  it('that never ends fails at its deadline', async () => {
    const { read } = serverOf(() => ({ ...right(), Body: new Readable({ read: () => undefined }) }))
    await expect(read(10, 20)).rejects.toMatchObject({ code: 'BlobFailed', details: { kind: 'timeout' } })
  })
})
