/**
 * The names of the files of a replica. Positions and terms have a fixed number of digits, so that names sort by them.
 *
 *     log/0/FROM-TERM        what was written at once: events, and the short bytes that they brought
 *     log/LEVEL/FROM-TO-TERM the events of several such files
 *     rows/LEVEL/FROM-TO-TERM the short bytes of several such files
 *     views/0/FROM-TERM      the rows of all views after the event FROM
 *     …-TERM-REVISION        such a file, after rows were taken out of it: by a writer of which term, and which time
 *     terms/TERM             who writes the replica
 *     starts/TERM            from which position on the files of this term count
 *     ends/TERM-POSITION     up to which event this term has written: see `replica-ends.ts`
 *     erased/TERM-NUMBER     how far erasures were carried out
 *     keys/NUMBER            the secret of a replica that is encrypted, wrapped
 */
import type { Seq } from '../ports/index.ts'

/** A file with events, bytes or rows, by its name. */
export interface PartName {
  readonly kind: 'log' | 'rows' | 'views'
  /** 0 for a file that was written at once. */
  readonly level: number
  readonly from: Seq
  /** Unknown for level 0: an answer that was lost must not leave two files for one position. */
  readonly to?: Seq
  readonly term: number
  /** Which of the files it is that rows were taken out of: see `nextRevision`. Absent: the one from which nothing was taken. */
  readonly revision?: number
}

const seqDigits = 16
const termDigits = 8
const revisionDigits = 14
/** So many revisions of a file can be of one term. */
const revisionsOfTerm = 1_000_000
export const levelMax = 99

const seqText = (seq: Seq): string => String(seq).padStart(seqDigits, '0')
const termText = (term: number): string => String(term).padStart(termDigits, '0')

export function partName({ kind, level, from, to, term, revision }: PartName): string {
  const end = to === undefined ? '' : `-${seqText(to)}`
  const last = revision === undefined ? '' : `-${String(revision).padStart(revisionDigits, '0')}`
  return `${kind}/${level}/${seqText(from)}${end}-${termText(term)}${last}`
}

/**
 * The revision that a writer makes of a file. It has the term of the writer, so no other writer makes a file of its name, also none whose
 * request a target carries out late.
 */
export const nextRevision = (last: number | undefined, term: number): number =>
  Math.max(last ?? 0, term * revisionsOfTerm) + 1

/** The name of another revision of a file; without a number, of the one from which nothing was taken. Those of level 0 have no end. */
export function revisionName({ kind, level, from, to, term }: PartName, revision?: number): string {
  const end = level > 0 && to !== undefined ? { to } : {}
  return partName({ kind, level, from, term, ...end, ...(revision !== undefined && { revision }) })
}

const partForm = /^(log|rows|views)\/([0-9]|[1-9][0-9])\/([0-9]{16})(?:-([0-9]{16}))?-([0-9]{8})(?:-([0-9]{14}))?$/

const isKind = (kind: string | undefined): kind is PartName['kind'] =>
  kind === 'log' || kind === 'rows' || kind === 'views'

/** Files of short bytes are always joined ones, and those of views never are. */
const mayHave = (kind: PartName['kind'], level: number): boolean => kind === 'log' || (kind === 'rows') === level > 0

/** `undefined` for a name of another form: newer releases may have other files. */
export function parsePartName(name: string): PartName | undefined {
  const [, kind, level, from, to, term, last] = partForm.exec(name) ?? []
  if (!isKind(kind) || (level === '0') !== (to === undefined) || !mayHave(kind, Number(level))) return undefined
  const revision = last === undefined ? {} : { revision: Number(last) }
  const part = { kind, level: Number(level), from: Number(from), term: Number(term), ...revision } as const
  if ([part.from, part.term, part.revision].includes(0)) return undefined
  if (to === undefined) return part
  return Number(to) < part.from ? undefined : { ...part, to: Number(to) }
}

/** Where the files of parts are. */
export const logPrefix = 'log/'
export const partPrefixes = [logPrefix, 'rows/'] as const
export const viewsPrefix = 'views/'
export const termPrefix = 'terms/'
export const startPrefix = 'starts/'

export const termName = (term: number): string => termPrefix + termText(term)
export const startName = (term: number): string => startPrefix + termText(term)

/** The term of a name that `termName` or `startName` gives; `undefined` for another name. */
export function parseTerm(name: string): number | undefined {
  const [, digits] = /^(?:terms|starts)\/([0-9]{8})$/.exec(name) ?? []
  return digits === undefined || Number(digits) === 0 ? undefined : Number(digits)
}

/** Where the marks of erasures are. */
export const markPrefix = 'erased/'
export const markName = (term: number, number: number): string => `${markPrefix}${termText(term)}-${termText(number)}`

/** `undefined` for a name that `markName` does not give. */
export function parseMark(name: string): { readonly term: number; readonly number: number } | undefined {
  const [, term, number] = /^erased\/([0-9]{8})-([0-9]{8})$/.exec(name) ?? []
  return term === undefined ? undefined : { term: Number(term), number: Number(number) }
}

/** Where the ends that were counted are. */
export const endPrefix = 'ends/'
export const endName = (term: number, to: Seq): string => `${endPrefix}${termText(term)}-${seqText(to)}`

/** `undefined` for a name that `endName` does not give. */
export function parseEnd(name: string): { readonly term: number; readonly to: Seq } | undefined {
  const [, term, to] = /^ends\/([0-9]{8})-([0-9]{16})$/.exec(name) ?? []
  return term === undefined ? undefined : { term: Number(term), to: Number(to) }
}

export const keyPrefix = 'keys/'

/** Where the secret of an encrypted replica is: the first, or when it was wrapped again, one of the next. */
export const keyName = (number: number): string => keyPrefix + termText(number)
