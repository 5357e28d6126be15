/** Finds the text between two stars of a pattern in another text. */

import { turn } from '../turns/turn.ts'

/** Stands for any one code point. It is not a valid code point itself. */
export const anyPoint = 0xffffffff

export interface Segment {
  readonly points: Uint32Array
  /** The border table of Knuth, Morris and Pratt, for a segment without `anyPoint`. */
  readonly borders?: Uint32Array
  /** Otherwise: the places that accept a code point, one bit each. `any` is for code points that are not in `named`. */
  readonly places?: { readonly named: ReadonlyMap<number, Uint32Array>; readonly any: Uint32Array }
}

export function prepareSegment(points: readonly number[]): Segment {
  const own = Uint32Array.from(points)
  if (!points.includes(anyPoint)) return { points: own, borders: bordersOf(own) }
  return { points: own, places: placesOf(own) }
}

/** Returns the position just behind the first match between `from` and `end`, or -1. */
export function findSegment(segment: Segment, text: Uint32Array, from: number, end: number): number {
  const { borders, places } = segment
  if (borders !== undefined) return findPlain(segment.points, borders, { text, from, end })
  return places === undefined ? -1 : findWithAny(segment.points.length, places, { text, from, end })
}

interface Range {
  readonly text: Uint32Array
  readonly from: number
  readonly end: number
}

/** For each beginning of the segment: the length of the longest shorter beginning that it ends with. */
function bordersOf(points: Uint32Array): Uint32Array {
  const borders = new Uint32Array(points.length)
  let length = 0
  for (let at = 1; at < points.length; at++) {
    while (length > 0 && points[at] !== points[length]) length = borders[length - 1] as number
    if (points[at] === points[length]) length++
    borders[at] = length
  }
  return borders
}

function findPlain(points: Uint32Array, borders: Uint32Array, { text, from, end }: Range): number {
  let matched = 0
  let at = from
  for (; at < end && matched < points.length; at++) {
    const point = text[at]
    while (matched > 0 && point !== points[matched]) matched = borders[matched - 1] as number
    if (point === points[matched]) matched++
  }
  turn.spend(2 * (at - from) + 1)
  return matched === points.length ? at : -1
}

function placesOf(points: Uint32Array): NonNullable<Segment['places']> {
  const words = Math.ceil(points.length / 32)
  const any = new Uint32Array(words)
  for (const [at, point] of points.entries()) if (point === anyPoint) setBit(any, at)
  const named = new Map<number, Uint32Array>()
  for (const [at, point] of points.entries()) {
    if (point === anyPoint) continue
    const bits = named.get(point) ?? any.slice()
    named.set(point, bits)
    setBit(bits, at)
  }
  return { named, any }
}

function setBit(bits: Uint32Array, at: number): void {
  const word = at >>> 5
  bits[word] = (bits[word] as number) | (1 << (at & 31))
}

/** Each bit of the state is set if the segment's beginning up to that place matches just before `at`. */
function findWithAny(length: number, { named, any }: NonNullable<Segment['places']>, range: Range): number {
  const { text, from, end } = range
  const state = new Uint32Array(any.length)
  const lastWord = (length - 1) >>> 5
  const lastBit = 1 << ((length - 1) & 31)
  for (let at = from; at < end; at++) {
    const bits = named.get(text[at] as number) ?? any
    let carry = 1
    for (let word = 0; word < state.length; word++) {
      const before = state[word] as number
      state[word] = ((before << 1) | carry) & (bits[word] as number)
      carry = before >>> 31
    }
    if (((state[lastWord] as number) & lastBit) === 0) continue
    turn.spend((at - from + 1) * (state.length + 2))
    return at + 1
  }
  turn.spend((end - from) * (state.length + 2) + 1)
  return -1
}
