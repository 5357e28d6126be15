/** A checksum of an operation that reads no body is one of nothing, or it is refused: no client takes it for checked. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectStatus, openTestService, refusal, type TestService } from '../support/test-service.ts'

const ofNothing: readonly (readonly [string, string])[] = [
  ['content-md5', '1B2M2Y8AsgTpgAmY7PhCfg=='],
  ['x-amz-checksum-crc32', 'AAAAAA=='],
  ['x-amz-checksum-crc32c', 'AAAAAA=='],
  ['x-amz-checksum-crc64nvme', 'AAAAAAAAAAA='],
  ['x-amz-checksum-sha1', '2jmj7l5rSw0yVb/vlWAYkK/YBwk='],
  ['x-amz-checksum-sha256', '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='],
]
const ofX: readonly (readonly [string, string])[] = [
  ['content-md5', 'nd1OSEYbJoyULJkIAl2uIw=='],
  ['x-amz-checksum-crc32', 'jNwbgw=='],
  ['x-amz-checksum-sha1', 'Ef7YQkkrfPGHGEALd4yf2hQHrl4='],
]

describe('an operation that reads no body', () => {
  let service: TestService
  let bucket: string
  beforeAll(async () => {
    service = await openTestService()
    bucket = await service.bucket()
    await service.put(`/${bucket}/k`)
  })
  afterAll(() => service.stop())

  const writes: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ['PUT /BUCKET/copy', { 'x-amz-copy-source': 'BUCKET/k' }],
    ['POST /BUCKET/upload?uploads', {}],
    ['DELETE /BUCKET/k?tagging', {}],
    ['DELETE /BUCKET/none', {}],
    ['DELETE /BUCKET?cors', {}],
  ]
  const ask = (request: string, given: Readonly<Record<string, string>>) => {
    const named = (text: string) => text.replace('BUCKET', bucket)
    const headers = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, named(value)]))
    return service.ask(named(request), { headers, body: '' })
  }

  it.each(writes)('%s refuses the digest of other bytes', async (request, headers) => {
    for (const [name, value] of ofX) {
      expect(refusal(await ask(request, { ...headers, [name]: value })), name).toEqual([400, 'BadDigest'])
    }
    const cut = await ask(request, { ...headers, 'content-md5': 'AAAA' })
    expect(refusal(cut)).toEqual([400, 'InvalidDigest'])
    expectStatus(await service.ask(`HEAD /${bucket}/copy`), 404)
  })

  it.each(writes)('%s takes the digest of nothing', async (request, headers) => {
    for (const [name, value] of ofNothing) {
      expect((await ask(request, { ...headers, [name]: value })).status, name).toBeLessThan(300)
    }
    await service.ask(`DELETE /${bucket}/copy`)
  })

  it('ignores it on reads', async () => {
    for (const [name, value] of ofX) expectStatus(await ask('GET /BUCKET/k', { [name]: value }), 200)
  })
})
