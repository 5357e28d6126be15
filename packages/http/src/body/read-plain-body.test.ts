import { createHash } from 'node:crypto'
import { onePiece } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { type PlainBodyOptions, readPlainBody } from './read-plain-body.ts'

const pieces = ['some ', 'bytes'].map((text) => Buffer.from(text))
const length = 10
const sha256 = createHash('sha256').update('some bytes').digest('hex')

let isClosed: boolean

async function* source(): AsyncGenerator<Uint8Array> {
  isClosed = false
  try {
    yield* pieces
  } finally {
    isClosed = true
  }
}

type Options = Partial<PlainBodyOptions>

const bodyOf = (options: Options) => readPlainBody(source(), { length, sha256: undefined, bytesMax: 1000, ...options })

const ways = {
  'as a stream': async (options: Options) => {
    const read: Uint8Array[] = []
    for await (const piece of bodyOf(options)) read.push(piece)
    return Buffer.concat(read)
  },
  'in one piece': async (options: Options) => Buffer.from((await bodyOf(options)[onePiece]?.()) ?? []),
}

describe.each(Object.entries(ways))('a body that is read %s', (_, read) => {
  it('has the bytes of the request', async () => {
    expect((await read({ sha256 })).toString()).toBe('some bytes')
    expect(isClosed).toBe(true)
  })

  it.each([
    ['is shorter than announced', { length: 11 }, 'IncompleteBody'],
    ['is longer than announced', { length: 9 }, 'IncompleteBody'],
    ['is larger than allowed', { bytesMax: 9 }, 'EntityTooLarge'],
    ['does not have the digest that was signed', { sha256: '0'.repeat(64) }, 'XAmzContentSHA256Mismatch'],
  ])('is refused if it %s, and its source is closed', async (_case, options, code) => {
    await expect(read(options)).rejects.toMatchObject({ code })
    expect(isClosed).toBe(true)
  })
})

it('is only a stream if it is long, or its length is not known', () => {
  for (const unknown of [undefined, 64 * 1024 + 1]) expect(bodyOf({ length: unknown })[onePiece]).toBeUndefined()
})
