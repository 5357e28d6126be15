/** What a replica has, as its files show it. */
import type { ReplicaFile, Seq } from '../ports/index.ts'
import { isStorageError, type StorageError } from '../base/errors.ts'
import { type JoinedParts, withoutCutOffJoins } from './cut-off-joins.ts'
import { lookAgain } from './looks.ts'
import { countedEnd, lostEnd, readEnds, type ReplicaEnd } from './replica-ends.ts'
import { replicaCorrupt } from './replica-corrupt.ts'
import { type LinePart, type LinePiece, type LineStart, lastCounting, lineOf } from './replica-line.ts'
import { partName, type PartName, partPrefixes, parsePartName, revisionName, startName } from './replica-names.ts'
import { type PartPorts, StoredPart } from './stored-part.ts'
import { readStarts } from './terms.ts'

/** The files that have the log, and its end. */
export interface ReplicaState {
  /** The files that have the log, in its order. */
  readonly log: readonly LinePiece[]
  /** The files that have short bytes of events which are not in the files of the log. */
  readonly rows: readonly LinePart[]
  /** Every file with events, also those that are not needed. */
  readonly logParts: readonly LinePart[]
  /** Files that are not needed: others have what they have, or were written again after they had been cut off. */
  readonly replaced: readonly LinePart[]
  /** Files of branches that were left, of which no event counts. The end of those of level 0 is not known. */
  readonly left: readonly LinePart[]
  /** Whether there are events of branches that were left. */
  readonly hasLeft: boolean
  readonly starts: readonly LineStart[]
  /** Files after the last event that are damaged or lost. They can have events that were counted as written. */
  readonly damaged: readonly StorageError[]
  /** The last event. 0: there is none. */
  readonly head: Seq
  /** The last event that was counted as written. If `head` is before it, the events between them are lost. */
  readonly counted: Seq
  /** Its hash; empty if there is none. */
  readonly hash: string
  /** The hash of the first event, which names the store; empty if there is none. */
  readonly store: string
}

/**
 * Looks at all files of a replica.
 * @throws StorageError `ReplicaCorrupt` if files are damaged or missing, `UnsupportedFormat`; what the target throws
 */
export async function readReplicaState(ports: PartPorts): Promise<ReplicaState> {
  const ends = new Map<string, Seq>()
  for (let look = 1; ; look++) {
    const state = await lookAgain(() => lookOnce(ports, ends))
    // A writer may have joined the last files while they were listed.
    if (state.head >= state.counted || look === looksForEnd) return state
  }
}

const looksForEnd = 3

/** `ends`: the last events of files that were looked into before, by name. What another look has to read again is less. */
async function lookOnce(ports: PartPorts, ends: Map<string, Seq>): Promise<ReplicaState> {
  const counting = await readEnds(ports.files)
  const { starts, prev, damaged: lost } = await readStarts(ports.files)
  const counted = countedEnd(counting, starts)
  const { damaged, replaced, left, ...parts } = await listParts(ports, { starts, ends })
  assertStarted([...parts.log, ...parts.rows, ...counting], starts, lost)
  const isWhole = rememberWhole(ports)
  const { log, rows, cutOff } = await withoutCutOffJoins(parts, starts, isWhole)
  for (;;) {
    const line = lineOf(log, starts)
    if (line.gap !== undefined) throw replicaCorrupt('gap', `The replica has later events, but not event ${line.gap}.`)
    const head = line.pieces.at(-1)?.to ?? 0
    const unlisted = await unlistedPart(ports, head + 1, starts)
    if (unlisted !== undefined) {
      log.push(unlisted)
      continue
    }
    const joined = await joinedParts({ pieces: line.pieces, log, rows }, starts, isWhole)
    const { errors, leftovers } = await sortDamaged(damaged, line.pieces, isWhole)
    return {
      log: line.pieces,
      logParts: log,
      rows,
      replaced: [...replaced, ...cutOff, ...joined, ...leftovers],
      left,
      hasLeft: left.length > 0 || log.some((part) => lastCounting(part, starts) < part.to),
      damaged: head < counted ? [...errors, lostEnd(head, counted)] : errors,
      starts,
      head,
      counted: Math.max(head, counted),
      ...(await endOf(ports, line.pieces, prev)),
    }
  }
}

