/**
 * A thread that computes digests of streams, and the queue of bytes that wait for space in its ring. It keeps the
 * process alive only while a stream is open.
 */
import { Worker } from 'node:worker_threads'
import { type CryptographicAlgorithm, type DigestsBeside, StorageError } from '@varve/core'
import { DigestRing, type EntryKind, slotBytes } from './digest-ring.ts'
import { digestThreadSource } from './digest-thread-source.ts'

const names: Readonly<Record<CryptographicAlgorithm, string>> = {
  MD5: 'md5',
  SHA1: 'sha1',
  SHA256: 'sha256',
  SHA512: 'sha512',
}
const algorithms = Object.keys(names) as readonly CryptographicAlgorithm[]

type Digests = ReadonlyMap<CryptographicAlgorithm, Uint8Array>

type FromThread = 'ready' | 'room' | { readonly stream: number; readonly digests: readonly Uint8Array[] }

interface OpenStream {
  readonly requested: readonly CryptographicAlgorithm[]
  readonly resolve: (digests: Digests) => void
  readonly reject: (reason: unknown) => void
}

/** A command on its way into the ring. Its bytes may take several slots. */
interface Job {
  readonly kind: EntryKind
  readonly stream: number
  readonly digests: number
  readonly bytes: Uint8Array
  put: number
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

const none: Uint8Array = new Uint8Array()
const noOne = (): void => undefined

export interface ThreadEvents {
  /** The thread is ready for streams. */
  onReady(): void
  /** No stream is open any more. */
  onIdle(): void
  /** The thread has ended, and its open streams have failed. */
  onEnd(): void
}

export class DigestThread {
  readonly #ring = new DigestRing()
  readonly #worker: Worker
  readonly #events: ThreadEvents
  readonly #streams = new Map<number, OpenStream>()
  /** Jobs take turns: each fills one slot, then the next job does. */
  #jobs: Job[] = []
  #lastStream = 0
  #failure: StorageError | undefined

  /** @throws the error of Node where threads do not exist or are forbidden. */
  constructor(events: ThreadEvents) {
    this.#events = events
    // The thread must not inherit the options and preloads of this process.
    this.#worker = new Worker(digestThreadSource, {
      eval: true,
      workerData: { ...this.#ring.layout, names: Object.values(names) },
      execArgv: [],
      env: {},
      name: 'digests',
    })
    let cause: unknown
    this.#worker.on('message', (message: FromThread) => this.#hear(message))
    this.#worker.on('error', (error) => (cause = error))
    this.#worker.on('exit', () => this.#end(cause))
    this.#worker.unref()
  }

  /** The number of open streams. */
  get load(): number {
    return this.#streams.size
  }

  /** Whether jobs wait for space in the ring. */
  get crowded(): boolean {
    return this.#jobs.length > 0
  }

  open(requested: readonly CryptographicAlgorithm[]): DigestsBeside {
    const stream = (this.#lastStream = (this.#lastStream + 1) | 0)
    if (this.#streams.size === 0) this.#worker.ref()
    const digests = new Promise<Digests>((resolve, reject) => this.#streams.set(stream, { requested, resolve, reject }))
    digests.catch(noOne)
    const mask = algorithms.reduce((bits, algorithm, i) => bits | (requested.includes(algorithm) ? 1 << i : 0), 0)
    this.#send('open', stream, none, mask)?.catch(noOne)
    return {
      update: (chunk) => this.#send('bytes', stream, chunk),
      finish: async () => {
        await this.#send('finish', stream)
        return digests
      },
      abandon: () => this.#abandon(stream),
    }
  }

  /** Ends the thread; open streams fail. */
  async end(): Promise<void> {
    await this.#worker.terminate()
  }

  #hear(message: FromThread): void {
    if (message === 'ready') return this.#events.onReady()
    if (message === 'room') return this.#putWaiting()
    const found = this.#streams.get(message.stream)
    if (found === undefined) return
    // The digests come in the order of `algorithms`, not of the request.
    const made = algorithms.filter((algorithm) => found.requested.includes(algorithm))
    found.resolve(new Map(made.map((algorithm, i) => [algorithm, message.digests[i] as Uint8Array])))
    this.#forget(message.stream)
  }

  #abandon(stream: number): void {
    const found = this.#streams.get(stream)
    if (found === undefined) return
    const reason = new StorageError('InternalError', 'Nobody waits for these digests any more.')
    const [own, others] = [
      this.#jobs.filter((job) => job.stream === stream),
      this.#jobs.filter((job) => job.stream !== stream),
    ]
    this.#jobs = others
    for (const job of own) job.reject(reason)
    found.reject(reason)
    this.#forget(stream)
    // The thread knows the stream, unless its `open` is still in the queue.
    if (!own.some((job) => job.kind === 'open')) this.#send('abandon', stream)?.catch(noOne)
  }

  #forget(stream: number): void {
    this.#streams.delete(stream)
    if (this.#streams.size > 0) return
    this.#worker.unref()
    this.#events.onIdle()
  }

  /** `undefined` when the ring has taken all of it. */
  #send(kind: EntryKind, stream: number, bytes: Uint8Array = none, digests = 0): Promise<void> | undefined {
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const job = { kind, stream, digests, bytes, put: 0, resolve: noOne, reject: noOne }
    if (this.#jobs.length === 0) {
      while (this.#putPiece(job)) if (job.put >= bytes.length) return undefined
    }
    return new Promise((resolve, reject) => {
      this.#jobs.push({ ...job, resolve, reject })
      if (this.#jobs.length === 1) this.#putWaiting()
    })
  }

  #putWaiting(): void {
    for (let job = this.#jobs[0]; job !== undefined; job = this.#jobs[0]) {
      if (!this.#putPiece(job)) {
        if (this.#ring.askForRoom()) return
        continue
      }
      this.#jobs.shift()
      if (job.put < job.bytes.length) this.#jobs.push(job)
      else job.resolve()
    }
  }

  /** False when the ring is full. */
  #putPiece(job: Job): boolean {
    const bytes = job.bytes.subarray(job.put, job.put + slotBytes)
    if (!this.#ring.put({ ...job, bytes })) return false
    job.put += bytes.length
    return true
  }

  #end(cause: unknown): void {
    const failure = new StorageError('InternalError', 'The thread that made the digests has ended.', { cause })
    this.#failure = failure
    for (const job of this.#jobs.splice(0)) job.reject(failure)
    for (const { reject } of this.#streams.values()) reject(failure)
    this.#streams.clear()
    this.#events.onEnd()
  }
}
