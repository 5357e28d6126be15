/** Changes proofs as someone would who wants another one to be believed. */
import type { Random } from '../support/random.ts'

/** The texts that one key has signed, and what else is at hand. */
export interface Texts {
  readonly all: readonly string[]
}

type Mutation = (text: string, random: Random, texts: Texts) => string

const linesOf = (text: string): string[] => text.split('\n')
const replaced = <T>(list: readonly T[], at: number, ...by: readonly T[]): T[] => list.toSpliced(at, 1, ...by)
const alphabet = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=')

const charAt =
  (make: (char: string, random: Random) => string): Mutation =>
  (text, random) => {
    const at = random.below(Math.max(text.length, 1))
    return text.slice(0, at) + make(text[at] ?? '', random) + text.slice(at + 1)
  }

const lineAt =
  (make: (line: string, random: Random, texts: Texts) => readonly string[]): Mutation =>
  (text, random, texts) => {
    const lines = linesOf(text)
    const at = random.below(lines.length)
    return replaced(lines, at, ...make(lines[at] as string, random, texts)).join('\n')
  }

/** A line of another proof that is like this one: a hash for a hash, an index for an index. */
function lineLike(line: string, random: Random, { all }: Texts): string {
  const word = line.split(' ', 1)[0] ?? ''
  const others = linesOf(random.pick(all)).filter((each) =>
    line.includes(' ') ? each.startsWith(word) : !each.includes(' ') && each.length === line.length,
  )
  return others.length === 0 ? line : random.pick(others)
}

/** The proof of one, and the checkpoint of another. */
const withOtherCheckpoint: Mutation = (text, random, { all }) => {
  const other = random.pick(all)
  return text.slice(0, text.indexOf('\n\n')) + other.slice(other.indexOf('\n\n'))
}

const swappedLines: Mutation = (text, random) => {
  const lines = linesOf(text)
  const [a, b] = [random.below(lines.length), random.below(lines.length)]
  return lines.map((line, i) => (i === a ? (lines[b] as string) : i === b ? (lines[a] as string) : line)).join('\n')
}

const numberChanged: Mutation = (text, random) => {
  const numbers = [...text.matchAll(/^(?:index |old )?(\d+)$/gm)]
  const found = numbers.length === 0 ? undefined : random.pick(numbers)
  if (found === undefined) return text
  const [whole, digits = ''] = found
  const value = random.pick([
    Number(digits) + 1,
    Number(digits) - 1,
    Number(digits) * 2,
    random.below(700),
    2 ** 53,
    -1,
  ])
  const written = random.pick([
    String(value),
    `0${digits}`,
    `${digits}.0`,
    `+${digits}`,
    ` ${digits}`,
    `0x${value.toString(16)}`,
  ])
  return text.slice(0, found.index) + whole.replace(digits, written) + text.slice(found.index + whole.length)
}

/** A number that no double holds, or no number at all. */
const numberOutOfRange: Mutation = (text, random) => {
  const numbers = [...text.matchAll(/(?<=^(?:index |old |erased )?)\d+$/gm)]
  const found = numbers.length === 0 ? undefined : random.pick(numbers)
  if (found === undefined) return text
  const written = random.pick([
    '9'.repeat(400),
    '9007199254740993',
    '18446744073709551616',
    '1e400',
    'Infinity',
    'NaN',
    '',
  ])
  return text.slice(0, found.index) + written + text.slice(found.index + found[0].length)
}

const jsonChanges: readonly ((json: string, random: Random) => string)[] = [
  // The same name twice: readers differ in which of them counts.
  (json, random) =>
    changedAt(json, /"\w+":/g, random, (name) => `${name}${random.pick(['null', '0', '""', '[]'])},${name}`),
  (json, random) =>
    changedAt(json, /(?<=:)\d+/g, random, (number) =>
      random.pick(['1e400', '-1', `"${number}"`, 'null', `${number}.0`, '9'.repeat(30)]),
    ),
  (json, random) =>
    changedAt(json, /(?<=:)"[^"]*"/g, random, (text) => random.pick(['1', 'true', '{}', `[${text}]`, 'null', '""'])),
  (json, random) => changedAt(json, /(?<=:)"[^"]*"/g, random, () => random.pick([...json.matchAll(/"[^"]*"/g)])[0]),
  (json) => ` ${json}`,
]

function changedAt(text: string, what: RegExp, random: Random, make: (found: string) => string): string {
  const all = [...text.matchAll(what)]
  const found = all.length === 0 ? undefined : random.pick(all)
  return found === undefined
    ? text
    : text.slice(0, found.index) + make(found[0]) + text.slice(found.index + found[0].length)
}

/** The event of a proof, decoded, with other JSON. */
const eventChanged: Mutation = (text, random) =>
  changedAt(text, /(?<=^extra )\S+$/gm, random, (base64) => {
    const json = Buffer.from(base64, 'base64').toString('utf8')
    return Buffer.from(random.pick(jsonChanges)(json, random)).toString('base64')
  })

/** Other bits in the bytes of one base64 text. */
const bitsFlipped: Mutation = (text, random) => {
  const words = [...text.matchAll(/[A-Za-z0-9+/]{8,}={0,2}/g)]
  const found = words.length === 0 ? undefined : random.pick(words)
  if (found === undefined) return text
  const bytes = Buffer.from(found[0], 'base64')
  const at = random.below(bytes.length)
  bytes[at] = (bytes[at] as number) ^ (1 << random.below(8))
  return text.slice(0, found.index) + bytes.toString('base64') + text.slice(found.index + found[0].length)
}

const mutations: Readonly<Record<string, Mutation>> = {
  'another character of base64': charAt((_, random) => random.pick(alphabet)),
  'any other character': charAt((_, random) => String.fromCodePoint(random.below(0x300))),
  'a character less': charAt(() => ''),
  'a character more': charAt((char, random) => char + random.pick([...alphabet, ' ', '\n', '\r', '\t', '\u2014'])),
  'the other case': charAt((char) => (char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase())),
  'a line less': lineAt(() => []),
  'a line twice': lineAt((line) => [line, line]),
  'an empty line': lineAt((line) => [line, '']),
  'a line with spaces': lineAt((line, random) => [random.pick([` ${line}`, `${line} `, `${line}\r`])]),
  'a line of another proof': lineAt((line, random, texts) => [lineLike(line, random, texts)]),
  'another line too': lineAt((line, random, texts) => [line, lineLike(line, random, texts)]),
  'swapped lines': swappedLines,
  'another number': numberChanged,
  'a number out of range': numberOutOfRange,
  'an event with other JSON': eventChanged,
  'another bit': bitsFlipped,
  'the checkpoint of another proof': withOtherCheckpoint,
  'less at the end': (text, random) => text.slice(0, random.below(text.length)),
  'more at the end': (text, random) => text + random.pick(['\n', ' ', '\0', text, 'x\n', '\u2014 a b\n']),
}

const names = Object.keys(mutations)

export interface Mutated {
  readonly text: string
  /** What was done, for reports. */
  readonly how: string
}

/** One to three changes; `undefined` if they cancel each other. */
export function mutated(text: string, random: Random, texts: Texts): Mutated | undefined {
  const chosen = Array.from({ length: random.chance(0.8) ? 1 : random.between(2, 3) }, () => random.pick(names))
  const changed = chosen.reduce((before, name) => (mutations[name] as Mutation)(before, random, texts), text)
  return changed === text ? undefined : { text: changed, how: chosen.join(', ') }
}
