/** One client: it owns its keys, does one operation after another, and checks every byte it gets back. */
import type { ClientRequest } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { TestService, Reply, Send } from '../bounds/support/test-service.ts'
import { type BodyId, bodyBytes, isBody } from './bodies.ts'
import { buckets, Cell, type Held, type Tally } from './oracle.ts'
import type { Random } from '../support/random.ts'
import { type Asking, Versions } from './versions.ts'

export interface WorkerOptions {
  readonly id: number
  readonly service: TestService
  readonly tally: Tally
  readonly random: Random
  /** Are faults being made, or were they a moment ago? Then failures are no surprise. */
  readonly isRough: () => boolean
}

const keysPerWorker = 12
const partBytesMin = 5 * 1024 * 1024
const kib = 1024
const afterFailureMs = 25

export class Worker implements Asking {
  readonly cells: readonly Cell[]
  readonly versions: Versions
  readonly #options: WorkerOptions
  readonly #pulse: Cell
  readonly #actions: readonly (readonly [weight: number, act: (cell: Cell) => Promise<void>])[] = [
    [24, (cell) => this.put(cell, this.random.between(0, 24 * kib))],
    [11, (cell) => this.put(cell, this.random.between(33 * kib, 200 * kib))],
    [1, (cell) => this.put(cell, this.random.between(200 * kib, 2048 * kib))],
    [1, (cell) => this.#multipart(cell)],
    [25, (cell) => this.get(cell)],
    [8, (cell) => this.#getRange(cell)],
    [6, (cell) => this.#delete(cell)],
    [6, (cell) => this.#copy(cell)],
    [4, () => this.#list()],
    [5, (cell) => this.#leave(cell)],
    [9, () => this.versions.step()],
  ]
  readonly #shares = this.#actions.reduce((total, [weight]) => total + weight, 0)
  #next = 0

  constructor(options: WorkerOptions) {
    this.#options = options
    const name = `w${options.id}`
    this.cells = Array.from({ length: keysPerWorker }, (_, i) => new Cell(`${name}/k${i}`))
    this.#pulse = new Cell(`pulse/${name}`)
    this.versions = new Versions(this, name)
  }

  get tally(): Tally {
    return this.#options.tally
  }

  get random(): Random {
    return this.#options.random
  }

  /** One operation, chosen at random. */
  async step(): Promise<void> {
    const cell = this.random.pick(this.cells)
    if (cell.inDoubt && !(await this.settle(cell))) return
    let share = this.random.next() * this.#shares
    for (const [weight, act] of this.#actions) {
      share -= weight
      if (share < 0) return act(cell)
    }
  }

  body(size: number): BodyId {
    return { number: this.#options.id * 1e9 + this.#next++, size }
  }

  put(cell: Cell, size: number): Promise<void> {
    const body = this.body(size)
    return this.change(cell, body, `PUT /${buckets.plain}/${cell.key}`, { body: [bodyBytes(body)] })
  }

  /** Requests a change, and notes its answer. */
  async change(cell: Cell, held: Held, line: string, options: Send = {}): Promise<void> {
    cell.requested(held)
    const reply = await this.ask(line, options)
    if (reply === undefined) return
    if (reply.status < 300) return this.#acknowledged(cell, held)
    cell.refused()
    this.tally.accuse(`${line}: ${reply.status} ${reply.code ?? ''}, for nothing`)
  }

  #acknowledged(cell: Cell, held: Held): void {
    cell.acknowledged(held)
    this.tally.acknowledged++
  }

  /** The answer, if it is a clear one: neither a failed connection nor an error of the server's. */
  async ask(line: string, options: Send = {}): Promise<Reply | undefined> {
    let why: string
    try {
      const reply = await this.#options.service.send(line, options)
      const failed = reply.status >= 500 || (reply.status === 200 && reply.code !== undefined)
      if (!failed) return reply
      why = `${reply.status} ${reply.code ?? ''}`
    } catch (error) {
      why = String(error)
    }
    this.tally.unclear++
    if (!this.#options.isRough()) this.tally.accuse(`${line}: ${why}, and nothing was wrong`)
    await delay(afterFailureMs)
    return undefined
  }

  /**
   * Reads the content of a key whose state is in doubt. It waits until a write was acknowledged: a store that failed
   * answers reads with the state before, until it is opened again and the outcome of the rest is known.
   */
  async settle(cell: Cell): Promise<boolean> {
    if (!(await this.isTakingWrites())) return false
    const reply = await this.ask(`GET /${buckets.plain}/${cell.key}`)
    if (reply === undefined) return false
    const found = cell.possible.find((held) => isHeld(held, reply))
    if (found === undefined && reply.status !== 404) {
      this.tally.accuse(`${cell.key}: ${reply.status}, ${reply.body.length} bytes that nobody put`)
      return false
    }
    if (!cell.found(found)) this.tally.accuse(`${cell.key}: lost ${JSON.stringify(cell.possible)}`)
    this.tally.verified++
    return true
  }

  async isTakingWrites(): Promise<boolean> {
    await this.put(this.#pulse, 16)
    return !this.#pulse.inDoubt
  }

  async get(cell: Cell): Promise<void> {
    await this.#read(cell, 0, {})
  }

  async #getRange(cell: Cell): Promise<void> {
    const size = cell.known?.size ?? 0
    if (size === 0) return this.get(cell)
    const first = this.random.between(0, size - 1)
    const last = Math.min(size - 1, first + this.random.between(0, 256 * kib))
    await this.#read(cell, first, { range: `bytes=${first}-${last}` }, last - first + 1)
  }

  async #read(cell: Cell, from: number, headers: Record<string, string>, length = cell.known?.size): Promise<void> {
    const { known } = cell
    const reply = await this.ask(`GET /${buckets.plain}/${cell.key}`, { headers })
    if (reply === undefined) return
    const right =
      known === undefined
        ? reply.status === 404
        : reply.status < 300 && reply.body.length === length && isBody(known, reply.body, from)
    if (!right) {
      this.tally.accuse(
        `${cell.key} from ${from}: ${reply.status}, ${reply.body.length} bytes, not ${JSON.stringify(known)}`,
      )
    }
    this.tally.verified++
    this.tally.bytesVerified += reply.body.length
  }

  #delete(cell: Cell): Promise<void> {
    return this.change(cell, undefined, `DELETE /${buckets.plain}/${cell.key}`)
  }

  async #copy(cell: Cell): Promise<void> {
    const source = this.random.pick(this.cells)
    if (source === cell || source.inDoubt || source.known === undefined) return
    const headers = { 'x-amz-copy-source': `/${buckets.plain}/${source.key}` }
    await this.change(cell, source.known, `PUT /${buckets.plain}/${cell.key}`, { headers })
  }

  async #multipart(cell: Cell): Promise<void> {
    const body = this.body(partBytesMin + this.random.between(33 * kib, 300 * kib))
    const target = `/${buckets.plain}/${cell.key}`
    const uploadId = await this.#begin(target)
    if (uploadId === undefined) return
    const etags: string[] = []
    for (const [from, to] of [
      [0, partBytesMin],
      [partBytesMin, body.size],
    ] as const) {
      const line = `PUT ${target}?partNumber=${etags.length + 1}&uploadId=${uploadId}`
      const reply = await this.ask(line, { body: [bodyBytes(body, from, to)] })
      if (reply === undefined || reply.status >= 300) return this.#abort(target, uploadId)
      etags.push(String(reply.headers['etag']))
    }
    if (this.random.chance(0.2)) return this.#abort(target, uploadId)
    const parts = etags.map((etag, i) => `<Part><PartNumber>${i + 1}</PartNumber><ETag>${etag}</ETag></Part>`).join('')
    const document = Buffer.from(`<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`)
    await this.change(cell, body, `POST ${target}?uploadId=${uploadId}`, { body: [document] })
    if (cell.inDoubt) await this.#abort(target, uploadId)
  }

  async #begin(target: string): Promise<string | undefined> {
    const reply = await this.ask(`POST ${target}?uploads=`)
    return /<UploadId>(.*?)<\/UploadId>/.exec(reply?.body.toString() ?? '')?.[1]
  }

  /** What is not aborted now, because of a fault, is aborted at the end. */
  async #abort(target: string, uploadId: string): Promise<void> {
    await this.ask(`DELETE ${target}?uploadId=${uploadId}`)
  }

