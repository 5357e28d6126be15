import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ListedParts, SentPart } from '../s3/uploads.ts'
import { ServerError, Unreachable } from '../transport/failures.ts'
import { partsOf, partSizeOf, wholeMax } from './part-plan.ts'
import { FileChanged } from './same-file.ts'
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
  checksum,
  failures = [],
}: {
  kept?: readonly SentPart[]
  checksum?: string
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
    listParts: () => failing('list', (): ListedParts => ({ parts: kept, ...(checksum && { checksum }) })),
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
    isTimeAccepted: false,
    plan: {},
    arrived: new Map(),
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

  it('that was begun here goes on with its parts, and sends those again that it did not send', async () => {
    const kept = [
      { partNumber: 1, size: part, etag: '"of an encrypted part"' },
      { partNumber: 2, size: part, etag: '"of another part"' },
      { partNumber: 9, size: part, etag: etagOf(0, part) },
    ]
    const { server, calls } = memoryServer({ kept })
    const arrived = new Map([[1, '"of an encrypted part"']])
    const plan = { parts: partsOf(file.size, part) }
    const { sent, progress } = sending({ uploadId: 'upload-1', arrived, plan })
    await sendFile(server, sent)
    expect(calls.toSorted()).toEqual(['complete 1,2,3', 'list', 'part 2', 'part 3'])
    expect(progress[0]).toBe(part)
    expect([...arrived.keys()].toSorted((a, b) => a - b)).toEqual([1, 2, 3])
  })

  it('stops when it is cancelled, and sends no further part', async () => {
    const controller = new AbortController()
    const { server, calls } = memoryServer()
    const { sent } = sending({ signal: controller.signal, onBegin: () => controller.abort() })
    await expect(sendFile(server, sent)).rejects.toMatchObject({ name: 'AbortError' })
    expect(calls.filter((call) => call.startsWith('part'))).toEqual([])
  })
})

/** Parts of the file as they are on the server, by number and size, with the digest of their place. */
const partsAt = (...places: readonly (readonly [partNumber: number, start: number, size: number])[]) =>
  places.map(([partNumber, start, size]) => ({ partNumber, size, etag: etagOf(start, start + size) }))

const [five, six] = [5 * mebibyte, 6 * mebibyte]

describe('an upload that is continued with the file that it was begun with', () => {
  it.each([
    ['nothing arrived', [], 'part 1,part 2,part 3'],
    ['the first parts', partsAt([1, 0, part], [2, part, part]), 'part 3'],
    ['all parts', partsAt([1, 0, part], [2, part, part], [3, 2 * part, 4 * mebibyte]), ''],
    ['a gap in the middle', partsAt([1, 0, part], [3, 2 * part, 4 * mebibyte]), 'part 2'],
    ['a part of the middle alone', partsAt([2, part, part]), 'part 1,part 3'],
    ['the end alone', partsAt([3, 2 * part, 4 * mebibyte]), 'part 1,part 2'],
    ['parts of another size', partsAt([1, 0, five], [2, five, five]), 'part 3,part 4'],
    ['parts of another size with a gap', partsAt([1, 0, six], [3, 2 * six, six]), 'part 2,part 4'],
    ['no first part of another size', partsAt([2, six, six]), 'part 1,part 3,part 4'],
    ['parts of many sizes', partsAt([1, 0, five], [2, five, part], [3, five + part, six]), 'part 4'],
    ['a small end', partsAt([1, 0, part], [2, part, part + 4 * mebibyte]), ''],
    ['small parts in front of others', partsAt([1, 0, mebibyte], [2, mebibyte, mebibyte]), 'part 1,part 2,part 3'],
    ['a small part behind a large one', partsAt([1, 0, part], [2, part, mebibyte]), 'part 2,part 3'],
  ])('keeps what arrived: %s', async (_, kept, missing) => {
    const { server, calls } = memoryServer({ kept })
    await sendFile(server, sending({ uploadId: 'upload-1', begun: { size: file.size } }).sent)
    expect(
      calls
        .filter((call) => call.startsWith('part'))
        .toSorted()
        .join(),
    ).toBe(missing)
    const parts = Number(/(\d+)$/.exec(calls.at(-1) ?? '')?.[1])
    expect(calls.at(-1)).toBe(`complete ${Array.from({ length: parts }, (_, at) => at + 1).join()}`)
  })
})

