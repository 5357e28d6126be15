/** Finds the CORS rule of a bucket that applies to a page of another origin. */

import { shareOf } from '../addresses/share-of.ts'
import type { CorsRule } from '@varve/core'
import { turn } from '../turns/turn.ts'

/** The CORS headers of a request. */
export interface CrossOriginRequest {
  readonly origin: string
  /** The method of the announced request, or of this one if it announces none. */
  readonly method: string
  /** The headers of the announced request, in lower case. */
  readonly headers: readonly string[]
  /** The address of the client. */
  readonly address: string | undefined
}

/** A compiled rule. Patterns without a star are looked up, so only those with a star are tried one by one. */
interface PreparedRule {
  readonly rule: CorsRule
  readonly methods: ReadonlySet<string>
  readonly origins: PreparedPatterns
  readonly headers: PreparedPatterns
}

interface PreparedPatterns {
  readonly isForAll: boolean
  readonly plain: ReadonlySet<string>
  readonly starred: readonly (readonly [before: string, behind: string])[]
}

export type PreparedRules = readonly PreparedRule[]

export function prepareRules(rules: readonly CorsRule[]): PreparedRules {
  return rules.map((rule) => ({
    rule,
    methods: new Set(rule.allowedMethods),
    origins: prepare(rule.allowedOrigins),
    headers: prepare(rule.allowedHeaders.map((pattern) => pattern.toLowerCase())),
  }))
}

/** Compiles patterns. A pattern has at most one star, which matches any text, even an empty one. */
function prepare(patterns: readonly string[]): PreparedPatterns {
  const different = [...new Set(patterns)]
  const starred = different.flatMap((pattern) => {
    const star = pattern.indexOf('*')
    return star === -1 ? [] : [[pattern.slice(0, star), pattern.slice(star + 1)] as const]
  })
  return { isForAll: different.includes('*'), plain: new Set(different), starred }
}

/** Finds the first rule that allows the whole request. Both lists can be long, so other requests take turns. */
export async function matchingRule(
  rules: PreparedRules,
  { origin, method, headers, address }: CrossOriginRequest,
): Promise<CorsRule | undefined> {
  const different = [...new Set(headers)]
  for (const rule of rules) {
    if (turn.isOver) await turn.next(shareOf(address))
    if (!rule.methods.has(method) || !fits(rule.origins, origin)) continue
    if (await allFit(rule.headers, different, address)) return rule.rule
  }
  return undefined
}

async function allFit(
  patterns: PreparedPatterns,
  texts: readonly string[],
  address: string | undefined,
): Promise<boolean> {
  if (patterns.isForAll) return true
  for (const text of texts) {
    if (turn.isOver) await turn.next(shareOf(address))
    if (!fits(patterns, text)) return false
  }
  return true
}

function fits({ isForAll, plain, starred }: PreparedPatterns, text: string): boolean {
  if (isForAll || plain.has(text)) return true
  let steps = 1
  const found = starred.some(([before, behind]) => {
    steps += stepsOfPattern + (before.length + behind.length) / 8
    return text.length >= before.length + behind.length && text.startsWith(before) && text.endsWith(behind)
  })
  turn.spend(steps)
  return found
}

/** The cost of comparing the beginning and the end of a string, before the first character. */
const stepsOfPattern = 10
