/** A worker's keys in the versioned bucket: every version stays what it was until it is removed by its id. */
import { type BodyId, bodyBytes, isBody } from './bodies.ts'
import type { Reply, Send } from '../bounds/support/test-service.ts'
import { buckets, type Tally, VersionedCell } from './oracle.ts'
import type { Random } from '../support/random.ts'

/** What it needs of the worker it belongs to. */
export interface Asking {
  readonly random: Random
  readonly tally: Tally
  body(size: number): BodyId
  /** The answer, if it is a clear one. */
  ask(line: string, options?: Send): Promise<Reply | undefined>
  /** Whether the store takes writes: then what became of earlier ones is settled. */
  isTakingWrites(): Promise<boolean>
}

const keysPerWorker = 3
const versionsMax = 8

export class Versions {
  readonly cells: readonly VersionedCell[]
  readonly #worker: Asking

  constructor(worker: Asking, name: string) {
    this.#worker = worker
    this.cells = Array.from({ length: keysPerWorker }, (_, i) => new VersionedCell(`${name}/v${i}`))
  }

  async step(): Promise<void> {
    const { random } = this.#worker
    const cell = random.pick(this.cells)
    if (cell.inDoubt && !(await this.settle(cell))) return
    if (cell.versions.size >= versionsMax) return this.#remove(cell)
    if (cell.versions.size === 0 || random.next() < 0.5) return this.#add(cell)
    await this.check(cell, random.pick([...cell.versions.keys()]))
  }

  async #add(cell: VersionedCell): Promise<void> {
    const body = this.#worker.body(this.#worker.random.between(0, 80 * 1024))
    cell.maybeAdded.push(body)
    const reply = await this.#worker.ask(target('PUT', cell), { body: [bodyBytes(body)] })
    if (reply === undefined) return
    cell.maybeAdded.pop()
    if (reply.status >= 300) return this.#refused(cell, reply)
    cell.versions.set(String(reply.headers['x-amz-version-id']), body)
    this.#worker.tally.acknowledged++
  }

  async #remove(cell: VersionedCell): Promise<void> {
    const id = this.#worker.random.pick([...cell.versions.keys()])
    cell.maybeRemoved.add(id)
    const reply = await this.#worker.ask(target('DELETE', cell, id))
    if (reply === undefined) return
    cell.maybeRemoved.delete(id)
    if (reply.status >= 300) return this.#refused(cell, reply)
    cell.versions.delete(id)
    this.#worker.tally.acknowledged++
  }

  #refused({ key }: VersionedCell, { status, code }: Reply): void {
    this.#worker.tally.accuse(`${key}: ${status} ${code ?? ''}, for nothing`)
  }

  async check(cell: VersionedCell, id: string): Promise<void> {
    const { tally } = this.#worker
    const reply = await this.#worker.ask(target('GET', cell, id))
    if (reply === undefined) return
    const body = cell.versions.get(id) as BodyId
    if (reply.status !== 200 || reply.body.length !== body.size || !isBody(body, reply.body)) {
      tally.accuse(
        `${cell.key} version ${id}: ${reply.status}, ${reply.body.length} bytes, not ${JSON.stringify(body)}`,
      )
    }
    tally.verified++
    tally.bytesVerified += reply.body.length
  }

  /** Finds out which versions there are, and whether the unacknowledged ones were requested. */
  async settle(cell: VersionedCell): Promise<boolean> {
    if (!(await this.#worker.isTakingWrites())) return false
    const listing = await this.#worker.ask(`GET /${buckets.versioned}?versions=&prefix=${encodeURIComponent(cell.key)}`)
    if (listing === undefined) return false
    const ids = [...listing.body.toString().matchAll(/<VersionId>(.*?)<\/VersionId>/g)].map(([, id = '']) => id)
    const adopted = new Map<string, BodyId>()
    for (const id of ids) {
      if (cell.versions.has(id)) continue
      const reply = await this.#worker.ask(target('GET', cell, id))
      if (reply === undefined) return false
      const body = cell.maybeAdded.find((one) => one.size === reply.body.length && isBody(one, reply.body))
      if (body !== undefined) adopted.set(id, body)
    }
    for (const wrong of cell.found(ids, adopted)) this.#worker.tally.accuse(wrong)
    this.#worker.tally.verified++
    return true
  }
}

const target = (method: string, { key }: VersionedCell, versionId?: string): string =>
  `${method} /${buckets.versioned}/${key}${versionId === undefined ? '' : `?versionId=${versionId}`}`
