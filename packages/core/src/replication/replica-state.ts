/** What a replica has, as its files show it. */
import type { Seq } from '../ports/index.ts'
import { isStorageError } from '../base/errors.ts'
import { replicaCorrupt } from './replica-corrupt.ts'
import { type LinePart, type LinePiece, lineOf } from './replica-line.ts'
import { partName, partPrefixes, parsePartName } from './replica-names.ts'
import { type PartPorts, StoredPart } from './stored-part.ts'
import { readStarts, type TermStart } from './terms.ts'

export interface ReplicaState {
  /** The files that have the log, in its order. */
  readonly log: readonly LinePiece[]
  /** The files that have short bytes of events which are not in the files of the log. */
  readonly rows: readonly LinePart[]
  /** Every file with events, also those that are not needed. */
  readonly logParts: readonly LinePart[]
  readonly starts: readonly TermStart[]
  /** The last event. 0: there is none. */
  readonly head: Seq
  /** Its hash; empty if there is none. */
  readonly hash: string
  /** The hash of the first event, which names the store; empty if there is none. */
  readonly store: string
}

/** A writer may join files between the listing and a look into them. */
const looksMax = 5

/**
 * Looks at all files of a replica.
 * @throws StorageError `ReplicaCorrupt` if files are damaged or missing, `UnsupportedFormat`; what the target throws
 */
export async function readReplicaState(ports: PartPorts): Promise<ReplicaState> {
  for (let look = 1; ; look++) {
    try {
      return await lookOnce(ports)
    } catch (error) {
      if (look === looksMax || !isPassing(error)) throw error
    }
  }
}

const isPassing = (error: unknown): boolean =>
  isStorageError(error, 'ReplicaCorrupt') && ['missing', 'gap'].includes(String(error.details['kind']))

async function lookOnce(ports: PartPorts): Promise<ReplicaState> {
  const starts = await readStarts(ports.files)
  const { log, rows } = await listParts(ports)
  for (;;) {
    const line = lineOf(log, starts)
    if (line.gap !== undefined) throw replicaCorrupt('gap', `The replica has later events, but not event ${line.gap}.`)
    const head = line.pieces.at(-1)?.to ?? 0
    const unlisted = await unlistedPart(ports, head + 1, starts)
    if (unlisted === undefined)
      return { log: line.pieces, logParts: log, rows, starts, head, ...(await endOf(ports, line.pieces, starts)) }
    log.push(unlisted)
  }
}

interface Parts {
  readonly log: LinePart[]
  readonly rows: LinePart[]
}

async function listParts(ports: PartPorts): Promise<Parts> {
  const parts: Parts = { log: [], rows: [] }
  for (const prefix of partPrefixes) {
    for await (const file of ports.files.list(prefix)) {
      const named = parsePartName(file.name)
      if (named === undefined) continue
      const to = named.to ?? (await StoredPart.open(ports, file)).facts.to
      parts[named.kind].push({ ...named, ...file, to })
    }
  }
  return parts
}

/** A file that was written and that the listing does not show. */
async function unlistedPart(ports: PartPorts, from: Seq, starts: readonly TermStart[]): Promise<LinePart | undefined> {
  const term = starts.findLast((start) => start.from <= from)?.term
  if (term === undefined) return undefined
  const named = { kind: 'log', level: 0, from, term } as const
  const name = partName(named)
  const bytes = await ports.files.read(name)
  if (bytes === undefined) return undefined
  const file = { name, size: bytes.length }
  return { ...named, ...file, to: (await StoredPart.open(ports, file)).facts.to }
}

async function endOf(
  ports: PartPorts,
  pieces: readonly LinePiece[],
  starts: readonly TermStart[],
): Promise<{ readonly hash: string; readonly store: string }> {
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (first === undefined || last === undefined) return { hash: '', store: '' }
  const { store } = (await StoredPart.open(ports, first.part)).facts
  if (last.to < last.part.to) return { store, hash: starts.find(({ from }) => from === last.to + 1)?.prev ?? '' }
  return { store, hash: (await StoredPart.open(ports, last.part)).facts.last }
}
