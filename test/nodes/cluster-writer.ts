/** A client that writes and reads through the balancer, and notes what each key may have. */
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import type { Random } from '../support/random.ts'
import type { Cluster } from './cluster.ts'

/** A node that stands still answers nothing. */
const requestTimeoutMs = 8000

/** Some are kept in the journal, and some in blobs. */
const bodyOf = (text: string): string => text.repeat(text.length % 2 === 0 ? 10 : 6000)

export class ClusterWriter {
  readonly #client: S3Client
  readonly #name: string
  readonly #random: Random
  /** Of each key, the last text that was acknowledged. */
  readonly #acknowledged = new Map<string, string>()
  /** Texts whose writes were not answered: they may have had their effect, or have it later. */
  readonly #unknown = new Map<string, Set<string>>()
  readonly problems: string[] = []
  acknowledgements = 0
  failures = 0
  /** When the last request that was acknowledged began. */
  lastBegun = 0

  constructor(cluster: Pick<Cluster, 'url' | 'credentials'>, name: string, random: Random) {
    this.#name = name
    this.#random = random
    this.#client = new S3Client({
      endpoint: cluster.url,
      region: 'eu',
      forcePathStyle: true,
      credentials: cluster.credentials,
      maxAttempts: 1,
      requestHandler: { requestTimeout: requestTimeoutMs, throwOnRequestTimeout: true },
    })
  }

  /** Two writes, one of three of a key that is there, and a read. */
  async step(): Promise<void> {
    for (let i = 0; i < 2; i++) await this.#write()
    const key = this.#anyKey()
    if (key !== undefined) await this.#check(key, false)
  }

  /** Reads all that was acknowledged. It must be there. */
  async checkAll(): Promise<number> {
    for (const key of this.#acknowledged.keys()) await this.#check(key, true)
    return this.#acknowledged.size
  }

  close(): void {
    this.#client.destroy()
  }

  async #write(): Promise<void> {
    const old = this.#random.chance(1 / 3) ? this.#anyKey() : undefined
    const key = old ?? `${this.#name}/${this.#acknowledged.size}-${this.failures}`
    const text = `${key} ${this.acknowledgements + this.failures} `
    const begun = performance.now()
    try {
      await this.#client.send(new PutObjectCommand({ Bucket: 'box', Key: key, Body: bodyOf(text) }))
      this.#acknowledged.set(key, text)
      this.acknowledgements++
      this.lastBegun = begun
    } catch {
      this.failures++
      this.#unknown.set(key, (this.#unknown.get(key) ?? new Set()).add(text))
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async #check(key: string, mustAnswer: boolean): Promise<void> {
    try {
      const { Body } = await this.#client.send(new GetObjectCommand({ Bucket: 'box', Key: key }))
      const found = (await Body?.transformToString()) ?? ''
      const allowed = [this.#acknowledged.get(key) ?? '', ...(this.#unknown.get(key) ?? [])]
      if (!allowed.some((text) => bodyOf(text) === found)) this.problems.push(`${key} has ${found.slice(0, 60)}`)
    } catch (error) {
      const { name } = error as Error
      if (mustAnswer || name === 'NoSuchKey') this.problems.push(`${key}: ${name}`)
    }
  }

  #anyKey(): string | undefined {
    const count = this.#acknowledged.size
    return count === 0 ? undefined : [...this.#acknowledged.keys()][this.#random.below(count)]
  }
}
