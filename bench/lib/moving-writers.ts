/** Clients that write again and again, wherever their store is: they repeat a request until it is acknowledged, and remember what was. */
import { setTimeout as delay } from 'node:timers/promises'
import { benchCredentials } from '../src/basics/credentials.ts'
import { type S3Client, s3Client } from '../src/http/s3-client.ts'
import { inFlight } from './measure.ts'

const retryMs = 20
const bucket = 'moved'

const keyOf = (writer: number, n: number): string => `written/${writer}/${n}`

/** Every fourth one is too long for the journal. */
const bodyOf = (key: string, n: number): Buffer => Buffer.from(`${key};`.repeat(n % 4 === 3 ? 4000 : 20))

export class MovingWriters {
  /** Where requests go from now on: each writer keeps to one of them. */
  urls: readonly string[]
  readonly #counts: number[]
  readonly #ended: readonly Promise<void>[]
  readonly #restMs: number
  #isStopped = false
  /** Requests that were refused or got no answer, and were repeated. */
  repeated = 0
  #slowestMs = 0

  /** `restMs`: how long each one rests after an acknowledgement. */
  constructor(urls: readonly string[], { width, restMs }: { readonly width: number; readonly restMs: number }) {
    this.urls = urls
    this.#restMs = restMs
    this.#counts = Array.from({ length: width }, () => 0)
    this.#ended = this.#counts.map((_, writer) => this.#write(writer))
  }

  get acknowledged(): number {
    return this.#counts.reduce((sum, count) => sum + count, 0)
  }

  /** The longest time from a request to its acknowledgement since the last call, in milliseconds, with repetitions. */
  takeSlowestMs(): number {
    const ms = this.#slowestMs
    this.#slowestMs = 0
    return ms
  }

  /** Resolves when each writer has written this many more. */
  async goOn(count: number): Promise<void> {
    const least = this.#counts.map((done) => done + count)
    while (this.#counts.some((done, writer) => done < (least[writer] ?? 0))) await delay(retryMs)
  }

  /** Reads all that was acknowledged. Resolves with the keys of what is lost. */
  async lost(): Promise<readonly string[]> {
    const clients = new Clients(() => this.#urlOf(0))
    const lost: string[] = []
    for (const [writer, count] of this.#counts.entries()) {
      await inFlight(16, count, async (n) => {
        const key = keyOf(writer, n)
        const { status, body } = await clients.ask({ method: 'GET', path: `/${bucket}/${key}` })
        if (status !== 200 || !body.equals(bodyOf(key, n))) lost.push(key)
      })
    }
    clients.close()
    return lost
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#ended)
  }

  #urlOf(writer: number): string {
    return this.urls[writer % this.urls.length] ?? ''
  }

  async #write(writer: number): Promise<void> {
    const clients = new Clients(() => this.#urlOf(writer))
    while (!this.#isStopped) {
      const n = this.#counts[writer] ?? 0
      const key = keyOf(writer, n)
      const since = performance.now()
      if (!(await this.#untilAcknowledged(clients, key, bodyOf(key, n)))) break
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - since)
      this.#counts[writer] = n + 1
      await delay(this.#restMs)
    }
    clients.close()
  }

  /** False if the writers were stopped before. */
  async #untilAcknowledged(clients: Clients, key: string, body: Buffer): Promise<boolean> {
    while (!this.#isStopped) {
      const answer = await clients.ask({ method: 'PUT', path: `/${bucket}/${key}`, body }).catch(() => undefined)
      if (answer?.status === 200) return true
      this.repeated++
      clients.close()
      await delay(retryMs)
    }
    return false
  }
}

/** Connections to the server at an address that changes. */
class Clients {
  readonly #url: () => string
  #open: { readonly url: string; readonly client: S3Client } | undefined

  constructor(url: () => string) {
    this.#url = url
  }

  async ask(asking: Parameters<S3Client['ask']>[0]): ReturnType<S3Client['ask']> {
    const url = this.#url()
    if (this.#open?.url !== url) {
      this.close()
      this.#open = { url, client: await s3Client(url, benchCredentials, 1) }
    }
    return this.#open.client.ask(asking)
  }

  close(): void {
    this.#open?.client.close()
    this.#open = undefined
  }
}
