/** The text form of the receipt of an erasure: several events of a log, proven by one checkpoint. */
import { parseCount } from './checkpoint.ts'
import { formatEntry, linesOf, noProof, parseEntry, proofMax, type ProvenEntry } from './proof-file.ts'

const firstLine = 'varve-erasure-receipt@v1'

export interface ErasureFile {
  /** The number of versions and uploads whose bytes are gone, and of those whose erasure was requested. */
  readonly erased: number
  readonly versions: number
  /** In the order of the log, each once. */
  readonly entries: readonly ProvenEntry[]
  /** A signed note. */
  readonly checkpoint: string
}

export const formatErasure = ({ erased, versions, entries, checkpoint }: ErasureFile): string =>
  [
    [firstLine, `erased ${erased} of ${versions}`].join('\n'),
    ...entries.map((entry) => formatEntry(entry).join('\n')),
    checkpoint,
  ].join('\n\n')

/** @throws StorageError `ProofInvalid`, kind `format` */
export function parseErasure(text: string): ErasureFile {
  // A note has one empty line, before its signatures.
  const end = text.lastIndexOf('\n\n', text.lastIndexOf('\n\n') - 1)
  if (!isErasureReceipt(text) || end < 0 || text.length > proofMax) throw noProof()
  const sections = sectionsOf(text.slice(0, end))
  const head = sections.next().value ?? ''
  const [, erased, versions] = /^\S+\nerased (\d+) of (\d+)$/.exec(head) ?? []
  const counts = { erased: parseCount(erased ?? ''), versions: parseCount(versions ?? '') }
  if (counts.erased === undefined || counts.versions === undefined) throw noProof()
  const entries: ProvenEntry[] = []
  for (const section of sections) entries.push(parseEntry(linesOf(section)))
  if (entries.some(({ index }, i) => index <= (entries[i - 1]?.index ?? -1))) throw noProof()
  return { erased: counts.erased, versions: counts.versions, entries, checkpoint: text.slice(end + 2) }
}

/** One by one, so that a text of others that has millions is refused at the first wrong one. */
function* sectionsOf(text: string): Generator<string, undefined> {
  for (let at = 0; ; ) {
    const end = text.indexOf('\n\n', at)
    if (end < 0) {
      yield text.slice(at)
      return
    }
    yield text.slice(at, end)
    at = end + 2
  }
}

/** Whether a text claims to be the receipt of an erasure. */
export const isErasureReceipt = (text: string): boolean => text.startsWith(`${firstLine}\n`)
