/** Inputs near to valid ones: a valid one, spoiled in a few places with what means something to the parser. */
import fc from 'fast-check'
import type { Heavy } from './fuzz.ts'

interface Edit {
  readonly at: number
  readonly kind: number
  readonly piece: string
}

const common = [
  '',
  ' ',
  '\0',
  '\t',
  '\r\n',
  '\n',
  '%',
  '%zz',
  '%00',
  '%2f',
  '+',
  '&',
  '=',
  ';',
  ',',
  ':',
  '/',
  '..',
  '"',
  "'",
  '\\',
  '-1',
  '0',
  '1e9',
  '9'.repeat(20),
  '\u00e9',
  '\u00ff',
  '__proto__',
  'constructor',
  'null',
  'NaN',
]

/** @param words What means something to the parser, besides what means something to many. */
export function spoiled(valid: fc.Arbitrary<string>, words: readonly string[] = []): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(10_000),
    kind: fc.nat(3),
    piece: fc.constantFrom(...common, ...words),
  })
  return fc
    .tuple(valid, fc.array(edit, { minLength: 1, maxLength: 3 }))
    .map(([text, edits]) => edits.reduce(apply, text))
}

/** Valid ones, spoiled ones, the words of the trade in any order, and noise; most of them spoiled. */
export function near(valid: fc.Arbitrary<string>, words: readonly string[] = []): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 2, arbitrary: valid },
    { weight: 5, arbitrary: spoiled(valid, words) },
    {
      weight: 2,
      arbitrary: fc.array(fc.constantFrom(...common, ...words), { maxLength: 12 }).map((parts) => parts.join('')),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  )
}

/** The same in bytes: as a wire has them, one per character. */
export const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/** One byte per character, as Node hands over what it received. */
export const wireText = (text: string): string => Buffer.from(text, 'utf8').toString('latin1')

/** What a wire has, cut at these places. */
export async function* cutUp(wire: string, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  const bytes = bytesOf(wire)
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
  let from = 0
  for (const to of [...places, bytes.length]) {
    yield bytes.subarray(from, to)
    from = to
  }
}

function apply(text: string, { at, kind, piece }: Edit): string {
  const from = text.length === 0 ? 0 : at % (text.length + 1)
  const length = 1 + (at % 7)
  switch (kind) {
    case 0:
      return text.slice(0, from) + piece + text.slice(from)
    case 1:
      return text.slice(0, from) + piece + text.slice(from + length)
    case 2:
      return text.slice(0, from) + text.slice(from + length)
    default:
      return text.slice(0, from + length) + text.slice(from)
  }
}

/** Short texts of few letters: those that encodings, formats and file systems stumble over. */
export const letters = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(
      fc.constantFrom(
        ...'ab09./~-_ +%&=;<>"\'\\\0\t\r\n\u007f\u00e9e\u0301\ufeff\uffff'.split(''),
        '\u{1f600}',
        '\u{10ffff}',
      ),
      { maxLength },
    )
    .map((parts) => parts.join(''))

/** About 1 MB of each piece, again and again, as an input. */
export function repeated(pieces: readonly string[], toInput: (text: string) => unknown): Heavy {
  const entries = pieces.map(
    (piece) => [JSON.stringify(piece), () => toInput(piece.repeat(1e6 / piece.length))] as const,
  )
  return Object.fromEntries(entries)
}
