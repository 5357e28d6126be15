/**
 * The ends of a replica: up to which event a term has written. An end is recorded behind the file of events that it counts, so a replica
 * that ends earlier has lost files. Files at the end are missed by nothing else.
 */
import type { ReplicaFiles, Seq } from '../ports/index.ts'
import type { StorageError } from '../base/errors.ts'
import { replicaCorrupt } from './replica-corrupt.ts'
import { createDocument, replicaFormat } from './replica-files-json.ts'
import { lastCounting, type LineStart } from './replica-line.ts'
import { endName, endPrefix, parseEnd } from './replica-names.ts'

/** An end that a term has recorded. */
export interface ReplicaEnd {
  readonly term: number
  readonly to: Seq
}

/** Earlier ends are deleted together, which saves requests. */
const endsAtOnce = 16

/** To be called before the files of events are listed: those that the ends count are there then. */
export async function readEnds(files: ReplicaFiles): Promise<readonly ReplicaEnd[]> {
  const ends: ReplicaEnd[] = []
  for await (const { name } of files.list(endPrefix)) {
    const end = parseEnd(name)
    if (end !== undefined) ends.push(end)
  }
  return ends
}

/** The last event that was counted as written. A term starts behind the last event that its writer has found. */
export function countedEnd(ends: readonly ReplicaEnd[], starts: readonly LineStart[]): Seq {
  const begun = (starts.at(-1)?.from ?? 1) - 1
  return Math.max(begun, ...ends.map(({ term, to }) => lastCounting({ term, from: 1, to }, starts)))
}

/** The error of a replica that ends before its counted end. */
export function lostEnd(head: Seq, counted: Seq): StorageError {
  const lost = counted - head
  const what = lost === 1 ? 'its last event' : `its last ${lost} events`
  const left = head === 0 ? 'has none of them' : `ends with event ${head}: restore up to there to get what is left`
  return replicaCorrupt('end', `The replica has lost ${what}: it was written up to event ${counted}, and ${left}.`, {
    lost,
    head,
    counted,
  })
}

/** Records the ends of one term. */
export class EndRecorder {
  readonly #files: ReplicaFiles
  readonly #term: number
  /** The names of all ends, in the order of their writing. */
  #names: string[]

  /** `before`: the ends of earlier terms. */
  constructor(files: ReplicaFiles, term: number, before: readonly ReplicaEnd[]) {
    this.#files = files
    this.#term = term
    this.#names = before.map((end) => endName(end.term, end.to))
  }

  /** The files up to `to` are durable. An end of a term that was deposed meanwhile counts no more than its files do. */
  async record(to: Seq): Promise<void> {
    const name = endName(this.#term, to)
    await createDocument(this.#files, name, { format: replicaFormat, term: this.#term, to })
    this.#names.push(name)
    if (this.#names.length < endsAtOnce) return
    // A copy of the files that began before has the last ones.
    const earlier = this.#names.slice(0, -2)
    await this.#files.delete(earlier)
    this.#names = this.#names.slice(-2)
  }
}
