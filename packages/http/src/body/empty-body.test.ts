import { describe, expect, it } from 'vitest'
import { createRequestHeaders } from '../target/request-headers.ts'
import { assertNoContent } from './empty-body.ts'

async function verdict(headers: readonly string[], chunks: readonly string[] = []): Promise<string> {
  let read = 0
  async function* source() {
    for (const chunk of chunks) {
      read++
      yield Buffer.from(chunk)
    }
  }
  const code = await assertNoContent(source(), createRequestHeaders(headers)).then(
    () => 'passed',
    (error: unknown) => (error as { readonly code: string }).code,
  )
  return `${code}, ${read} read`
}

const streaming = ['x-amz-content-sha256', 'STREAMING-UNSIGNED-PAYLOAD-TRAILER']

describe('a body that nobody reads', () => {
  it.each([
    [[], [], 'passed, 0 read'],
    [['content-length', '0'], [], 'passed, 0 read'],
    [['content-length', '1'], ['x'], 'InvalidRequest, 0 read'],
    // aws-chunked bytes are bytes, even if they are decoded to none.
    [['content-length', '5', 'x-amz-decoded-content-length', '0', ...streaming], ['0'], 'InvalidRequest, 0 read'],
    [['content-length', '0', 'x-amz-decoded-content-length', '9', ...streaming], [], 'passed, 0 read'],
    [['transfer-encoding', 'chunked'], [], 'passed, 0 read'],
    [['transfer-encoding', 'chunked'], ['', ''], 'passed, 2 read'],
    [['transfer-encoding', 'chunked'], ['', 'x', 'y'], 'InvalidRequest, 2 read'],
    [
      ['transfer-encoding', 'chunked', 'x-amz-decoded-content-length', '0', ...streaming],
      ['0'],
      'InvalidRequest, 1 read',
    ],
  ])('with %j and %j: %s', async (headers, chunks, expected) => {
    expect(await verdict(headers, chunks)).toBe(expected)
  })
})
