/**
 * The names of the files of a replica. Positions and terms have a fixed number of digits, so that names sort by them.
 *
 *     log/0/FROM-TERM        what was written at once: events, and the short bytes that they brought
 *     log/LEVEL/FROM-TO-TERM the events of several such files
 *     rows/LEVEL/FROM-TO-TERM the short bytes of several such files
 *     terms/TERM             who writes the replica
 *     starts/TERM            from which position on the files of this term count
 */
import type { Seq } from '../ports/index.ts'

/** A file with events or with bytes, by its name. */
export interface PartName {
  readonly kind: 'log' | 'rows'
  /** 0 for a file that was written at once. */
  readonly level: number
  readonly from: Seq
  /** Unknown for level 0: an answer that was lost must not leave two files for one position. */
  readonly to?: Seq
  readonly term: number
}

const seqDigits = 16
const termDigits = 8
export const levelMax = 99

const seqText = (seq: Seq): string => String(seq).padStart(seqDigits, '0')
const termText = (term: number): string => String(term).padStart(termDigits, '0')

export function partName({ kind, level, from, to, term }: PartName): string {
  return `${kind}/${level}/${seqText(from)}${to === undefined ? '' : `-${seqText(to)}`}-${termText(term)}`
}

const partForm = /^(log|rows)\/([0-9]|[1-9][0-9])\/([0-9]{16})(?:-([0-9]{16}))?-([0-9]{8})$/

/** `undefined` for a name of another form: newer releases may have other files. */
export function parsePartName(name: string): PartName | undefined {
  const [, kind, level, from, to, term] = partForm.exec(name) ?? []
  if ((kind !== 'log' && kind !== 'rows') || (level === '0') !== (to === undefined)) return undefined
  const part = { kind, level: Number(level), from: Number(from), term: Number(term) } as const
  if (part.from === 0 || part.term === 0 || (kind === 'rows' && part.level === 0)) return undefined
  if (to === undefined) return part
  return Number(to) < part.from ? undefined : { ...part, to: Number(to) }
}

/** Where the files of parts are. */
export const partPrefixes = ['log/', 'rows/'] as const
export const termPrefix = 'terms/'
export const startPrefix = 'starts/'

export const termName = (term: number): string => termPrefix + termText(term)
export const startName = (term: number): string => startPrefix + termText(term)

/** The term of a name that `termName` or `startName` gives; `undefined` for another name. */
export function parseTerm(name: string): number | undefined {
  const [, digits] = /^(?:terms|starts)\/([0-9]{8})$/.exec(name) ?? []
  return digits === undefined || Number(digits) === 0 ? undefined : Number(digits)
}