/** Each file is looked at once. */
function rememberWhole(ports: PartPorts): (part: LinePart) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>()
  return (part) => {
    const found = known.get(part.name) ?? isWholePart(ports, part)
    known.set(part.name, found)
    return found
  }
}

/** Files that a process joined, and did not come to delete. Those of a branch that was left stay: it can still be read. */
async function joinedParts(
  { pieces, log, rows }: JoinedParts & { readonly pieces: readonly LinePiece[] },
  starts: readonly LineStart[],
  isWhole: (part: LinePart) => Promise<boolean>,
): Promise<readonly LinePart[]> {
  const isCounting = (part: LinePart): boolean => lastCounting(part, starts) === part.to
  const isWithin = (one: LinePart, other: LinePart): boolean =>
    other.level > one.level && other.from <= one.from && one.to <= other.to && isCounting(other)
  const needed = new Set(pieces.map(({ part }) => part))
  const joined: LinePart[] = []
  const look = async (parts: readonly LinePart[], others: Iterable<LinePart>): Promise<void> => {
    for (const part of parts.filter(isCounting)) {
      const around = [...others].filter((other) => isWithin(part, other))
      if (await anyOf(around, isWhole)) joined.push(part)
    }
  }
  await look(
    log.filter((part) => !needed.has(part)),
    needed,
  )
  await look(rows, rows)
  return joined
}

async function anyOf<T>(some: readonly T[], is: (one: T) => Promise<boolean>): Promise<boolean> {
  for (const one of some) if (await is(one)) return true
  return false
}

interface DamagedPart {
  readonly part: LinePart
  readonly error: StorageError
}

/** A damaged file whose events are in another one, which has joined it or was written again, hides nothing. */
async function sortDamaged(
  damaged: readonly DamagedPart[],
  pieces: readonly LinePiece[],
  isWhole: (part: LinePart) => Promise<boolean>,
): Promise<{ readonly errors: readonly StorageError[]; readonly leftovers: readonly LinePart[] }> {
  const errors: StorageError[] = []
  const leftovers: LinePart[] = []
  for (const { part, error } of damaged) {
    const piece = pieces.find(({ from, to }) => from <= part.from && part.from <= to)
    if (piece !== undefined && (await isWhole(piece.part))) leftovers.push(part)
    else errors.push(error)
  }
  return { errors, leftovers }
}

/**
 * A term whose start was cut off has no files: its writer knew that it had not begun. Without the start of a term that has files, it is not
 * known which files of earlier terms count.
 */
function assertStarted(
  written: readonly Pick<ReplicaEnd, 'term'>[],
  starts: readonly LineStart[],
  damaged: ReadonlySet<number>,
): void {
  const last = Math.max(0, ...written.map(({ term }) => term))
  if (last <= (starts.at(-1)?.term ?? 0)) return
  const name = startName(last)
  if (damaged.has(last)) throw replicaCorrupt('form', `The file ${name} of the replica is damaged.`, name)
  throw replicaCorrupt('missing', `The file ${name} of the replica is missing.`, name)
}

interface Parts {
  readonly log: LinePart[]
  readonly rows: LinePart[]
  readonly replaced: LinePart[]
  readonly left: readonly LinePart[]
  /** Files of level 0. Their last events are not known. */
  readonly damaged: DamagedPart[]
}

