/** Reads bytes of a blob: exactly those that were requested, of the object that was opened. */
import type { Readable } from 'node:stream'
import { type BlobId, type ByteRange, onAbort, StorageError } from '@varve/core'
import { blobMissing } from './head-object.ts'
import { kindOf, WrongAnswer } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'

export interface OpenObject {
  readonly id: BlobId
  readonly size: number
  readonly etag: string | undefined
}

export interface ReadOptions {
  /** Sends a second request for bytes that did not come in this time, in milliseconds. */
  readonly hedgeMs: number | undefined
  readonly signal: AbortSignal
}

/** Fills `into` with the bytes from `start` on. @throws StorageError `BlobFailed`, `BlobMissing` */
export async function readRange(
  place: S3Place,
  object: OpenObject,
  { into, start }: { readonly into: Uint8Array; readonly start: number },
  { hedgeMs, signal }: ReadOptions,
): Promise<void> {
  const read = (target: Uint8Array, ending: AbortSignal): Promise<unknown> =>
    place.requests.run(
      'Reading a blob',
      (abortSignal) => readOnce(place, object, { into: target, start }, abortSignal),
      {
        signal: ending,
      },
    )
  try {
    if (hedgeMs === undefined) await read(into, signal)
    else into.set(await hedged(into.length, read, { hedgeMs, signal, mayHedge: () => place.requests.mayRepeat() }))
  } catch (error) {
    // Another process deleted it.
    if (kindOf(error) === 'NoSuchKey') throw blobMissing(object.id)
    throw error
  }
}

/** Fills `into` in one request that is not repeated, and reports how many bytes are there. */
export async function readAhead(
  place: S3Place,
  object: OpenObject,
  target: Target,
  signal: AbortSignal,
): Promise<void> {
  const read = (abortSignal: AbortSignal) => readOnce(place, object, target, abortSignal)
  await place.requests.run('Reading a blob', read, { signal, retries: 0 })
}

interface Target {
  readonly into: Uint8Array
  readonly start: number
  /** Called with the number of bytes that are there. */
  readonly onFilled?: (bytes: number) => void
}

async function readOnce(
  place: S3Place,
  { id, size, etag }: OpenObject,
  { into, start, onFilled }: Target,
  abortSignal: AbortSignal,
): Promise<void> {
  const end = start + into.length
  const command = new place.sdk.GetObjectCommand({
    ...place.at(place.keys.keyOf(id)),
    Range: `bytes=${start}-${end - 1}`,
    // A weak one never matches.
    ...(etag !== undefined && !etag.startsWith('W/') && { IfMatch: etag }),
  })
  const answer = await place.within(abortSignal, place.client.send(command, { abortSignal }))
  const body = answer.Body as Readable | undefined
  if (body === undefined) throw new WrongAnswer('WrongAnswer', 'There are no bytes in the answer.')
  const stop = (): void => void body.destroy(abortSignal.reason as Error)
  const unlisten = onAbort(abortSignal, stop)
  try {
    assertRange(answer, { start, end }, size)
    await fill(into, body, onFilled)
  } finally {
    unlisten()
    body.destroy()
  }
}

/** A server, or a cache before it, can ignore the range, or answer with another one. */
function assertRange(
  { ContentRange, ContentLength }: { readonly ContentRange?: string; readonly ContentLength?: number },
  { start, end }: ByteRange,
  size: number,
): void {
  const isWhole = ContentRange === undefined && start === 0 && end === size
  if (!isWhole && ContentRange !== `bytes ${start}-${end - 1}/${size}`) {
    throw new WrongAnswer('WrongRange', `Bytes ${start} to ${end} of ${size} were requested, not ${ContentRange}.`)
  }
  if (ContentLength !== undefined && ContentLength !== end - start) throw wrongSize(ContentLength, end - start)
}

async function fill(
  into: Uint8Array,
  body: AsyncIterable<Uint8Array>,
  onFilled: (bytes: number) => void = () => undefined,
): Promise<void> {
  let filled = 0
  for await (const chunk of body) {
    if (filled + chunk.length > into.length) throw wrongSize(filled + chunk.length, into.length)
    into.set(chunk, filled)
    filled += chunk.length
    onFilled(filled)
  }
  if (filled < into.length) throw wrongSize(filled, into.length)
}

const wrongSize = (size: number, expected: number): WrongAnswer =>
  new WrongAnswer('WrongSize', `${expected} bytes were requested, and ${size} came.`)

interface Hedge {
  readonly hedgeMs: number
  readonly signal: AbortSignal
  readonly mayHedge: () => boolean
}

/** Each request has bytes of its own, so that the slower one changes nothing. */
async function hedged(
  length: number,
  read: (into: Uint8Array, signal: AbortSignal) => Promise<unknown>,
  { hedgeMs, signal, mayHedge }: Hedge,
): Promise<Uint8Array> {
  const ending = new AbortController()
  const stop = (): void => ending.abort(signal.reason)
  const unlisten = onAbort(signal, stop)
  const begin = async (): Promise<Uint8Array> => {
    const bytes = new Uint8Array(length)
    await read(bytes, ending.signal)
    return bytes
  }
  let timer: NodeJS.Timeout | undefined
  try {
    signal.throwIfAborted()
    const first = begin()
    const isLate = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, hedgeMs, true)))
    const isFirst = await Promise.race([first.then(() => false), isLate])
    if (!isFirst || !mayHedge()) return await first
    return await Promise.any([first, begin()])
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error
  } finally {
    clearTimeout(timer)
    unlisten()
    ending.abort(new StorageError('BlobFailed', 'Another request was faster.'))
  }
}