describe('an upload that is continued with another file', () => {
  const changed = new Blob([bytes.subarray(0, part), new Uint8Array(4), bytes.subarray(part + 4)])
  const first = partsAt([1, 0, part], [2, part, part])
  const last = { partNumber: 3, size: 4 * mebibyte, etag: etagOf(2 * part, 20 * mebibyte) }
  const timed = (time: number) => new File([bytes], 'a', { lastModified: time })

  it.each<readonly [string, Partial<FileToSend>, readonly SentPart[], string]>([
    ['other bytes at once', { file: new Blob([new Uint8Array(20 * mebibyte)]) }, first, 'parts'],
    ['other bytes in one part', { file: changed }, first, 'parts'],
    ['other bytes behind a gap', { file: changed }, partsAt([2, part, part]), 'parts'],
    ['a shorter file', { file: file.slice(0, part + 1) }, first, 'parts'],
    ['a small file', { file: new Blob(['small']) }, first, 'parts'],
    ['no bytes', { file: new Blob([]) }, first, 'parts'],
    ['a longer file, of whose first form all arrived', { file: new Blob([bytes, bytes]) }, [...first, last], 'parts'],
    ['a longer file behind a gap', { file: new Blob([bytes, bytes]) }, [last], 'parts'],
    ['a part that it does not have', {}, [...first, { ...last, partNumber: 4 }], 'parts'],
    ['a part without a digest', {}, [{ partNumber: 1, size: part, etag: '"random"' }], 'parts'],
    ['another size, before anything arrived', { begun: { size: 5 } }, [], 'size'],
    ['another size, with the same first parts', { begun: { size: file.size + 1 } }, first, 'size'],
    ['another time', { file: timed(2000), begun: { size: file.size, lastModified: 1000 } }, first, 'time'],
  ])('is refused before anything is sent: %s', async (_, given, kept, reason) => {
    const { server, calls } = memoryServer({ kept })
    const sent = sending({ uploadId: 'upload-1', ...given }).sent
    await expect(sendFile(server, sent)).rejects.toMatchObject({ reason })
    expect(calls).toEqual(['list'])
  })

  it('is made if only the time differs and the person knows it', async () => {
    const { server, calls } = memoryServer({ kept: first })
    const begun = { size: file.size, lastModified: 1000 }
    await sendFile(server, sending({ uploadId: 'u', file: timed(2000), begun, isTimeAccepted: true }).sent)
    expect(calls.at(-1)).toBe('complete 1,2,3')
  })

  it('is refused if each part needs a checksum that the console does not make', async () => {
    const { server, calls } = memoryServer({ kept: first, checksum: 'SHA256' })
    await expect(sendFile(server, sending({ uploadId: 'u' }).sent)).rejects.toMatchObject({ reason: 'checksums' })
    expect(calls).toEqual(['list'])
  })
})

describe('a file that changes while it is sent', () => {
  /** As browsers do it: the file cannot be read any more. */
  class Changed extends Blob {
    override slice(): Blob {
      return this
    }
    override arrayBuffer(): Promise<never> {
      return Promise.reject(new DOMException('changed', 'NotReadableError'))
    }
  }

  it.each([
    ['whole', 5],
    ['in parts', 20 * mebibyte],
  ])('stops at once, and says so: %s', async (_, size) => {
    const { server, calls } = memoryServer({
      failures: [undefined, undefined, new Unreachable(undefined)].slice(size > 5 ? 0 : 2),
    })
    const sent = sending({ file: new Changed([new Uint8Array(size)]) }).sent
    await expect(sendFile(server, sent)).rejects.toBeInstanceOf(FileChanged)
    expect(calls.filter((call) => call === 'pause' || call.startsWith('complete'))).toEqual([])
  })

  it('is not compared with what arrived of it', async () => {
    const { server } = memoryServer({ kept: partsAt([1, 0, part]) })
    const sent = sending({ file: new Changed([new Uint8Array(20 * mebibyte)]), uploadId: 'u' }).sent
    await expect(sendFile(server, sent)).rejects.toBeInstanceOf(FileChanged)
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