  /** The objects of a worker are all its own, so their listing is known to the last byte. */
  async #list(): Promise<void> {
    const reply = await this.ask(`GET /${buckets.plain}?list-type=2&prefix=w${this.#options.id}%2F`)
    if (reply === undefined) return
    const listed = new Map<string, number>()
    for (const [, key = '', size] of reply.body.toString().matchAll(/<Key>(.*?)<\/Key>.*?<Size>(\d+)<\/Size>/gs)) {
      listed.set(key, Number(size))
    }
    for (const cell of this.cells) {
      if (!cell.inDoubt && listed.get(cell.key) !== cell.known?.size) {
        this.tally.accuse(`${cell.key}: listed with ${listed.get(cell.key)} bytes, not ${cell.known?.size}`)
      }
    }
    this.tally.listings++
  }

  /** Goes away half way: nothing may come of a put, and nothing may be left behind by either. */
  async #leave(cell: Cell): Promise<void> {
    const onSent = (sent: ClientRequest) => void setTimeout(() => sent.destroy(), this.random.between(1, 30))
    const body = bodyBytes(this.body(this.random.between(33 * kib, 400 * kib)))
    const half = [body.subarray(0, body.length / 2)]
    const target = `/${buckets.plain}/${cell.key}`
    const leaving: readonly (() => Promise<unknown>)[] = [
      () => this.#options.service.send(`PUT ${target}`, { body: unending(half), length: body.length, onSent }),
      () => this.#options.service.send(`GET ${target}`, { onSent }),
      async () => {
        const uploadId = await this.#begin(target)
        if (uploadId === undefined) return
        const line = `PUT ${target}?partNumber=1&uploadId=${uploadId}`
        await this.#options.service
          .send(line, { body: unending(half), length: body.length, onSent })
          .catch(() => undefined)
        await this.#abort(target, uploadId)
      },
    ]
    await this.random
      .pick(leaving)()
      .catch(() => undefined)
    this.tally.left++
  }
}

/** Gives these pieces and then no more, without an end. */
async function* unending(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
  await new Promise(() => undefined)
}

const isHeld = (held: Held, { status, body }: Reply): boolean =>
  held === undefined ? status === 404 : status === 200 && body.length === held.size && isBody(held, body)
