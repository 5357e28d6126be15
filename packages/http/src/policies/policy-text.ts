/**
 * Text of a policy that may hold variables: `${aws:username}`, `${aws:username, 'somebody'}`, and `${*}`, `${?}`, `${$}` for
 * characters that would mean something else. What a variable stands for is never a pattern itself.
 */

import { turn } from '../turns/turn.ts'
import { conditionKey, type RequestKeys } from './condition-key.ts'
import { compileWildcard, literally, type Pattern, type Wildcard } from './wildcard.ts'

export type PolicyText = string | readonly Piece[]

type Piece = { readonly text: string } | { readonly literal: string } | Variable

interface Variable {
  readonly key: string
  readonly otherwise?: string
}

const variable = /\$\{([^{}]*)\}/g
const characters = new Set(['*', '?', '$'])
const named = /^([\w-]+:[^\s,'{}]+)(?:\s*,\s*'([^']*)')?$/

/** Returns nothing when the text has a variable that is none. */
export function parsePolicyText(text: string): PolicyText | undefined {
  if (!text.includes('${')) return text
  const pieces: Piece[] = []
  let from = 0
  for (const found of text.matchAll(variable)) {
    const piece = pieceOf((found[1] ?? '').trim())
    if (piece === undefined) return undefined
    if (found.index > from) pieces.push({ text: text.slice(from, found.index) })
    pieces.push(piece)
    from = found.index + found[0].length
  }
  const rest = text.slice(from)
  if (rest.includes('${')) return undefined
  return rest === '' ? pieces : [...pieces, { text: rest }]
}

function pieceOf(inside: string): Piece | undefined {
  if (characters.has(inside)) return { literal: inside }
  const [, key, otherwise] = named.exec(inside) ?? []
  if (key === undefined) return undefined
  return { key: conditionKey(key), ...(otherwise !== undefined && { otherwise }) }
}

export function hasVariables(text: PolicyText): boolean {
  return typeof text !== 'string' && text.some((piece) => 'key' in piece)
}

/** As a pattern; nothing when the request does not have a variable of it, or has several values for one. */
function patternOf(text: PolicyText, keys: RequestKeys): Pattern | undefined {
  if (typeof text === 'string') return text
  const units: string[] = []
  for (const piece of text) {
    const value = 'key' in piece ? valueOf(piece, keys) : 'text' in piece ? piece.text : piece.literal
    if (value === undefined) return undefined
    for (const unit of 'text' in piece ? value : literally(value)) units.push(unit)
  }
  return units
}

/**
 * As a pattern made ready, once for as long as what its variables stand for is the same: within a request it mostly is.
 * Nothing when the request does not have one of them.
 */
export function preparePattern(text: PolicyText): (keys: RequestKeys) => Wildcard | undefined {
  return preparedBy(text, compileWildcard)
}

/** As `preparePattern`, for whatever is made of a pattern. */
export function preparedBy<P>(text: PolicyText, make: (pattern: Pattern) => P): (keys: RequestKeys) => P | undefined {
  if (!hasVariables(text)) {
    const prepared = make(patternOf(text, () => undefined) ?? '')
    return () => prepared
  }
  let made: { readonly spelled: string; readonly prepared: P } | undefined
  return (keys) => {
    const pattern = patternOf(text, keys)
    if (pattern === undefined) return undefined
    const spelled = typeof pattern === 'string' ? pattern : pattern.join('')
    turn.spend(spelled.length)
    if (made?.spelled !== spelled) made = { spelled, prepared: make(pattern) }
    return made.prepared
  }
}

/** As plain text, in which `*` and `?` mean themselves. */
export function plainTextOf(text: PolicyText, keys: RequestKeys): string | undefined {
  if (typeof text === 'string') return text
  const values = text.map((piece) =>
    'key' in piece ? valueOf(piece, keys) : 'text' in piece ? piece.text : piece.literal,
  )
  return values.includes(undefined) ? undefined : values.join('')
}

function valueOf({ key, otherwise }: Variable, keys: RequestKeys): string | undefined {
  const values = keys(key) ?? []
  return values.length === 1 ? values[0] : otherwise
}
