/** Compares what a replica with views restores to with what it restores to without them. */
import { memoryBlobs, memoryJournal, memoryMedium } from '@varve/adapters'
import { type Hashing, type Journal, type LogSource, type ReplicaReader, restoreReplica } from '@varve/core'

const all = { gte: Uint8Array.of(0x01), lt: Uint8Array.of(0x80) }
/** The same files are looked at again after so many states: what they belong to may have been left. */
const lookEvery = 100

export class ComparedViews {
  readonly #hashing: Hashing
  /** Rows without views, by the hash of the last event. */
  readonly #computed = new Map<string, string>()
  #known = ''
  #since = 0
  /** How often restores were compared. */
  compared = 0

  constructor(hashing: Hashing) {
    this.#hashing = hashing
  }

  /** `files`: names the files with views. What is wrong, if anything. */
  async areWrong(reader: ReplicaReader, files: string): Promise<string | undefined> {
    if (files === '' || (files === this.#known && ++this.#since < lookEvery)) return undefined
    this.#known = files
    this.#since = 0
    this.compared++
    const { journal, blobs } = reader
    const source: LogSource = { journal, blobs, sideRows: reader.sideRows.bind(reader) }
    const { hash } = reader.state
    const theirs = this.#computed.get(hash) ?? (await this.#restored(reader, source))
    this.#computed.set(hash, theirs)
    const ours = await this.#restored(reader, reader)
    return ours === theirs ? undefined : `a restore with ${files} has other rows than one without`
  }

  async #restored({ state: { head: to } }: ReplicaReader, reader: LogSource): Promise<string> {
    let made = 0
    const ids = { next: () => (++made).toString(16).padStart(32, '0') }
    const into = {
      name: 'there',
      journal: await memoryJournal(memoryMedium(), { exclusive: true }),
      blobs: memoryBlobs(),
    }
    await restoreReplica({
      name: 'replica',
      reader,
      into,
      hashing: this.#hashing,
      ids,
      to,
      now: 1e12,
      leavesBlobs: true,
      believesViews: true,
    })
    return rowsOf(into.journal)
  }
}

async function rowsOf(journal: Journal): Promise<string> {
  const cursor = journal.cursor(all)
  const rows = await cursor.next(Number.MAX_SAFE_INTEGER)
  await cursor.close()
  return rows.map(([key, value]) => Buffer.concat([key, value]).toString('hex')).join()
}
