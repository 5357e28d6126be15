/** The text forms of proofs: C2SP tlog-proof, and the request of C2SP tlog-witness for consistency. */
import { limits } from '../base/limits.ts'
import { fromBase64, toBase64 } from '../bytes/base64.ts'
import { parseCount } from './checkpoint.ts'
import { hashBytes } from './merkle-hashes.ts'
import { invalidProof } from './proof-errors.ts'

const firstLine = 'c2sp.org/tlog-proof@v1'
/** No tree has more levels. */
const pathMax = 63
/** One line more than a proof can have: its first line, its event, its position, and its path. */
const linesMax = pathMax + 4
/** The most characters of a proof. The largest events have a few megabytes. */
export const proofMax = limits.proofCharactersMax

/** An event with its place in the tree. */
export interface ProvenEntry {
  /** The bytes of the event. Its entry in the tree is their SHA-256. */
  readonly event: Uint8Array
  /** The position of the event, counted from 0. */
  readonly index: number
  readonly path: readonly Uint8Array[]
}

/** A proof that an event is in the log. */
export interface InclusionProof extends ProvenEntry {
  /** A signed note. */
  readonly checkpoint: string
}

/** The lines of an entry. */
export const formatEntry = ({ event, index, path }: ProvenEntry): readonly string[] => [
  `extra ${toBase64(event)}`,
  `index ${index}`,
  ...path.map(toBase64),
]

/** @throws StorageError `ProofInvalid`, kind `format` */
export function parseEntry([extra = '', index = '', ...path]: readonly string[]): ProvenEntry {
  const event = extra.startsWith('extra ') ? fromBase64(extra.slice(6)) : undefined
  const at = index.startsWith('index ') ? parseCount(index.slice(6)) : undefined
  if (event === undefined || at === undefined) throw noProof()
  return { event, index: at, path: parsePath(path) }
}

export const formatProof = ({ checkpoint, ...entry }: InclusionProof): string =>
  [firstLine, ...formatEntry(entry), '', checkpoint].join('\n')

/** @throws StorageError `ProofInvalid`, kind `format` */
export function parseProof(text: string): InclusionProof {
  const [lines, checkpoint] = splitProof(text)
  const [first, ...entry] = lines
  if (first !== firstLine) throw noProof()
  return { ...parseEntry(entry), checkpoint }
}

/** A proof that a log begins with what it was at an earlier size. */
export interface ConsistencyProof {
  readonly earlier: number
  readonly path: readonly Uint8Array[]
  /** A signed note. */
  readonly checkpoint: string
}

export const formatConsistency = ({ earlier, path, checkpoint }: ConsistencyProof): string =>
  [`old ${earlier}`, ...path.map(toBase64), '', checkpoint].join('\n')

/** @throws StorageError `ProofInvalid`, kind `format` */
export function parseConsistency(text: string): ConsistencyProof {
  const [[old = '', ...path], checkpoint] = splitProof(text)
  const earlier = isConsistencyProof(text) ? parseCount(old.slice(4)) : undefined
  if (earlier === undefined) throw noProof()
  return { earlier, path: parsePath(path), checkpoint }
}

/** Whether a text claims to be a proof of a version. */
export const isInclusionProof = (text: string): boolean => text.startsWith(`${firstLine}\n`)

/** Whether a text claims to be a proof that a log only grew. */
export const isConsistencyProof = (text: string): boolean => text.startsWith('old ')

/** The lines before the first empty one, and the checkpoint after it. */
function splitProof(text: string): readonly [readonly string[], string] {
  const end = text.indexOf('\n\n')
  if (end < 0 || text.length > proofMax) throw noProof()
  return [linesOf(text.slice(0, end)), text.slice(end + 2)]
}

/** As many as show that there are too many: a text of others may have millions. */
export const linesOf = (text: string): readonly string[] => text.split('\n', linesMax)

function parsePath(lines: readonly string[]): readonly Uint8Array[] {
  if (lines.length > pathMax) throw noProof()
  return lines.map((line) => {
    const hash = fromBase64(line)
    if (hash?.length !== hashBytes) throw noProof()
    return hash
  })
}

export const noProof = () => invalidProof('format', 'This is no proof of a log.')
