/** Clients of a store that is moved: they write all the time, and know what was acknowledged. */
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { expect } from 'vitest'
import type { Server } from '../cli/run-varve.ts'

const credentials = { accessKeyId: 'root-key', secretAccessKey: 'root-secret' }
export const rootKeys = { VARVE_ACCESS_KEY_ID: 'root-key', VARVE_SECRET_ACCESS_KEY: 'root-secret' }

export const clientOf = ({ url }: Pick<Server, 'url'>): S3Client =>
  new S3Client({ endpoint: url, region: 'eu', forcePathStyle: true, credentials, maxAttempts: 1 })

export const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20))

/** Every second one is too long for the journal. */
const bodyOf = (n: number): string => `the body of ${n} `.repeat(n % 2 === 0 ? 1 : 5000)

type Written = ReadonlyMap<number, string>

/** Writes until its server is gone. */
export class Writer {
  readonly written = new Map<number, string>()
  readonly ended: Promise<void>
  /** The longest time from a request to its answer, in milliseconds. */
  slowestMs = 0
  failures = 0
  #stopped = false

  constructor(client: S3Client, from: number) {
    this.ended = this.#write(client, from)
  }

  stop(): Promise<void> {
    this.#stopped = true
    return this.ended
  }

  async #write(client: S3Client, from: number): Promise<void> {
    for (let n = from; !this.#stopped; n++) {
      const since = performance.now()
      try {
        const put = new PutObjectCommand({
          Bucket: 'box',
          Key: `k${n}`,
          Body: bodyOf(n),
          ServerSideEncryption: 'AES256',
        })
        this.written.set(n, (await client.send(put)).VersionId ?? '')
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return
        this.failures++
        await pause()
      }
      this.slowestMs = Math.max(this.slowestMs, performance.now() - since)
    }
  }
}

export async function expectAll(client: S3Client, ...written: readonly Written[]): Promise<void> {
  for (const [n, versionId] of written.flatMap((one) => [...one])) {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: 'box', Key: `k${n}`, VersionId: versionId }))
    expect((await Body?.transformToString()) === bodyOf(n)).toBe(true)
  }
}
