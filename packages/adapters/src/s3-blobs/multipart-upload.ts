/** One multipart upload: nothing of it is visible before it is completed. */
import { StorageError } from '@varve/core'
import { headObject, writeField } from './head-object.ts'
import type { Part } from './part-filler.ts'
import { kindOf, WrongAnswer } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'
import { withHeaders } from './s3-sdk.ts'

export interface NewObject {
  readonly key: string
  /** Names the write, so that an object whose creation was not answered is known again. */
  readonly write: string
  readonly signal: AbortSignal
}

/** The metadata of an object that the write makes. */
export const metadataOf = ({ write }: NewObject) => ({
  ContentType: 'application/octet-stream',
  Metadata: { [writeField]: write },
})

/** The signature covers the SHA-256 of the body, and the server checks both. */
export const signedWith = (sha256: string) => (): Readonly<Record<string, string>> => ({
  'x-amz-content-sha256': sha256,
})

/** Codes of a repeated request whose first answer may have been lost. */
const perhapsDone = new Set(['NoSuchUpload', 'NotFound', 'PreconditionFailed', 'status404', 'status412'])

/**
 * Settles the outcome of a creation: an object of this write that is there was created by an attempt whose answer was lost.
 * @throws StorageError `error`, or `BlobFailed` (`details.kind` is `exists`): the object is another one
 */
export async function settleCreation(place: S3Place, made: NewObject, size: number, error: unknown): Promise<void> {
  if (!perhapsDone.has(kindOf(error))) throw error
  const found = await headObject(place, made.key, made.signal)
  if (found?.write === made.write && found.size === size) return
  if (found === undefined || found.write === made.write) throw error
  throw new StorageError('BlobFailed', 'A blob of this id exists already.', {
    details: { kind: 'exists' },
    cause: error,
  })
}

export class MultipartUpload {
  readonly #place: S3Place
  readonly #made: NewObject
  readonly #etags: string[] = []
  #creating: Promise<string> | undefined
  #parts = 0

  constructor(place: S3Place, made: NewObject) {
    this.#place = place
    this.#made = made
  }

  get isStarted(): boolean {
    return this.#creating !== undefined
  }

  /** Parts get their numbers in the order of the calls. */
  async send({ bytes, sha256 }: Part): Promise<void> {
    const index = this.#parts++
    this.#creating ??= this.#create()
    const UploadId = await this.#creating
    const { client, requests, sdk } = this.#place
    const { key, signal } = this.#made
    this.#etags[index] = await requests.run(
      'Writing a part of a blob',
      async (abortSignal) => {
        const about = { ...this.#place.at(key), UploadId, PartNumber: index + 1, ContentLength: bytes.length }
        const command = withHeaders(new sdk.UploadPartCommand({ ...about, Body: bytes }), signedWith(sha256))
        const { ETag } = await this.#place.within(abortSignal, client.send(command, { abortSignal }))
        if (ETag === undefined) throw new WrongAnswer('WrongAnswer', 'A part has no ETag.')
        return ETag
      },
      { signal },
    )
  }

  /** All parts were sent. @throws StorageError `BlobFailed` unless the server has all bytes */
  async complete(size: number): Promise<void> {
    const { client, requests, sdk } = this.#place
    const { key, signal, write } = this.#made
    const UploadId = await this.#creating
    const Parts = this.#etags.map((ETag, index) => ({ ETag, PartNumber: index + 1 }))
    try {
      await this.#place.creating((condition) =>
        requests.run(
          'Completing a blob',
          (abortSignal) => {
            const about = { ...this.#place.at(key), UploadId, MultipartUpload: { Parts }, ...condition }
            const command = new sdk.CompleteMultipartUploadCommand(about)
            return this.#place.within(abortSignal, client.send(command, { abortSignal }))
          },
          { signal },
        ),
      )
    } catch (error) {
      return settleCreation(this.#place, this.#made, size, error)
    }
    const found = await headObject(this.#place, key, signal)
    if (found?.size === size && found.write === write) return
    const message = `A blob of ${size} bytes came out with ${found?.size}.`
    throw new StorageError('BlobFailed', message, { details: { kind: 'size', size: found?.size ?? 0, expected: size } })
  }

  /** Removes the parts, as far as the server can be reached. */
  async abort(signal: AbortSignal): Promise<void> {
    const UploadId = await this.#creating?.catch(() => undefined)
    if (UploadId === undefined) return
    const { client, requests, sdk } = this.#place
    const command = { ...this.#place.at(this.#made.key), UploadId }
    await requests.run(
      'Removing the parts of a blob',
      (abortSignal) =>
        this.#place.within(abortSignal, client.send(new sdk.AbortMultipartUploadCommand(command), { abortSignal })),
      { signal },
    )
  }

  #create(): Promise<string> {
    const { client, requests, sdk } = this.#place
    const made = { ...this.#place.at(this.#made.key), ...metadataOf(this.#made) }
    return requests.run(
      'Beginning a blob',
      async (abortSignal) => {
        const command = new sdk.CreateMultipartUploadCommand(made)
        const { UploadId } = await this.#place.within(abortSignal, client.send(command, { abortSignal }))
        if (UploadId === undefined) throw new WrongAnswer('WrongAnswer', 'An upload has no id.')
        return UploadId
      },
      { signal: this.#made.signal },
    )
  }
}
