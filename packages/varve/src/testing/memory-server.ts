/** A server for tests: an S3 server over a store in memory, which can be reset and forked. */
import { type Store, StorageError } from '@varve/core'
import { urlOf } from '@varve/http'
import { forkContent, type MemoryContent } from '../store/memory-content.ts'
import { FaultList } from './faults.ts'
import { Front } from './front.ts'
import { MemoryAgent } from './memory-connection.ts'
import { type Credentials, type ForkS3Options, forkS3Options, type ListenOptions } from './options.ts'
import { serveContent, type ServedStore, type Serving } from './served-store.ts'
import { storeClock } from './test-clock.ts'
import type { S3ClientConfiguration, S3RequestHandler, TestS3 } from './test-s3.ts'

/** How a server answers, and the credentials that its clients get. */
export interface ServerSettings {
  readonly serving: Serving
  readonly credentials: Credentials
}

/**
 * Starts a server whose resets go back to `base`, which is not changed.
 * @throws what listening throws; StorageError `InvalidArgument` for invalid settings
 */
export async function startServer(base: MemoryContent, settings: ServerSettings, at: ListenOptions): Promise<TestS3> {
  const { listen = true, host = '127.0.0.1', port = 0 } = at
  const server = new MemoryServer(base, settings, at)
  await server.open()
  if (listen) await server.listen(host, port)
  return server
}

class MemoryServer implements TestS3 {
  readonly faults = new FaultList()
  readonly #base: MemoryContent
  readonly #settings: ServerSettings
  readonly #at: ListenOptions
  readonly #front: Front
  #current: ServedStore | undefined
  /** The store of the next reset, opened in advance. */
  #next: Promise<ServedStore> | undefined
  /** Stores that are being closed. */
  readonly #retiring = new Set<Promise<void>>()
  /** Resets happen one after the other. */
  #turn: Promise<unknown> = Promise.resolve()
  #stopping: Promise<void> | undefined
  #url = 'http://localhost'
  port: number | undefined

  constructor(base: MemoryContent, settings: ServerSettings, at: ListenOptions) {
    this.#base = base
    this.#settings = settings
    this.#at = at
    this.#front = new Front(() => this.#served.handler)
  }

  async open(): Promise<void> {
    this.#current = await this.#openBase()
  }

  async listen(host: string, port: number): Promise<void> {
    try {
      this.port = await this.#front.listen(host, port)
      this.#url = urlOf('http', host, this.port)
    } catch (error) {
      await this.stop()
      throw error
    }
  }

  get url(): string {
    return this.#url
  }

  get region(): string {
    return this.#settings.serving.region
  }

  get credentials(): Credentials {
    return this.#settings.credentials
  }

  get store(): Store {
    return this.#served.store
  }

  get requestHandler(): S3RequestHandler {
    return { httpAgent: new MemoryAgent(() => this.#front.connect()) }
  }

  get clientConfig(): S3ClientConfiguration {
    const { url: endpoint, region, port } = this
    // The SDK writes into the credentials that it gets.
    const config = { endpoint, region, credentials: { ...this.credentials }, forcePathStyle: true } as const
    return port === undefined ? { ...config, requestHandler: this.requestHandler } : config
  }

  reset(): Promise<void> {
    const reset = this.#turn.then(() => this.#reset())
    this.#turn = reset.catch(() => undefined)
    return reset
  }

  async fork(options: ForkS3Options = {}): Promise<TestS3> {
    const { clock, ...at } = forkS3Options(options)
    this.#assertRunning()
    const { serving, credentials } = this.#settings
    const own = { credentials, serving: clock === undefined ? serving : { ...serving, clock: storeClock(clock) } }
    const { port: _, ...inherited } = this.#at
    return startServer(forkContent(this.#served.content), own, { ...inherited, ...at })
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#turn.then(() => this.#stop())
    return this.#stopping
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop()
  }

  get #served(): ServedStore {
    if (this.#current === undefined) throw new TypeError('The server was not opened.')
    return this.#current
  }

  #openBase(): Promise<ServedStore> {
    return serveContent(forkContent(this.#base), this.#settings.serving, this.faults)
  }

  async #reset(): Promise<void> {
    this.#assertRunning()
    const opening = this.#next ?? this.#openBase()
    this.#next = undefined
    const next = await opening
    this.#retire(this.#served)
    this.faults.clear()
    this.#current = next
    this.#next = this.#openBase()
    this.#next.catch(() => undefined)
  }

  /** Requests end at once. The store is closed beside the next one. */
  #retire(served: ServedStore): void {
    const retiring = served.retire().finally(() => this.#retiring.delete(retiring))
    this.#retiring.add(retiring)
    retiring.catch(() => undefined)
  }

  async #stop(): Promise<void> {
    const stopped = this.#front.stop()
    this.#retire(this.#served)
    const next = await this.#next?.catch(() => undefined)
    if (next !== undefined) this.#retire(next)
    await stopped
    await Promise.all(this.#retiring)
  }

  /** @throws StorageError `StoreClosed` */
  #assertRunning(): void {
    if (this.#stopping !== undefined) throw new StorageError('StoreClosed', 'The server was stopped.')
  }
}
