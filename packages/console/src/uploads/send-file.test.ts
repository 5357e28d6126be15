import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { SentPart } from '../s3/uploads.ts'
import { ServerError, Unreachable } from '../transport/failures.ts'
import { partsOf, partSizeOf, wholeMax } from './part-plan.ts'
import { type FileToSend, sendFile, type UploadServer } from './send-file.ts'

const mebibyte = 1024 ** 2
const part = 8 * mebibyte

/** 20 MiB that differ everywhere: two parts and a half. */
const bytes = Uint8Array.from({ length: 20 * mebibyte }, (_, at) => (at + Math.floor(at / 251)) % 251)
const file = new Blob([bytes])
const etagOf = (from: number, to: number): string =>
  `"${createHash('md5').update(bytes.subarray(from, to)).digest('hex')}"`

/** A server in memory. `failures` are thrown by the calls that come next. */
function memoryServer({
  kept = [],
  failures = [],
}: {
  kept?: readonly SentPart[]
  failures?: (Error | undefined)[]
} = {}) {
  const calls: string[] = []
  const failing = async <T>(name: string, answer: () => T | Promise<T>): Promise<T> => {
    calls.push(name)
    const failure = failures.shift()
    if (failure !== undefined) throw failure
    return answer()
  }
  const server: UploadServer = {
    putObject: (body, { onProgress }) => failing('put', () => onProgress(body.size)),
    createUpload: () => failing('create', () => 'upload-1'),
    listParts: () => failing('list', () => kept),
    uploadPart: (_, partNumber, body, { onProgress }) =>
      failing(`part ${partNumber}`, async () => {
        onProgress(body.size)
        const digest = createHash('md5')
          .update(Buffer.from(await body.arrayBuffer()))
          .digest('hex')
        return { partNumber, etag: `"${digest}"`, size: body.size }
      }),
    completeUpload: (_, parts) =>
      failing(`complete ${parts.map(({ partNumber }) => partNumber).join()}`, () => undefined),
    pause: async () => {
      calls.push('pause')
    },
  }
  return { server, calls }
}

function sending(given: Partial<FileToSend> = {}) {
  const progress: number[] = []
  const begun: string[] = []
  const file_: FileToSend = {
    file,
    signal: new AbortController().signal,
    onProgress: (sent) => progress.push(sent),
    onBegin: (uploadId) => begun.push(uploadId),
    ...given,
  }
  return { sent: file_, progress, begun }
}

describe('a small file', () => {
  it('is sent whole', async () => {
    const { server, calls } = memoryServer()
    const { sent, begun } = sending({ file: new Blob(['hello']) })
    await sendFile(server, sent)
    expect([calls, begun]).toEqual([['put'], []])
  })

  it('is sent again after a lost connection and a busy server, but not after a refusal', async () => {
    const busy = new ServerError({ code: 'SlowDown', status: 503, message: '' })
    const { server, calls } = memoryServer({ failures: [new Unreachable(undefined), busy] })
    await sendFile(server, sending({ file: new Blob(['hello']) }).sent)
    expect(calls).toEqual(['put', 'pause', 'put', 'pause', 'put'])

    const denied = new ServerError({ code: 'AccessDenied', status: 403, message: '' })
    const refusing = memoryServer({ failures: [denied] })
    await expect(sendFile(refusing.server, sending({ file: new Blob(['a']) }).sent)).rejects.toBe(denied)
    expect(refusing.calls).toEqual(['put'])
  })
})

describe('a large file', () => {
  it('is sent in parts, with its progress, and completed in order', async () => {
    const { server, calls } = memoryServer()
    const { sent, progress, begun } = sending()
    await sendFile(server, sent)
    expect(begun).toEqual(['upload-1'])
    expect(calls.toSorted()).toEqual(['complete 1,2,3', 'create', 'list', 'part 1', 'part 2', 'part 3'])
    expect(progress.at(-1)).toBe(file.size)
  })

  it('that failed keeps its upload, so that it can go on', async () => {
    const lost = Array.from({ length: 30 }, () => new Unreachable(undefined))
    const { server } = memoryServer({ failures: [undefined, undefined, ...lost] })
    const { sent, begun } = sending()
    await expect(sendFile(server, sent)).rejects.toThrow(Unreachable)
    expect(begun).toEqual(['upload-1'])
  })

  it('goes on with the parts that arrived, and sends those again that differ from the file', async () => {
    const kept = [
      { partNumber: 1, size: part, etag: etagOf(0, part) },
      { partNumber: 2, size: part, etag: etagOf(0, part) },
      { partNumber: 9, size: part, etag: etagOf(0, part) },
    ]
    const { server, calls } = memoryServer({ kept })
    const { sent, progress } = sending({ uploadId: 'upload-1' })
    await sendFile(server, sent)
    expect(calls.toSorted()).toEqual(['complete 1,2,3', 'list', 'part 2', 'part 3'])
    expect(progress[0]).toBe(part)
  })

  it('goes on with parts of the size that another program chose', async () => {
    const size = 5 * mebibyte
    const kept = [1, 2].map((n) => ({ partNumber: n, size, etag: etagOf((n - 1) * size, n * size) }))
    const { server, calls } = memoryServer({ kept })
    await sendFile(server, sending({ uploadId: 'upload-1' }).sent)
    expect(calls.toSorted()).toEqual(['complete 1,2,3,4', 'list', 'part 3', 'part 4'])
  })

  it('stops when it is cancelled, and sends no further part', async () => {
    const controller = new AbortController()
    const { server, calls } = memoryServer()
    const { sent } = sending({ signal: controller.signal, onBegin: () => controller.abort() })
    await expect(sendFile(server, sent)).rejects.toMatchObject({ name: 'AbortError' })
    expect(calls.filter((call) => call.startsWith('part'))).toEqual([])
  })
})

describe('the plan of parts', () => {
  it.each([1, part, part + 1, wholeMax, 5 * 1024 ** 3, 79 * 1024 ** 3, 5 * 1024 ** 4])('covers %d bytes', (size) => {
    const parts = partsOf(size, partSizeOf(size))
    expect(parts.length).toBeLessThanOrEqual(10_000)
    expect(parts.at(-1)?.end).toBe(size)
    expect(parts.every(({ start }, at) => start === (parts[at - 1]?.end ?? 0))).toBe(true)
  })
})
