/** A prefix of a bucket, and how it is reached: what all operations of a blob store share. */
import type { S3Client } from '@aws-sdk/client-s3'
import type { BlobKeys } from './blob-keys.ts'
import { kindOf } from './s3-failure.ts'
import { type S3Requests, withinSignal } from './s3-requests.ts'
import type { Sdk } from './s3-sdk.ts'

export class S3Place {
  readonly sdk: Sdk
  readonly client: S3Client
  readonly requests: S3Requests
  readonly bucket: string
  readonly keys: BlobKeys
  #isConditional = true

  constructor(of: Pick<S3Place, 'sdk' | 'client' | 'requests' | 'bucket' | 'keys'>) {
    this.sdk = of.sdk
    this.client = of.client
    this.requests = of.requests
    this.bucket = of.bucket
    this.keys = of.keys
  }

  /** The object of a request. */
  at(key: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.bucket, Key: key }
  }

  /** Settles as the client does, or when the signal aborts: the client may wait for credentials without end. */
  within<T>(signal: AbortSignal, sending: Promise<T>): Promise<T> {
    return withinSignal(signal, sending, (late) => {
      if (late instanceof Object && 'Body' in late) (late.Body as { destroy?(): void } | undefined)?.destroy?.()
    })
  }

  /** Runs `create` with the condition that the object does not exist, if the server knows such conditions. */
  async creating<T>(create: (condition: { readonly IfNoneMatch?: '*' }) => Promise<T>): Promise<T> {
    if (this.#isConditional) {
      try {
        return await create({ IfNoneMatch: '*' })
      } catch (error) {
        if (kindOf(error) !== 'NotImplemented') throw error
        this.#isConditional = false
      }
    }
    return create({})
  }
}
