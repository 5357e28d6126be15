/** Requests of every common kind, and some that fail, on a server that runs. */
import { randomBytes } from 'node:crypto'
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3'

interface Keys {
  readonly accessKeyId: string
  readonly secretAccessKey: string
}

const keys: Keys = { accessKeyId: 'root-key', secretAccessKey: 'root-secret-of-some-length' }
export const keyVariables = { VARVE_ACCESS_KEY_ID: keys.accessKeyId, VARVE_SECRET_ACCESS_KEY: keys.secretAccessKey }

const bodies = [100, 10_000, 200_000].map((size) => randomBytes(size))

export class Load {
  readonly #client: S3Client
  #count = 0

  constructor(url: string) {
    this.#client = new S3Client({ endpoint: url, region: 'eu', forcePathStyle: true, credentials: keys })
  }

  async begin(): Promise<void> {
    await this.#client.send(new CreateBucketCommand({ Bucket: 'loaded' }))
  }

  /** Returns how many requests it sent. */
  async round(): Promise<number> {
    const i = this.#count++
    const at = { Bucket: 'loaded', Key: `key-${i % 500}` }
    await this.#client.send(new PutObjectCommand({ ...at, Body: bodies[i % bodies.length] ?? '' }))
    const { Body } = await this.#client.send(new GetObjectCommand(at))
    await Body?.transformToByteArray()
    await this.#client.send(new HeadObjectCommand(at))
    await this.#client.send(new ListObjectsV2Command({ Bucket: 'loaded', MaxKeys: 10 }))
    const missing = this.#client.send(new GetObjectCommand({ ...at, Key: 'missing' }))
    await missing.catch((error: unknown) => {
      if (!(error instanceof Error) || error.name !== 'NoSuchKey') throw error
    })
    if (i % 5 === 0) await this.#client.send(new DeleteObjectCommand(at))
    return i % 5 === 0 ? 6 : 5
  }

  end(): void {
    this.#client.destroy()
  }
}
