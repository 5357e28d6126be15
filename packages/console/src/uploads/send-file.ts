/**
 * Sends one file: whole, or in parts of which several are under way. If it fails, the parts that arrived stay on the
 * server. The next attempt continues with them, after it has shown that they are parts of the same file.
 */

import type { ListedParts, SendOptions, SentPart } from '../s3/uploads.ts'
import { isAborted, ServerError, Unreachable } from '../transport/failures.ts'
import type { FileFacts } from './begun-uploads.ts'
import { type Part, partsOf, partSizeOf, wholeMax } from './part-plan.ts'
import { arrivedOf, type Continuation, continuationOf, FileChanged, isReadable, NotTheSameFile } from './same-file.ts'

/** What the server does, so that tests can be one. */
export interface UploadServer {
  readonly putObject: (body: Blob, options: SendOptions) => Promise<void>
  readonly createUpload: () => Promise<string>
  readonly listParts: (uploadId: string) => Promise<ListedParts>
  readonly uploadPart: (uploadId: string, partNumber: number, body: Blob, options: SendOptions) => Promise<SentPart>
  readonly completeUpload: (uploadId: string, parts: readonly SentPart[]) => Promise<void>
  readonly pause: (attempt: number, signal: AbortSignal) => Promise<void>
}

export interface FileToSend {
  readonly file: Blob
  /** An upload that was begun before. */
  readonly uploadId?: string | undefined
  /** The file that this upload was begun with, as far as it is known. */
  readonly begun?: FileFacts | undefined
  /** The person knows that the file has another time than the one that the upload was begun with. */
  readonly isTimeAccepted: boolean
  /** The parts of the file, once it is known that the upload is of this file. A later attempt has the same. */
  readonly plan: { parts?: readonly Part[] }
  /** The ETags of parts of this file that arrived before: these are not compared again. */
  readonly arrived: Map<number, string>
  readonly signal: AbortSignal
  readonly onProgress: (bytesSent: number) => void
  /** Called when an upload in parts begins, so that it can be continued or aborted. */
  readonly onBegin: (uploadId: string) => void
}

const attemptsMax = 5
const partsAtOnce = 3

/** @throws ServerError, Unreachable, NotTheSameFile, FileChanged; `AbortError` when `signal` is aborted */
export async function sendFile(server: UploadServer, sending: FileToSend): Promise<void> {
  const { file, arrived, signal, onProgress, onBegin } = sending
  if (sending.uploadId === undefined && file.size <= wholeMax) {
    await repeated(server, sending, () => server.putObject(file, { signal, onProgress }))
    return
  }
  const uploadId = sending.uploadId ?? (await repeated(server, sending, () => server.createUpload()))
  if (sending.uploadId === undefined) {
    sending.plan.parts = partsOf(file.size, partSizeOf(file.size))
    onBegin(uploadId)
  }
  const { kept, missing } = await continued(server, { ...sending, uploadId })
  const progress = new Map(kept.map(({ partNumber, size }) => [partNumber, size]))
  const report = (): void => onProgress([...progress.values()].reduce((sum, bytes) => sum + bytes, 0))
  report()
  const sent = await eachOf(missing, async (part) => {
    const onPartProgress = (bytes: number): void => {
      progress.set(part.partNumber, bytes)
      report()
    }
    const done = await repeated(server, sending, () =>
      server.uploadPart(uploadId, part.partNumber, sliceOf(file, part), { signal, onProgress: onPartProgress }),
    )
    arrived.set(done.partNumber, done.etag)
    return done
  })
  const parts = [...kept, ...sent].sort((a, b) => a.partNumber - b.partNumber)
  await repeated(server, sending, () => server.completeUpload(uploadId, parts))
}

const sliceOf = (file: Blob, { start, end }: Part): Blob => file.slice(start, end)

async function continued(
  server: UploadServer,
  sending: FileToSend & { readonly uploadId: string },
): Promise<Continuation> {
  const { file, plan } = sending
  const listed = await repeated(server, sending, () => server.listParts(sending.uploadId))
  try {
    if (plan.parts !== undefined) return await arrivedOf(plan.parts, { ...sending, listed })
    const found = await continuationOf({ ...sending, begun: sending.begun, listed })
    plan.parts = found.planned
    return found
  } catch (error) {
    if (isAborted(error) || error instanceof NotTheSameFile || (await isReadable(file))) throw error
    throw new FileChanged(error)
  }
}

/**
 * Tries again after a failure that may pass: a lost connection, or a server that is busy. A browser that cannot read the file
 * reports that as a lost connection too.
 */
async function repeated<T>(
  server: UploadServer,
  { file, signal }: Pick<FileToSend, 'file' | 'signal'>,
  run: () => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      signal.throwIfAborted()
      return await run()
    } catch (error) {
      if (isAborted(error)) throw error
      const isBusy = error instanceof ServerError && error.status >= 500
      if (!(error instanceof ServerError) && !(await isReadable(file))) throw new FileChanged(error)
      if (!(isBusy || error instanceof Unreachable) || attempt >= attemptsMax) throw error
      await server.pause(attempt, signal)
    }
  }
}

/** Runs a few at a time. After a failure none begins, and those under way may end: what arrives is not sent again. */
async function eachOf<T, R>(items: readonly T[], run: (item: T) => Promise<R>): Promise<readonly R[]> {
  const results: R[] = []
  const failures: unknown[] = []
  const waiting = [...items]
  const work = async (): Promise<void> => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        results.push(await run(item))
      } catch (error) {
        failures.push(error)
        waiting.length = 0
      }
    }
  }
  await Promise.all(Array.from({ length: partsAtOnce }, work))
  if (failures.length > 0) throw failures[0]
  return results
}
