import { turn } from '../turns/turn.ts'
import { anyPoint, findSegment, prepareSegment, type Segment } from './wildcard-segment.ts'

/**
 * A pattern: text in which `*` and `?` are wildcards. If parts of it come from variables, it is a list of code points,
 * in which `literally` has escaped the wildcards of those parts.
 */
export type Pattern = string | readonly string[]

/** Escapes text, so that it matches only itself as a part of a pattern. */
export function literally(text: string): readonly string[] {
  return Array.from(text, (point) => (point === '*' || point === '?' ? `\\${point}` : point))
}

/** A compiled pattern, for matching many texts. */
export interface Wildcard {
  /** Whether the pattern matches the whole text. */
  matches(text: string): boolean
}

/**
 * Compiles a pattern. `*` matches any run of characters, with slashes, or none; `?` matches any one code point.
 *
 * The pieces between stars are searched one after the other, each from the end of the match before. A piece without `?`
 * is found in linear time (Knuth, Morris, Pratt). A piece with `?` is found with a state of one bit for each of its
 * characters. So no pattern and text take more than one comparison for each pair of their characters, and 32 of these
 * are done at once.
 */
export function compileWildcard(pattern: Pattern): Wildcard {
  const pieces = piecesOf(pattern)
  const plain = plainWildcard(pieces)
  return plain ?? new SegmentedWildcard(pieces)
}

/** `compileWildcard` for a pattern that is used once. */
export function matchesWildcard(pattern: Pattern, text: string): boolean {
  return compileWildcard(pattern).matches(text)
}

/** The code points between stars, with `anyPoint` for each question mark. */
function piecesOf(pattern: Pattern): readonly (readonly number[])[] {
  const pieces: number[][] = [[]]
  for (const unit of pattern) {
    if (unit === '*') pieces.push([])
    else if (unit === '?') pieces.at(-1)?.push(anyPoint)
    else pieces.at(-1)?.push((unit.length > 1 && unit[0] === '\\' ? unit[1] : unit)?.codePointAt(0) ?? 0)
  }
  return pieces
}

/** Uses the methods of strings where they suffice: most patterns are a text, or a text and a star. */
function plainWildcard(pieces: readonly (readonly number[])[]): Wildcard | undefined {
  const [head = [], tail = []] = pieces
  if (pieces.length > 2 || tail.length > 0 || head.includes(anyPoint)) return undefined
  const text = textOf(head)
  if (pieces.length === 1) return { matches: (value) => value === text }
  return text === '' ? { matches: () => true } : { matches: (value) => value.startsWith(text) }
}

const textOf = (points: readonly number[]): string => points.map((point) => String.fromCodePoint(point)).join('')

class SegmentedWildcard implements Wildcard {
  readonly #head: Segment
  readonly #middle: readonly Segment[]
  /** The piece after the last star, if there is a star. */
  readonly #tail: Segment | undefined
  /** The least number of code points of a text that matches. */
  readonly #least: number

  constructor(pieces: readonly (readonly number[])[]) {
    const segments = pieces.map(prepareSegment)
    this.#head = segments[0] as Segment
    this.#middle = segments.slice(1, -1).filter(({ points }) => points.length > 0)
    this.#tail = segments.length > 1 ? segments.at(-1) : undefined
    this.#least = segments.reduce((sum, { points }) => sum + points.length, 0)
  }

  matches(text: string): boolean {
    const points = pointsOf(text)
    const { length } = points
    if (length < this.#least) return false
    turn.spend(this.#head.points.length + 1)
    if (!isAt(this.#head, points, 0)) return false
    const tail = this.#tail
    if (tail === undefined) return length === this.#least
    const end = length - tail.points.length
    turn.spend(tail.points.length + 1)
    return isAt(tail, points, end) && this.#isBetween(points, end)
  }

  #isBetween(points: Uint32Array, end: number): boolean {
    let from = this.#head.points.length
    for (const segment of this.#middle) {
      const found = findSegment(segment, points, from, end)
      if (found === -1) return false
      from = found
    }
    return true
  }
}

function isAt({ points: wanted }: Segment, points: Uint32Array, from: number): boolean {
  for (let at = 0; at < wanted.length; at++) {
    if (wanted[at] !== points[from + at] && wanted[at] !== anyPoint) return false
  }
  return true
}

/** The last text and its code points: the next pattern is mostly applied to the same text. */
let [lastText, lastPoints] = ['', new Uint32Array()]

function pointsOf(text: string): Uint32Array {
  if (text === lastText) return lastPoints
  turn.spend(text.length)
  const points = new Uint32Array(text.length)
  let count = 0
  for (let at = 0; at < text.length; count++) {
    const point = text.codePointAt(at) as number
    points[count] = point
    at += point > 0xffff ? 2 : 1
  }
  ;[lastText, lastPoints] = [text, points.subarray(0, count)]
  return lastPoints
}
