import { describe, expect, it } from 'vitest'
import { isS3Error } from '../errors/errors.ts'
import { objectContext, objectInfo } from './object-context.fixture.ts'
import type { RequestSketch } from './object-context.fixture.ts'
import { readRequest } from './read-request.ts'

const requested = async (sketch: RequestSketch) => readRequest(objectContext(sketch))
const refused = (code: 'InvalidArgument' | 'InvalidRequest') =>
  expect.toSatisfy((error: unknown) => isS3Error(error, code))

describe('readRequest', () => {
  it('requests the whole current object by default', async () => {
    expect(await requested({})).toEqual({ options: { needsKey: true }, overrides: {}, wantsChecksum: false })
  })

  it('passes on version, range and conditions', async () => {
    const sketch = { versionId: 'v', headers: { Range: 'bytes=0-1', 'If-Match': '"a"' } }
    const wanted = { versionId: 'v', range: { first: 0, last: 1 }, ifMatch: ['a'], needsKey: true }
    expect((await requested(sketch)).options).toEqual(wanted)
  })

  it('shows checksums on request, of a part and of a range as well', async () => {
    const mode = { 'x-amz-checksum-mode': 'ENABLED' }
    expect((await requested({ headers: mode })).wantsChecksum).toBe(true)
    expect((await requested({ headers: mode, query: 'partNumber=2' })).wantsChecksum).toBe(true)
    expect((await requested({ headers: { ...mode, Range: 'bytes=0-1' } })).wantsChecksum).toBe(true)
    expect((await requested({ headers: { ...mode, Range: 'nonsense' } })).wantsChecksum).toBe(true)
  })

  it.each(['0', '10001', '-1', '1.0', '1e3', '', 'x', '99999999999999999999'])('refuses part %j', async (part) => {
    await expect(requested({ query: `partNumber=${part}` })).rejects.toThrow(refused('InvalidArgument'))
  })

  it.each([
    ['1', 1],
    ['10000', 10_000],
  ])('takes part %s', async (text, partNumber) => {
    expect((await requested({ query: `partNumber=${text}` })).options).toEqual({ partNumber, needsKey: true })
  })

  it('refuses a range of a part', async () => {
    const sketch = { query: 'partNumber=1', headers: { Range: 'bytes=0-1' } }
    await expect(requested(sketch)).rejects.toThrow(refused('InvalidRequest'))
  })

  it.each([
    ['"abc"', true],
    ['"abd"', false],
    ['W/"abc"', false],
    ['Sat, 28 Feb 2026 23:59:59 GMT', true],
    ['Sun, 01 Mar 2026 00:00:00 GMT', false],
    ['Fri, 27 Feb 2026 23:59:59 GMT', false],
  ])('given If-Range %s, sends the range: %s', async (validator, sends) => {
    const headers = { Range: 'bytes=0-1', 'If-Range': validator }
    const store = { objects: { head: async () => objectInfo() } }
    expect((await requested({ headers, store })).options.range).toEqual(sends ? { first: 0, last: 1 } : undefined)
  })
})
