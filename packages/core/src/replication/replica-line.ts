/**
 * Which files have the log of a replica. Each term that began states from which position on its files count: what earlier terms wrote
 * there, or write there later, belongs to a branch that was left.
 */
import type { Seq } from '../ports/index.ts'
import type { PartName } from './replica-names.ts'

/** A file whose positions are known. */
export interface LinePart extends PartName {
  readonly to: Seq
  readonly name: string
  /** In bytes. */
  readonly size: number
}

/** From which position on the files of a term count. */
export interface LineStart {
  readonly term: number
  readonly from: Seq
}

/** The events of a file that count. */
export interface LinePiece {
  readonly part: LinePart
  readonly from: Seq
  readonly to: Seq
}

/** The last event of the file that counts; before its first one if none does. */
export function lastCounting(
  { term, from, to }: Pick<LinePart, 'term' | 'from' | 'to'>,
  starts: readonly LineStart[],
): Seq {
  let last = to
  for (const start of starts) if (start.term > term) last = Math.min(last, start.from - 1)
  return Math.max(last, from - 1)
}

export interface Line {
  /** In order, without a gap, from the first event on. */
  readonly pieces: readonly LinePiece[]
  /** A position that no file has, though there are files with later ones. */
  readonly gap?: Seq
}

/** As few files as have it all: of files with an event, the one that reaches furthest. */
export function lineOf(parts: readonly LinePart[], starts: readonly LineStart[]): Line {
  const counting = parts
    .map((part) => ({ part, to: lastCounting(part, starts) }))
    .filter(({ part, to }) => to >= part.from)
    .sort((a, b) => a.part.from - b.part.from || b.to - a.to)
  const pieces: LinePiece[] = []
  let next = 1
  let best: (typeof counting)[number] | undefined
  for (const candidate of counting) {
    if (candidate.part.from > next) {
      if (best === undefined || best.to < next) return { pieces, gap: next }
      pieces.push({ part: best.part, from: next, to: best.to })
      next = best.to + 1
      if (candidate.part.from > next) return { pieces, gap: next }
    }
    if (best === undefined || candidate.to > best.to) best = candidate
  }
  if (best !== undefined && best.to >= next) pieces.push({ part: best.part, from: next, to: best.to })
  return { pieces }
}
