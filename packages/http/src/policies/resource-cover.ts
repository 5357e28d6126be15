/** What the resources of a statement can be in a bucket: the bucket itself, its objects, or both. */

import type { Patterns } from './policy.ts'
import { hasVariables, type PolicyText, unitsOf } from './policy-text.ts'
import { compileWildcard } from './wildcard.ts'

export interface Covered {
  readonly bucket: boolean
  readonly objects: boolean
}

/** A variable can have any text. */
export function coveredBy({ except, patterns }: Patterns<PolicyText>, bucket: string): Covered {
  const all = patterns.map((text) => unitsOf(text))
  // A pattern with a variable excepts some requests and not others.
  const constant = all.filter((_, at) => !hasVariables(patterns[at] as PolicyText))
  if (except) {
    return {
      bucket: !constant.some((units) => compileWildcard(units).matches(bucket)),
      objects: !constant.some((units) =>
        rests(units, `${bucket}/`).some((rest) => rest.length > 0 && rest.every(isStar)),
      ),
    }
  }
  return {
    bucket: all.some((units) => compileWildcard(units).matches(bucket)),
    objects: all.some((units) => rests(units, `${bucket}/`).some((rest) => rest.length > 0)),
  }
}

/** What the resources of a statement can be in any bucket, and whether they are also the store as a whole. */
export function coveredAnywhere({ except, patterns }: Patterns<PolicyText>): Covered & { readonly store: boolean } {
  const all = patterns.map((text) => unitsOf(text))
  const constant = all.filter((_, at) => !hasVariables(patterns[at] as PolicyText))
  if (except) {
    const store = !constant.some((units) => units.every(isStar))
    const objects = store && !constant.some((units) => /^\*+\/\*+$/.test(units.join('')))
    return { store, bucket: store, objects }
  }
  return {
    store: constant.some((units) => units.every(isStar)),
    bucket: all.some((units) => !units.some(isSlash)),
    objects: all.some((units) => {
      const slash = units.findIndex(isSlash)
      return (
        slash !== 0 && (units.some((unit) => isStar(unit) || unit === '?') || (slash > 0 && slash < units.length - 1))
      )
    }),
  }
}

const isSlash = (unit: string): boolean => unit === '/' || unit === '\\/'
const isStar = (unit: string): boolean => unit === '*'

/** What may remain of a pattern after it matched the beginning of a text. */
function rests(units: readonly string[], beginning: string): readonly (readonly string[])[] {
  let places = withStars(units, new Set([0]))
  for (const point of beginning) {
    const next = new Set<number>()
    for (const place of places) {
      const unit = units[place]
      if (unit === '*') next.add(place)
      else if (unit === '?' || unit === point || unit === `\\${point}`) next.add(place + 1)
    }
    places = withStars(units, next)
  }
  return [...places].map((place) => units.slice(place))
}

/** A star can also match nothing. */
function withStars(units: readonly string[], places: ReadonlySet<number>): ReadonlySet<number> {
  const all = new Set(places)
  for (const place of all) if (units[place] === '*') all.add(place + 1)
  return all
}
