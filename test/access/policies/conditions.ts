/** IAM's conditions, from their documentation: operators, sets, missing keys, variables. */

import type { Context } from './context.ts'
import type { StatementDocument, Values } from './world.ts'

export const listOf = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T])

/** Text with its variables filled in: as a pattern, in which what came from elsewhere is plain. */
type Pattern = readonly (string | { readonly plain: string })[]

/** Without a value for one of its variables it is nothing. */
export function fill(text: string, variables: boolean, context: Context): Pattern | undefined {
  if (!variables) return [text]
  const pieces: (string | { plain: string })[] = []
  let rest = text
  for (;;) {
    const start = rest.indexOf('${')
    if (start === -1) return [...pieces, rest]
    const end = rest.indexOf('}', start)
    const inside = rest.slice(start + 2, end)
    pieces.push(rest.slice(0, start))
    rest = rest.slice(end + 1)
    if (inside === '*' || inside === '?' || inside === '$') pieces.push({ plain: inside })
    else {
      const [name = '', otherwise] = inside.split(', ')
      const values = context(name) ?? []
      const value = values.length === 1 ? values[0] : otherwise?.slice(1, -1)
      if (value === undefined) return undefined
      pieces.push({ plain: value })
    }
  }
}

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
const source = (text: string): string => escaped(text).replaceAll('\\*', '[^]*').replaceAll('\\?', '[^]')

const expressions = new Map<string, RegExp>()

export function like(pattern: Pattern, text: string): boolean {
  const expression = pattern.map((piece) => (typeof piece === 'string' ? source(piece) : escaped(piece.plain))).join('')
  const known = expressions.get(expression) ?? new RegExp(`^${expression}$`)
  expressions.set(expression, known)
  return known.test(text)
}

const plainOf = (pattern: Pattern): string =>
  pattern.map((piece) => (typeof piece === 'string' ? piece : piece.plain)).join('')

type Meets = (actual: string, wanted: Pattern) => boolean

const onPlain =
  (compare: (actual: string, wanted: string) => boolean): Meets =>
  (actual, wanted) =>
    compare(actual, plainOf(wanted))

const timeOf = (text: string): number =>
  /^\d+$/.test(text) && text.length > 4 ? Number(text) * 1000 : Date.parse(text)

/** Patterns of ARNs here hold no variable with a colon: they are split as text. */
const arnLike = onPlain((actual, wanted) => {
  if (wanted === '*') return true
  const [have, want] = [actual, wanted].map((text) => {
    const parts = text.split(':')
    return [...parts.slice(0, 5), parts.slice(5).join(':')]
  })
  return have?.length === 6 && actual.split(':').length >= 6 && have.every((part, at) => like([want?.[at] ?? ''], part))
})

function inRange(address: string, range: string): boolean {
  const [network = '', bits] = range.split('/')
  if (address.includes(':') !== network.includes(':')) return false
  const [mine, theirs] = [bitsOf(address), bitsOf(network)]
  const length = bits === undefined ? mine.length : Number(bits)
  return mine.slice(0, length) === theirs.slice(0, length)
}

export function bitsOf(address: string): string {
  if (!address.includes(':'))
    return address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('')
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const zeros = 8 - groups(head).length - groups(tail).length
  const all = [...groups(head), ...Array.from({ length: zeros }, () => '0'), ...groups(tail)]
  return all.map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('')
}

const meets: Readonly<Record<string, Meets>> = {
  StringEquals: onPlain((actual, wanted) => actual === wanted),
  StringEqualsIgnoreCase: onPlain((actual, wanted) => actual.toLowerCase() === wanted.toLowerCase()),
  StringLike: (actual, wanted) => like(wanted, actual),
  NumericEquals: onPlain((actual, wanted) => Number(actual) === Number(wanted)),
  NumericLessThan: onPlain((actual, wanted) => Number(actual) < Number(wanted)),
  NumericLessThanEquals: onPlain((actual, wanted) => Number(actual) <= Number(wanted)),
  NumericGreaterThan: onPlain((actual, wanted) => Number(actual) > Number(wanted)),
  NumericGreaterThanEquals: onPlain((actual, wanted) => Number(actual) >= Number(wanted)),
  DateEquals: onPlain((actual, wanted) => timeOf(actual) === timeOf(wanted)),
  DateLessThan: onPlain((actual, wanted) => timeOf(actual) < timeOf(wanted)),
  DateLessThanEquals: onPlain((actual, wanted) => timeOf(actual) <= timeOf(wanted)),
  DateGreaterThan: onPlain((actual, wanted) => timeOf(actual) > timeOf(wanted)),
  DateGreaterThanEquals: onPlain((actual, wanted) => timeOf(actual) >= timeOf(wanted)),
  Bool: onPlain((actual, wanted) => actual.toLowerCase() === wanted.toLowerCase()),
  BinaryEquals: onPlain((actual, wanted) => actual === wanted),
  IpAddress: onPlain(inRange),
  ArnEquals: arnLike,
  ArnLike: arnLike,
}
/** Negations by the operator they negate. */
const negations: Readonly<Record<string, string>> = {
  StringNotEquals: 'StringEquals',
  StringNotEqualsIgnoreCase: 'StringEqualsIgnoreCase',
  StringNotLike: 'StringLike',
  NumericNotEquals: 'NumericEquals',
  DateNotEquals: 'DateEquals',
  NotIpAddress: 'IpAddress',
  ArnNotEquals: 'ArnEquals',
  ArnNotLike: 'ArnLike',
}

const withVariables = /^(?:String|Arn)/

export function conditionsHold({ Condition = {} }: StatementDocument, variables: boolean, context: Context): boolean {
  return Object.entries(Condition).every(([operator, keys]) =>
    Object.entries(keys).every(([key, values]) => holds(operator, context(key), values, { variables, context })),
  )
}

interface Around {
  readonly variables: boolean
  readonly context: Context
}

function holds(operator: string, actual: readonly string[] | undefined, values: Values, around: Around): boolean {
  const texts = listOf<string | number | boolean>(values).map(String)
  if (operator === 'Null') return texts.some((text) => (text.toLowerCase() === 'true') === (actual === undefined))
  const set = /^(ForAllValues|ForAnyValue):/.exec(operator)?.[1]
  const name = operator.replace(/^For\w+:/, '').replace(/IfExists$/, '')
  const negated = negations[name]
  if (actual === undefined || actual.length === 0) {
    if (operator.endsWith('IfExists') || set === 'ForAllValues') return true
    return set === undefined && negated !== undefined
  }
  const compare = meets[negated ?? name] as Meets
  const isMet = (value: string): boolean =>
    texts.some((text) => {
      const wanted = fill(text, around.variables && withVariables.test(name), around.context)
      return wanted !== undefined && compare(value, wanted)
    })
  const fits = (value: string): boolean => isMet(value) === (negated === undefined)
  const all = set === 'ForAllValues' || (set === undefined && negated !== undefined)
  return all ? actual.every(fits) : actual.some(fits)
}
