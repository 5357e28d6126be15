/**
 * Writes one blob: a short one in one request, a longer one as a multipart upload whose parts are sent while the next one is
 * gathered. It is visible as a whole, when the server has acknowledged all of it, or not at all.
 */
import { randomBytes } from 'node:crypto'
import { type ByteSource, StorageError } from '@varve/core'
import type { Cancellation } from '../blobs/cancellation.ts'
import { drainSource } from '../blobs/drain-source.ts'
import { MultipartUpload, metadataOf, type NewObject, settleCreation, signedWith } from './multipart-upload.ts'
import { type Part, PartFiller } from './part-filler.ts'
import { kindOf } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'
import { withHeaders } from './s3-sdk.ts'
import type { Turns } from '../system/turns.ts'

export interface ObjectWriter {
  readonly place: S3Place
  readonly partBytes: number
  readonly partsAtOnce: number
  /** The places for buffers of `partBytes`. */
  readonly places: Turns
  /** How long a write may take. Later, another process may take its parts for those of a dead one. */
  readonly longestMs: number
}

/** An object to be written. */
export interface ObjectToWrite {
  readonly key: string
  /** Another process may give an object this key, so one that may be its own is not removed. */
  readonly isContended: boolean
}

/**
 * Resolves with the number of bytes.
 * @throws StorageError `NoSpace`, `TooManyOpenFiles` or `BlobFailed`; errors of the source and the reason of the
 * cancellation pass through.
 */
export async function writeObject(
  writer: ObjectWriter,
  { key, isContended }: ObjectToWrite,
  source: ByteSource,
  cancel: Cancellation,
): Promise<number> {
  const { place, partBytes, partsAtOnce, places } = writer
  const ending = new AbortController()
  const made = { key, write: randomBytes(16).toString('hex'), signal: ending.signal }
  const upload = new MultipartUpload(place, made)
  const assertInTime = deadline(writer.longestMs)
  const send = async (part: Part): Promise<void> => {
    try {
      assertInTime()
      await upload.send(part)
    } catch (error) {
      // The source may be slow, or never answer.
      cancel.cancel(error)
      throw error
    }
  }
  const filler = new PartFiller({ partBytes, partsAtOnce, places, signal: ending.signal, send })
  let isCreating = false
  try {
    await drainSource(source, cancel, (chunk) => {
      const pending = filler.add(chunk)
      return pending === undefined ? undefined : cancel.wait(pending)
    })
    await cancel.wait(finish())
    return filler.total
  } catch (error) {
    ending.abort(error)
    await filler.idle()
    const signal = AbortSignal.timeout(place.requests.timeoutMs)
    await upload.abort(signal).catch(() => undefined)
    // The object may be one of another write.
    if (isCreating && !isContended && kindOf(error) !== 'exists') await removeObject(place, made.key, signal)
    throw error
  } finally {
    filler.release()
  }

  async function finish(): Promise<void> {
    const last = await filler.last()
    if (upload.isStarted) await upload.send(last)
    assertInTime()
    isCreating = true
    await (upload.isStarted ? upload.complete(filler.total) : putObject(place, made, last))
  }
}

async function putObject(place: S3Place, made: NewObject, { bytes, sha256 }: Part): Promise<void> {
  const { client, requests, sdk } = place
  const { key, signal } = made
  try {
    await place.creating((condition) =>
      requests.run(
        'Writing a blob',
        (abortSignal) => {
          const about = { ...place.at(key), ...metadataOf(made), ContentLength: bytes.length, ...condition }
          const command = withHeaders(new sdk.PutObjectCommand({ ...about, Body: bytes }), signedWith(sha256))
          return place.within(abortSignal, client.send(command, { abortSignal }))
        },
        { signal },
      ),
    )
  } catch (error) {
    await settleCreation(place, made, bytes.length, error)
  }
}

/**
 * Removes what a failed write may have left, as far as the server can be reached: a request that was not answered may have
 * had its effect, or may have it later. The sweep of orphans finds what stays.
 */
async function removeObject(place: S3Place, key: string, signal: AbortSignal): Promise<void> {
  const { client, requests, sdk } = place
  const remove = (abortSignal: AbortSignal) =>
    place.within(abortSignal, client.send(new sdk.DeleteObjectCommand(place.at(key)), { abortSignal }))
  await requests.run('Removing a blob', remove, { signal }).catch(() => undefined)
}

function deadline(ms: number): () => void {
  const end = performance.now() + ms
  return () => {
    if (performance.now() < end) return
    throw new StorageError('BlobFailed', 'The write of a blob took too long.', { details: { kind: 'tooSlow' } })
  }
}