async function listParts(
  ports: PartPorts,
  { starts, ends }: { readonly starts: readonly LineStart[]; readonly ends: Map<string, Seq> },
): Promise<Parts> {
  const found: LinePart[] = []
  const damaged: DamagedPart[] = []
  const left: LinePart[] = []
  for (const prefix of partPrefixes) {
    for await (const file of ports.files.list(prefix)) {
      const named = parsePartName(file.name)
      if (named === undefined) continue
      if (isLeft(named, starts)) {
        left.push({ to: named.from, ...named, ...file })
        continue
      }
      const to = named.to ?? ends.get(file.name) ?? (await endOfPart(ports, file))
      if (typeof to === 'number') {
        ends.set(file.name, to)
        found.push({ ...named, ...file, to })
      } else damaged.push({ part: { to: named.from, ...named, ...file }, error: to })
    }
  }
  const { newest, replaced } = await newestRevisions(ports, found)
  const ofLeft = await newestRevisions(ports, left)
  const ofKind = (kind: PartName['kind']): LinePart[] => newest.filter((part) => part.kind === kind)
  return {
    log: ofKind('log'),
    rows: ofKind('rows'),
    replaced: [...replaced, ...ofLeft.replaced],
    left: ofLeft.newest,
    damaged,
  }
}

/** Where there are several revisions of a file, the last one that is whole counts. */
async function newestRevisions(
  ports: PartPorts,
  found: readonly LinePart[],
): Promise<{ readonly newest: readonly LinePart[]; readonly replaced: LinePart[] }> {
  const revisions = new Map<string, LinePart[]>()
  for (const part of found) {
    const name = revisionName(part)
    revisions.set(name, [...(revisions.get(name) ?? []), part])
  }
  const newest: LinePart[] = []
  const replaced: LinePart[] = []
  for (const parts of revisions.values()) {
    const last = parts.length === 1 ? parts[0] : await lastWhole(ports, parts)
    for (const part of parts) (part === last ? newest : replaced).push(part)
  }
  return { newest, replaced }
}

async function lastWhole(ports: PartPorts, parts: readonly LinePart[]): Promise<LinePart | undefined> {
  const sorted = parts.toSorted((a, b) => (b.revision ?? 0) - (a.revision ?? 0))
  for (const part of sorted) if (await isWholePart(ports, part)) return part
  return sorted.at(-1)
}

/** Whether no event of the file counts. */
const isLeft = ({ from, term }: PartName, starts: readonly LineStart[]): boolean =>
  starts.some((start) => start.term > term && start.from <= from)

/** The last event of the file; an error if it is damaged. @throws StorageError `ReplicaCorrupt` if it is gone */
async function endOfPart(ports: PartPorts, file: ReplicaFile): Promise<Seq | StorageError> {
  try {
    return (await StoredPart.open(ports, file)).facts.to
  } catch (error) {
    if (isStorageError(error, 'ReplicaCorrupt') && error.details['kind'] !== 'missing') return error
    throw error
  }
}

const isWholePart = async (ports: PartPorts, file: ReplicaFile): Promise<boolean> =>
  typeof (await endOfPart(ports, file)) === 'number'

/** A file that was written and that the listing does not show. */
async function unlistedPart(ports: PartPorts, from: Seq, starts: readonly LineStart[]): Promise<LinePart | undefined> {
  const term = starts.findLast((start) => start.from <= from)?.term
  if (term === undefined) return undefined
  const named = { kind: 'log', level: 0, from, term } as const
  const name = partName(named)
  const bytes = await ports.files.read(name)
  if (bytes === undefined) return undefined
  const file = { name, size: bytes.length }
  const to = await endOfPart(ports, file)
  return typeof to === 'number' ? { ...named, ...file, to } : undefined
}

async function endOf(
  ports: PartPorts,
  pieces: readonly LinePiece[],
  prev: string,
): Promise<{ readonly hash: string; readonly store: string }> {
  const [first, last] = [pieces[0], pieces.at(-1)]
  if (first === undefined || last === undefined) return { hash: '', store: '' }
  const { store } = (await StoredPart.open(ports, first.part)).facts
  // Only the last term can have left events of this file.
  if (last.to < last.part.to) return { store, hash: prev }
  return { store, hash: (await StoredPart.open(ports, last.part)).facts.last }
}
