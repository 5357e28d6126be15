/** Clients that write and read at the same time, and note each request with its times. */
import { createHash } from 'node:crypto'
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { Random } from '../support/random.ts'
import { RegisterHistory } from './register-history.ts'

/** A node that stands still answers nothing. */
const requestTimeoutMs = 8000

export const bucket = 'box'

/** Some are kept in the journal, and some in blobs. */
const bodyOf = (value: string): string => `${value} `.repeat(value.endsWith('0') ? 5000 : 10)

export const etagOf = (value: string): string => `"${createHash('md5').update(bodyOf(value)).digest('hex')}"`

export type Credentials = { readonly accessKeyId: string; readonly secretAccessKey: string }

export const s3Client = (url: string, credentials: Credentials): S3Client =>
  new S3Client({
    endpoint: url,
    region: 'eu',
    forcePathStyle: true,
    credentials,
    maxAttempts: 1,
    requestHandler: { requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true },
  })

/** What all clients have done. */
export class Record {
  readonly history = new RegisterHistory()
  /** Of keys that are written once, the acknowledged values. */
  readonly once = new Map<string, string>()
  readonly problems: string[] = []
  acknowledged = 0
  unanswered = 0
  /** When the last request that was acknowledged began. */
  lastBegun = 0
  #count = 0

  nextValue(name: string): string {
    return `${name}-${this.#count++}`
  }
}

export class RecordingClient {
  readonly #client: S3Client
  readonly #record: Record

  constructor(url: string, credentials: Credentials, record: Record) {
    this.#client = s3Client(url, credentials)
    this.#record = record
  }

  /** @returns whether it was acknowledged */
  async write(key: string, isOnce: boolean): Promise<boolean> {
    const record = this.#record
    const value = record.nextValue(key)
    const begun = performance.now()
    // Another client may see it before its answer is here.
    record.history.wrote(key, value, { begun })
    try {
      await this.#client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: bodyOf(value) }))
    } catch {
      record.unanswered++
      return false
    }
    record.history.wrote(key, value, { begun, ended: performance.now() })
    record.acknowledged++
    record.lastBegun = Math.max(record.lastBegun, begun)
    if (isOnce) record.once.set(key, value)
    return true
  }

  /** @returns the value, or `failed` if there was no answer */
  async read(key: string): Promise<string | undefined | typeof failed> {
    const begun = performance.now()
    const found = await this.#textOf(key)
    if (found === failed) return failed
    const value = found?.slice(0, found.indexOf(' '))
    if (found !== undefined && found !== bodyOf(value ?? '')) {
      this.#record.problems.push(`${key} has other bytes than ${value}`)
    }
    this.#record.history.read(key, value, { begun, ended: performance.now() })
    return value
  }

  close(): void {
    this.#client.destroy()
  }

  async #textOf(key: string): Promise<string | undefined | typeof failed> {
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: bucket, Key: key }))
      return (await Body?.transformToString()) ?? failed
    } catch (error) {
      return (error as Error).name === 'NoSuchKey' ? undefined : failed
    }
  }
}

export const failed = Symbol('failed')

const hotKeys = 6

/** Writes keys of its own once each, and keys that all write. `isEnding` ends it. */
export async function writeOn(
  client: RecordingClient,
  { name, random, isEnding }: { readonly name: string; readonly random: Random; isEnding(): boolean },
): Promise<void> {
  for (let i = 0; !isEnding(); i++) {
    const isOnce = !random.chance(1 / 3)
    await client.write(isOnce ? `once/${name}/${i}` : `hot/${random.below(hotKeys)}`, isOnce)
    await new Promise((resolve) => setTimeout(resolve, random.below(120)))
  }
}

/** Reads the keys that all write, each time through another node. */
export async function readOn(
  clients: readonly RecordingClient[],
  { random, isEnding }: { readonly random: Random; isEnding(): boolean },
): Promise<void> {
  while (!isEnding()) {
    await random.pick(clients).read(`hot/${random.below(hotKeys)}`)
    await new Promise((resolve) => setTimeout(resolve, random.below(60)))
  }
}
