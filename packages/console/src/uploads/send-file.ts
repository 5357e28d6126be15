/**
 * Sends one file: whole, or in parts of which several are under way. If it fails, the parts that arrived stay on the
 * server. The next attempt continues with them, after it has compared them with the file.
 */

import { md5 } from '@noble/hashes/legacy.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { SendOptions, SentPart } from '../s3/uploads.ts'
import { isAborted, ServerError, Unreachable } from '../transport/failures.ts'
import { type Part, partsOf, partSizeOf, wholeMax } from './part-plan.ts'

/** What the server does, so that tests can be one. */
export interface UploadServer {
  readonly putObject: (body: Blob, options: SendOptions) => Promise<void>
  readonly createUpload: () => Promise<string>
  readonly listParts: (uploadId: string) => Promise<readonly SentPart[]>
  readonly uploadPart: (uploadId: string, partNumber: number, body: Blob, options: SendOptions) => Promise<SentPart>
  readonly completeUpload: (uploadId: string, parts: readonly SentPart[]) => Promise<void>
  readonly pause: (attempt: number, signal: AbortSignal) => Promise<void>
}

export interface FileToSend {
  readonly file: Blob
  /** An upload that was begun before. */
  readonly uploadId?: string | undefined
  readonly signal: AbortSignal
  readonly onProgress: (bytesSent: number) => void
  /** Called when an upload in parts begins, so that it can be continued or aborted. */
  readonly onBegin: (uploadId: string) => void
}

const attemptsMax = 5
const partsAtOnce = 3

/** @throws ServerError, Unreachable; `AbortError` when `signal` is aborted */
export async function sendFile(server: UploadServer, sending: FileToSend): Promise<void> {
  const { file, signal, onProgress, onBegin } = sending
  if (sending.uploadId === undefined && file.size <= wholeMax) {
    await repeated(server, signal, () => server.putObject(file, { signal, onProgress }))
    return
  }
  const uploadId = sending.uploadId ?? (await repeated(server, signal, () => server.createUpload()))
  onBegin(uploadId)
  const { partSize, kept } = await keptParts(server, { ...sending, uploadId })
  const progress = new Map(kept.map(({ partNumber, size }) => [partNumber, size]))
  const report = (): void => onProgress([...progress.values()].reduce((sum, bytes) => sum + bytes, 0))
  report()
  const missing = partsOf(file.size, partSize).filter(({ partNumber }) => !progress.has(partNumber))
  const sent = await eachOf(missing, signal, (part, within) =>
    repeated(server, within, () =>
      server.uploadPart(uploadId, part.partNumber, sliceOf(file, part), {
        signal: within,
        onProgress: (bytes) => {
          progress.set(part.partNumber, bytes)
          report()
        },
      }),
    ),
  )
  const parts = [...kept, ...sent].sort((a, b) => a.partNumber - b.partNumber)
  await repeated(server, signal, () => server.completeUpload(uploadId, parts))
}

const sliceOf = (file: Blob, { start, end }: Part): Blob => file.slice(start, end)

interface KeptParts {
  readonly partSize: number
  readonly kept: readonly SentPart[]
}

/** The parts on the server that are the same as in the file. The others are sent again. */
async function keptParts(
  server: UploadServer,
  { file, uploadId, signal }: FileToSend & { uploadId: string },
): Promise<KeptParts> {
  const listed = await repeated(server, signal, () => server.listParts(uploadId))
  const partSize = partSizeIn(listed, file.size)
  const byNumber = new Map(partsOf(file.size, partSize).map((part) => [part.partNumber, part]))
  const kept: SentPart[] = []
  for (const part of listed) {
    const planned = byNumber.get(part.partNumber)
    if (planned === undefined || planned.end - planned.start !== part.size) continue
    if ((await md5Of(sliceOf(file, planned), signal)) === part.etag.replaceAll('"', '')) kept.push(part)
  }
  return { partSize, kept }
}

/** Another program may have begun the upload, with parts of another size. */
function partSizeIn(listed: readonly SentPart[], fileSize: number): number {
  const planned = partSizeOf(fileSize)
  const first = listed.find(({ partNumber }) => partNumber === 1)
  return first !== undefined && first.size >= 5 * 1024 ** 2 && fileSize / first.size <= 10_000 ? first.size : planned
}

const hashedAtOnce = 1024 ** 2

async function md5Of(blob: Blob, signal: AbortSignal): Promise<string> {
  const hash = md5.create()
  for (let start = 0; start < blob.size; start += hashedAtOnce) {
    signal.throwIfAborted()
    hash.update(new Uint8Array(await blob.slice(start, start + hashedAtOnce).arrayBuffer()))
  }
  return bytesToHex(hash.digest())
}

/** Tries again after a failure that may pass: a lost connection, or a server that is busy. */
async function repeated<T>(server: UploadServer, signal: AbortSignal, run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      signal.throwIfAborted()
      return await run()
    } catch (error) {
      const mayPass = error instanceof Unreachable || (error instanceof ServerError && error.status >= 500)
      if (!mayPass || isAborted(error) || attempt >= attemptsMax) throw error
      await server.pause(attempt, signal)
    }
  }
}

/** Runs a few at a time. The first failure stops the others. */
async function eachOf<T, R>(
  items: readonly T[],
  signal: AbortSignal,
  run: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<readonly R[]> {
  const failed = new AbortController()
  const within = AbortSignal.any([signal, failed.signal])
  const results: R[] = []
  const waiting = [...items]
  const work = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) results.push(await run(item, within))
  }
  const failures: unknown[] = []
  await Promise.all(
    Array.from({ length: partsAtOnce }, () =>
      work().catch((error: unknown) => {
        failures.push(error)
        failed.abort()
      }),
    ),
  )
  if (failures.length > 0) throw failures[0]
  return results
}
