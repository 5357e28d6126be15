/** Which rule of a bucket a page of another origin falls under. */

import type { CorsRule } from '@varve/core'

/** What a browser says of the page that asks. */
export interface CrossOriginRequest {
  readonly origin: string
  /** Of the request it will make, or, without a word about that, of this one. */
  readonly method: string
  /** Of the request it will make, in lower case. */
  readonly headers: readonly string[]
}

/** The first rule that allows all of it. */
export function matchingRule(
  rules: readonly CorsRule[],
  { origin, method, headers }: CrossOriginRequest,
): CorsRule | undefined {
  return rules.find(
    ({ allowedOrigins, allowedMethods, allowedHeaders }) =>
      allowedMethods.includes(method) &&
      allowedOrigins.some((pattern) => fits(pattern, origin)) &&
      headers.every((header) => allowedHeaders.some((pattern) => fits(pattern.toLowerCase(), header))),
  )
}

/** A star, of which there is one at most, stands for anything, and for nothing. */
function fits(pattern: string, text: string): boolean {
  const star = pattern.indexOf('*')
  if (star === -1) return pattern === text
  const [before, behind] = [pattern.slice(0, star), pattern.slice(star + 1)]
  return text.length >= before.length + behind.length && text.startsWith(before) && text.endsWith(behind)
}
