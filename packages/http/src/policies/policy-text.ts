/**
 * Text of a policy that may contain variables: `${aws:username}`, `${aws:username, 'somebody'}`, and `${*}`, `${?}`,
 * `${$}` for characters that are otherwise special. The value of a variable is never a pattern.
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

/** Returns `undefined` if the text contains an invalid variable. */
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

/** The condition keys of the variables of a text. */
export function variablesOf(text: PolicyText): readonly string[] {
  return typeof text === 'string' ? [] : text.flatMap((piece) => ('key' in piece ? [piece.key] : []))
}

export function hasVariables(text: PolicyText): boolean {
  return typeof text !== 'string' && text.some((piece) => 'key' in piece)
}

/** The units of a text as a pattern, with a star for each variable. `plain`: wildcards of the text are characters. */
export function unitsOf(text: PolicyText, as: 'pattern' | 'plain' = 'pattern'): readonly string[] {
  const spelled = (given: string): readonly string[] => (as === 'plain' ? literally(given) : Array.from(given))
  if (typeof text === 'string') return spelled(text)
  return text.flatMap((piece) =>
    'key' in piece ? ['*'] : 'text' in piece ? spelled(piece.text) : literally(piece.literal),
  )
}

/** The pattern for a request. `undefined` if the request has no value for one of the variables, or several. */
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
 * Compiles the pattern, and again only when the values of its variables change, which is rare within a request. Returns
 * `undefined` if the request has no value for one of the variables.
 */
export function preparePattern(text: PolicyText): (keys: RequestKeys) => Wildcard | undefined {
  return preparedBy(text, compileWildcard)
}

/** Like `preparePattern`, for any result that is compiled from a pattern. */
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

/** The plain text for a request; `*` and `?` are ordinary characters in it. */
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
