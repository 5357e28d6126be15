import { StorageError } from '@varve/core'
import type { PutOptions, PutResult } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { objectContext, objectInfo } from '../objects/object-context.fixture.ts'
import type { RequestSketch } from '../objects/object-context.fixture.ts'
import { putObject } from './put-object.ts'

const result: PutResult = {
  seq: 1,
  lastModified: new Date(0),
  versionId: 'null',
  etag: 'abc',
  size: 1,
  checksum: { algorithm: 'CRC32', type: 'FULL_OBJECT', value: 'AAAAAA==' },
}

const body = {
  length: 1,
  isLong: false,
  checks: () => ({}),
  stream: async function* () {},
  small: async () => new Uint8Array(),
}

function sketch(more: RequestSketch = {}, current?: ReturnType<typeof objectInfo>, made = result) {
  const puts: PutOptions[] = []
  const objects = {
    put: async (_bucket: string, _key: string, _body: unknown, options: PutOptions) => {
      puts.push(options)
      return made
    },
    head: async () => {
      if (current === undefined) throw new StorageError('NoSuchKey', 'not there')
      return current
    },
  }
  return { puts, context: objectContext({ body, ...more, store: { objects } }) }
}

describe('PutObject', () => {
  it('requests S3’s default checksum unless the client names one', async () => {
    const plain = sketch()
    await putObject(plain.context)
    expect(plain.puts[0]?.checksum).toEqual({ algorithm: 'CRC64NVME' })
    const checksum = { algorithm: 'SHA1', expected: 'x' } as const
    const named = sketch({ body: { ...body, checks: () => ({ checksum }) } })
    await putObject(named.context)
    expect(named.puts[0]?.checksum).toEqual(checksum)
  })

  it('answers with ETag and checksum, and with a version id that was made', async () => {
    const headers = { etag: '"abc"', 'x-amz-checksum-crc32': 'AAAAAA==', 'x-amz-checksum-type': 'FULL_OBJECT' }
    expect(await putObject(sketch().context)).toEqual({ status: 200, headers })
    const versioned = sketch({}, undefined, { ...result, versionId: 'v' })
    expect(await putObject(versioned.context)).toEqual({
      status: 200,
      headers: { ...headers, 'x-amz-version-id': 'v' },
    })
  })

  it.each([
    ['If-None-Match', '*', objectInfo(), 'PreconditionFailed'],
    ['If-Match', '"other"', objectInfo(), 'PreconditionFailed'],
    ['If-Match', '"abc"', undefined, 'NoSuchKey'],
  ] as const)('refuses %s: %s before it takes a byte', async (name, value, current, code) => {
    const { puts, context } = sketch({ headers: { [name]: value } }, current)
    await expect(putObject(context)).rejects.toThrow(expect.toSatisfy((error: unknown) => isS3Error(error, code)))
    expect(puts).toEqual([])
  })

  it('leaves the last word on conditions to the store', async () => {
    const { puts, context } = sketch({ headers: { 'If-Match': '"abc"' } }, objectInfo())
    await putObject(context)
    expect(puts[0]).toMatchObject({ ifMatch: 'abc' })
  })

  it('refuses bytes other than the signed ones with S3’s error', async () => {
    const details = { ExpectedSHA256: 'a', CalculatedSHA256: 'b' }
    const context = objectContext({
      body,
      store: { objects: { put: () => Promise.reject(new StorageError('BadDigest', 'No.', { details })) } },
    })
    await expect(putObject(context)).rejects.toMatchObject({
      name: 'S3Error',
      code: 'XAmzContentSHA256Mismatch',
      details: { ClientComputedContentSHA256: 'a', S3ComputedContentSHA256: 'b' },
    })
  })
})
